"""Finding what a person means: by its id, the beginning of that, its title, or `@latest`. Pure."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hansard.cli.terminal import printable
from hansard.kernel.problem import InvalidInput

LATEST = "@latest"
CANDIDATES_SHOWN = 5
TITLE_SHOWN_CHARS = 40

WHOLE_ID = re.compile(r"[A-Z]\d{3,}")
"""An id as Hansard makes them. One that there is not is no beginning of another."""


@dataclass(frozen=True, slots=True)
class Thing:
    """Something with an id, and perhaps a title."""

    id: str
    title: str | None = None
    tail: str = ""
    """The part of the id that tells it from others; empty if all of it does."""

    def text(self) -> str:
        """Name it, for whoever has to choose."""
        if not self.title:
            return printable(self.id)
        title = self.title[:TITLE_SHOWN_CHARS]
        return printable(f"{self.id} ({title}{'…' if title != self.title else ''})")


def matching(things: Sequence[Thing], named: str, *, loosely: bool = True) -> list[Thing]:
    """Give all that a name may mean, by the surest way that finds any; the latest come first.

    Loosely, words from anywhere in a title will do.
    """
    if named == LATEST:
        return list(things[:1])
    words = named.casefold()
    is_whole = WHOLE_ID.fullmatch(named) is not None
    ways: tuple[Callable[[Thing], bool], ...] = (
        lambda one: one.id == named,
        lambda one: one.id.casefold() == words,
        lambda one: (one.title or "").casefold() == words,
        lambda one: not is_whole and _begins(one, words),
        lambda one: loosely and words in (one.title or "").casefold(),
    )
    for is_meant in ways:
        if found := [one for one in things if is_meant(one)]:
            return found
    return []


def _begins(one: Thing, words: str) -> bool:
    parts = (one.id, one.tail, one.title or "")
    return any(part.casefold().startswith(words) for part in parts if part)


def only(found: Sequence[Thing], named: str, what: str) -> Thing:
    """Give the one that is meant, or refuse to choose between several."""
    assert found, "nothing was found to choose from"
    if len(found) > 1:
        shown = ", ".join(one.text() for one in found[:CANDIDATES_SHOWN])
        more = ", …" if len(found) > CANDIDATES_SHOWN else ""
        raise InvalidInput(f"{named} means several {what}: {shown}{more}", hint="Give more of it")
    return found[0]
