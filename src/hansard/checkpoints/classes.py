"""What matters in a context: the classes of its keys, as data, and the views a budget allows.

Nothing of this touches what is stored: storage is lossless, only a *view* is ever reduced.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from hansard.kernel.blob import canonical_json

Class = Literal["CRITICAL", "IMPORTANT", "USEFUL", "EPHEMERAL"]
CLASSES: tuple[Class, ...] = ("CRITICAL", "IMPORTANT", "USEFUL", "EPHEMERAL")
"""From what must stay to what may go first."""

PATTERNS: tuple[tuple[str, Class], ...] = (
    (r"(user_?)?(goal|objective|intent|request|instruction|requirement|constraint)s?", "CRITICAL"),
    (r"(final_?)?(answer|result|output|conclusion)s?", "CRITICAL"),
    (r"acceptance_?criteria|must_?haves?|deadline", "CRITICAL"),
    (r"plan|steps?|todos?|tasks?|status|state|phase|progress|next(_?steps?)?", "IMPORTANT"),
    (r"decisions?|findings?|facts?|errors?|blockers?|assumptions?|summary", "IMPORTANT"),
    (r"tmp|temp|cache(d)?|debug|trace|scratch(pad)?|logs?|stdout|stderr|raw", "EPHEMERAL"),
    (r"timestamp|last_?seen|heartbeat|progress_?bar|spinner|ui_?state", "EPHEMERAL"),
)
"""Whole keys, without regard to case; the first that fits decides. Also tried on the last word of
a key such as `build_logs` or `currentPlan`."""

SMALL_CHARS_MAX = 200
"""A value this small costs too little to be worth losing: IMPORTANT without further signs."""

PREVIEW_CHARS = 200
"""What is left of a value that had to be shortened."""

CHARS_PER_TOKEN = 4

_COMPILED = tuple((re.compile(pattern, re.IGNORECASE), kind) for pattern, kind in PATTERNS)
_LAST_WORD = re.compile(r"[A-Z]?[a-z0-9]+$|[A-Z]+$")


@dataclass(frozen=True, slots=True)
class Omission:
    """A key that a view does not show whole."""

    key: str
    class_: Class
    how: Literal["dropped", "shortened"]
    chars: int


@dataclass(frozen=True, slots=True)
class Reduced:
    """A context as a budget allows it."""

    context: dict[str, Any]
    omitted: tuple[Omission, ...]
    chars: int


def classify(key: str, value: object, marks: Mapping[str, int], hints: Mapping[str, str]) -> Class:
    """Say what a key is: by its mark, then what the saver declared, its name, its size."""
    if key in marks:
        return "CRITICAL"
    for hinted in CLASSES:
        if hints.get(key) == hinted:
            return hinted
    words = [key, *(_LAST_WORD.findall(key)[:1])]
    for word in words:
        for pattern, kind in _COMPILED:
            if pattern.fullmatch(word):
                return kind
    return "IMPORTANT" if len(canonical_json(value)) <= SMALL_CHARS_MAX else "USEFUL"


def reduce(context: Mapping[str, Any], classes: Mapping[str, Class], budget_chars: int) -> Reduced:
    """Drop what is ephemeral, then shorten what is useful, then what is important, until it fits.

    Within a class the largest goes first. What is critical stays whole, even over the budget.
    """
    shown = dict(context)
    sizes = {key: len(key) + len(canonical_json(value)) + 4 for key, value in shown.items()}
    total = sum(sizes.values())
    omitted = []
    for kind in ("EPHEMERAL", "USEFUL", "IMPORTANT"):
        keys = sorted((key for key in context if classes[key] == kind), key=lambda key: -sizes[key])
        for key in keys:
            if total <= budget_chars:
                break
            size = sizes[key]
            if kind == "EPHEMERAL":
                del shown[key]
                left = 0
            elif size <= 2 * PREVIEW_CHARS:
                continue
            else:
                shown[key] = _shorten(context[key])
                left = len(key) + PREVIEW_CHARS
            how: Literal["dropped", "shortened"] = "shortened" if left else "dropped"
            omitted.append(Omission(key, kind, how, size))
            total -= size - left
    return Reduced(shown, tuple(omitted), total)


def _shorten(value: object) -> str:
    text = value if isinstance(value, str) else canonical_json(value).decode()
    return f"{text[:PREVIEW_CHARS]}… [{len(text) - PREVIEW_CHARS} characters left out]"
