"""Secrets in texts from callers: removed where people read them, reported where they must stay.

Content that must come back byte for byte (records, checkpoints, entities) is kept as given, and the
answer names the kinds of secrets in it. In texts about the work, which others read and Git keeps
for good, `[redacted: RULE]` replaces a secret before anything is durable.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import islice
from typing import Any

from hansard.kernel.operation import Request, Written
from hansard.recorder.contents import redaction

FIELDS = (
    *("title", "target", "rationale", "consequences", "cites", "reason", "summary", "description"),
    *("user_message", "steps", "step", "name", "type"),
)
"""Fields in which a request has its own words. The recorder seals contents of files instead."""

LOOKED_AT_CHARS_MAX = 256 * 1024
"""How much of a text that is kept as given is scanned: 10 ms for 100 kB, on every write of it."""

TEXTS_MAX = 10_000

VALUE_CHARS_MAX = 300
"""A longer value is not the password that its name suggests."""

_MASKED = re.compile(r"\[redacted: (\w+)\]")

Mask = Callable[[str], str]


def masked(request: Request) -> tuple[Request, list[str]]:
    """Give a request without secrets in its texts, and the rules that recognized them."""
    said = {name: value for name in _said_in(type(request)) if (value := getattr(request, name))}
    kept = {name: _masked(value) for name, value in said.items()}
    if kept == said:
        return request, []
    before = set(_MASKED.findall(repr(said)))
    rules = dict.fromkeys(_MASKED.findall(repr(kept)))
    return request.model_copy(update=kept), [one for one in rules if one not in before] or [*rules]


def kinds_in(arguments: Mapping[str, Any]) -> list[str]:
    """Name the kinds of secret in all texts of the arguments, and in names with their values."""
    text = "\n".join(islice(_texts(arguments), TEXTS_MAX))[:LOOKED_AT_CHARS_MAX]
    return redaction.rules_matched(text.encode(errors="replace"))


def told(answer: Written, redacted: list[str], kept: list[str]) -> Written:
    """Say in an answer what was taken out, and what was kept."""
    told = {"redacted": [*dict.fromkeys([*(answer.redacted or ()), *redacted])], "secrets": kept}
    found = {name: rules for name, rules in told.items() if rules}
    return answer.model_copy(update=found) if found else answer


@cache
def _said_in(request: type[Request]) -> tuple[str, ...]:
    """Name the fields in which a kind of request says something."""
    return tuple(name for name in FIELDS if name in request.model_fields)


def _masked(value: Any) -> Any:
    if isinstance(value, str):
        return redaction.mask(value)
    return [_masked(one) for one in value] if isinstance(value, list) else value


def _texts(value: Any, name: str = "") -> Iterator[str]:
    if isinstance(value, str):
        yield value
        if name and len(value) <= VALUE_CHARS_MAX:
            yield f'{name}: "{value}"'
    elif isinstance(value, Mapping):
        for inner_name, inner in value.items():
            yield str(inner_name)
            yield from _texts(inner, str(inner_name))
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(inner)
