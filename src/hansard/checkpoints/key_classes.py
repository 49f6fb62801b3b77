"""Which keys of a context matter most: the classes, as data."""

import re
from collections.abc import Mapping
from typing import Literal

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

CHARS_PER_TOKEN = 4

_COMPILED = tuple((re.compile(pattern, re.IGNORECASE), kind) for pattern, kind in PATTERNS)
_LAST_WORD = re.compile(r"[A-Z]?[a-z0-9]+$|[A-Z]+$")


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
