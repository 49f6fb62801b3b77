"""Keeping secrets out of what is decided, before any of it is durable: Git forgets nothing."""

import re
from collections.abc import Callable
from typing import TypeVar

from hansard.kernel.operation import ProjectRequest

Mask = Callable[[str], str]
"""Puts `[redacted: RULE]` in place of each secret in a text, as the recorder does."""

FIELDS = ("title", "target", "rationale", "consequences", "cites", "reason")
"""What a request says in its own words."""

_MASKED = re.compile(r"\[redacted: (\w+)\]")

R = TypeVar("R", bound=ProjectRequest)


def masked(request: R, mask: Mask) -> tuple[R, list[str] | None]:
    """Give a request without secrets, and the rules that they were known by, if there were any."""
    said = {name: value for name in FIELDS if (value := getattr(request, name, None))}
    kept = {name: _masked(value, mask) for name, value in said.items()}
    if kept == said:
        return request, None
    rules = dict.fromkeys(_MASKED.findall(repr(kept)))
    return request.model_copy(update=kept), list(rules)


def unmasked(text: str) -> str:
    """Leave a text as it is, where no redaction is asked for."""
    return text


def _masked(value: str | list[str], mask: Mask) -> str | list[str]:
    return mask(value) if isinstance(value, str) else [mask(one) for one in value]
