"""Our section in a text that people write, between two marks. Pure."""

import re
from typing import Any

from hansard.cli.setup.texts import BOM, LeftAloneError, Path, newline_of

NAME = "hansard"
BEGIN, END = f"<!-- {NAME}: begin -->", f"<!-- {NAME}: end -->"

_BLOCK = re.compile(
    rf"(?:\r?\n)*{re.escape(BEGIN)}[ \t]*\r?\n(?P<passage>.*?)\r?\n{re.escape(END)}[ \t]*\r?\n?",
    re.DOTALL,
)


def read(text: str) -> dict[str, Any]:
    """Give our passage, and the rest."""
    if text.count(BEGIN) > 1 or text.count(BEGIN) != text.count(END):
        raise LeftAloneError("the marks of Hansard's passage do not stand in it once each")
    found = _BLOCK.search(text)
    if found is None and BEGIN in text:
        raise LeftAloneError("the marks of Hansard's passage are not on lines of their own")
    rest = _without(text).strip(BOM + "\r\n")
    passage = {NAME: found["passage"].replace("\r\n", "\n")} if found else {}
    return ({"rest": rest} if rest else {}) | passage


def put(text: str, _: Path, value: Any) -> str:
    """Set our passage where it stands, or at the end."""
    newline = newline_of(text)
    block = newline.join([BEGIN, *str(value).splitlines(), END, ""])
    found = _BLOCK.search(text)
    if found is None:
        gap = newline * 2 if text.strip(BOM + "\r\n") else ""
        return text.rstrip("\r\n") + gap + block
    gap = newline * 2 if text[: found.start()].strip(BOM + "\r\n") else ""
    return text[: found.start()] + gap + block + text[found.end() :]


def remove(text: str, _: Path) -> str:
    """Take our passage out."""
    return _without(text)


def is_bare(text: str, _: Path) -> bool:
    """Whether there is nothing but white space."""
    return not text.strip(BOM + " \t\r\n")


def _without(text: str) -> str:
    found = _BLOCK.search(text)
    if found is None:
        return text
    before, after = text[: found.start()], text[found.end() :]
    return before + (newline_of(text) if before.strip(BOM) else "") + after
