"""Keeps an answer within its budget. Pure. Sizes are those of the JSON, which exceeds the text."""

from collections.abc import Iterable, Iterator
from typing import TypeVar

import orjson
from pydantic import BaseModel

from hansard.kernel.truncation import cut
from hansard.records import limits
from hansard.records.shapes import RecordRef

Part = TypeVar("Part", bound=BaseModel)

ENVELOPE_CHARS = 2_000
"""What an answer costs besides its parts: names, counts, cursors, the receipt, what is left out."""

SUMMARY_SHOWN_CHARS = 300
"""A summary is one or two sentences; where many are listed, a longer one is cut."""


class Budget:
    """How many characters are left to spend."""

    def __init__(self, tokens: int) -> None:
        """Start with this many tokens, less what every answer costs."""
        self.chars = tokens * limits.CHARS_PER_TOKEN - ENVELOPE_CHARS

    def take(self, part: BaseModel, *, extra: int = 0) -> bool:
        """Spend what an optional part costs."""
        cost = size_of(part) + extra
        if cost > self.chars:
            return False
        self.chars -= cost
        return True

    def take_while(self, parts: Iterable[Part], *, chars_max: int | None = None) -> Iterator[Part]:
        """Take parts in order until one does not fit, spending no more than `chars_max`."""
        least = 0 if chars_max is None else self.chars - chars_max
        for part in parts:
            if self.chars - size_of(part) < least or not self.take(part):
                return
            yield part

    def take_in_turn(self, *lists: Iterable[Part], first_extra: int = 0) -> list[list[Part]]:
        """Take one of each list in turn, so that none starves; a list ends where one is too big.

        Each part of the first list costs `first_extra` besides itself.
        """
        taken: list[list[Part]] = [[] for _ in lists]
        going = [(iter(parts), kept) for parts, kept in zip(lists, taken, strict=True)]
        while going:
            still_going = []
            for parts, kept in going:
                part = next(parts, None)
                extra = first_extra if kept is taken[0] else 0
                if part is not None and self.take(part, extra=extra):
                    kept.append(part)
                    still_going.append((parts, kept))
            going = still_going
        return taken

    def spend(self, part: BaseModel) -> None:
        """Spend what a mandatory part costs."""
        self.chars -= size_of(part)

    def keep(self, chars_min: int) -> None:
        """Continue with at least this much, whatever was spent."""
        self.chars = max(self.chars, chars_min)


def size_of(part: BaseModel) -> int:
    """Count the characters of a part as a caller gets it."""
    return _chars(part.model_dump(mode="json", exclude_none=True)) + 1


def brief(ref: RecordRef) -> RecordRef:
    """Cut an overlong summary."""
    if len(ref.summary) <= SUMMARY_SHOWN_CHARS:
        return ref
    return ref.model_copy(update={"summary": cut(ref.summary, SUMMARY_SHOWN_CHARS)})


def _chars(value: object) -> int:
    return len(orjson.dumps(value).decode())
