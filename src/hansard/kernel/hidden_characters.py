"""Finds, counts and escapes characters that a reader cannot see but a terminal or a model obeys.

Stored text keeps them. Answers report them when text is written or given to a model, and a terminal
shows them by number.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

KINDS = {
    "control": "\x00-\x08\x0b-\x1f\x7f-\x9f",
    "bidi": "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069",
    "zero_width": "\u180e\u200b-\u200d\u2060-\u2064\ufeff",
    "tag": "\U000e0000-\U000e007f",
    "variation": "\u180b-\u180d\u180f\ufe00-\ufe0e\U000e0100-\U000e01ef",
    "separator": "\u2028\u2029",
    "invisible": "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u206a-\u206f\u3164\uffa0\ufff0-\ufffb"
    "\ufffe\uffff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\ud800-\udfff\ufdd0-\ufdef",
}
"""By kind, as a pattern writes them. The sign that makes an emoji one is not among them: it is
seen. Tabs and line feeds are what text is made of."""

_WITHOUT_TEXT = (bytes, int, float, type(None))
"""What else values are made of: asked early, since asking for a mapping takes longer."""

_OF_MODEL = "__pydantic_extra__"
"""What each model has, so that `--help` need not load what models are made of."""

_PLAIN = bytes([*b"\t\n", *range(0x20, 0x7F)])

_FINE = (
    "^\ufeff"  # some programs begin every file with it
    "|\r(?=\n)"
    # Joiners belong to the spelling of Persian or Hindi, and to emoji that are made of several.
    "|(?<=[\u0600-\u1fff\u2190-\u2bff\u3400-\u9fff\ufb50-\ufdcf\ufe0f\U0001f000-\U0001faff])"
    "[\u200c\u200d](?=[\u0600-\u1fff\u2190-\u2bff\u3400-\u9fff\ufb50-\ufdcf\U0001f000-\U0001faff])"
)


def hidden_chars(value: Any) -> dict[str, int]:
    """Count the hidden characters in all texts of a value or an answer, by kind."""
    found: Counter[str] = Counter()
    for text in _texts(value):
        if _may_hold_any(text):
            left = "".join(_any().findall(re.sub(_FINE, "", text)))
            found.update(
                {kind: len(re.findall(f"[{chars}]", left)) for kind, chars in KINDS.items()}
            )
    return {kind: found[kind] for kind in KINDS if found[kind]}


def _may_hold_any(text: str) -> bool:
    """Rule most texts out, in a fraction of the time that a pattern takes."""
    if text.isascii():
        return not text.isprintable() and bool(text.encode().translate(None, _PLAIN))
    return _any().search(text) is not None


@cache
def _any() -> re.Pattern[str]:
    """Give the pattern of them all, compiled when a text needs it, since most do not."""
    return re.compile("[" + "".join(KINDS.values()) + "]")


def escape(text: str) -> str:
    """Write each hidden character by its number, as JSON does: in JSON it means the same."""
    text = text.replace("\r\n", "\n")
    return _any().sub(_number, text) if _may_hold_any(text) else text


def warning(found: Mapping[str, int]) -> str:
    """Say in a line what was found."""
    counted = ", ".join(f"{count} {kind}" for kind, count in found.items())
    return f"Warning: the text holds hidden characters ({counted}); it is kept as it is."


def _number(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass")
    pairs = (units[place : place + 2] for place in range(0, len(units), 2))
    return "".join(f"\\u{pair.hex()}" for pair in pairs)


def _texts(value: Any) -> Iterator[str]:
    """Give the texts that may hold some."""
    pending = [value]
    while pending:
        one = pending.pop()
        if isinstance(one, str):
            # Nearly all there is, so that no other call is made for it.
            if not (one.isascii() and one.isprintable()):
                yield one
        elif isinstance(one, _WITHOUT_TEXT):
            continue
        elif hasattr(one, _OF_MODEL):
            # The names of its fields are ours.
            pending += vars(one).values()
            pending.append(one.model_extra)
        elif isinstance(one, dict | Mapping):
            pending += one
            pending += one.values()
        elif isinstance(one, list | tuple):
            pending += one
