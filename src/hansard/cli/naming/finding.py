"""Finds a thing by id, beginning of an id, title or `@latest`. Pure."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hansard.cli.terminal.text import printable
from hansard.kernel.problem import InvalidInput
from hansard.sessions.directory import SEPARATOR, project_of

LATEST = "@latest"
CANDIDATES_SHOWN = 5
TITLE_SHOWN_CHARS = 40

WHOLE_ID = re.compile(r"[A-Z]\d{3,}", re.IGNORECASE)
"""An id that Hansard counts. An unknown one is neither the beginning of another nor a title."""

CHANGED_CHARS_MIN = 4
"""How many characters of an id are needed to change the thing it names."""


@dataclass(frozen=True, slots=True)
class NamedThing:
    """Something with an id, and perhaps a title."""

    id: str
    title: str | None = None
    tail: str = ""
    """The part of the id that distinguishes it; empty if all of it does."""

    def text(self) -> str:
        """Name it, for a person who has to choose."""
        if not self.title:
            return printable(self.id)
        title = self.title[:TITLE_SHOWN_CHARS]
        return printable(f"{self.id} ({title}{'…' if title != self.title else ''})")


def tail_of(identifier: str) -> str:
    """Give the part of an id after its type or project; empty if it has neither."""
    if project_of(identifier) is not None:
        return identifier.rpartition(SEPARATOR)[2]
    return identifier.rpartition("::")[2] if "::" in identifier else ""


def matching(things: Sequence[NamedThing], named: str, *, loosely: bool = True) -> list[NamedThing]:
    """Give all that a name may mean, by the surest way that finds any; the latest come first.

    Loosely, words from anywhere in a title suffice, and any beginning of an id.
    """
    if named == LATEST:
        return list(things[:1])
    words = named.casefold()
    sure: tuple[Callable[[NamedThing], bool], ...] = (
        lambda one: one.id == named,
        lambda one: one.id.casefold() == words,
    )
    ways: tuple[Callable[[NamedThing], bool], ...] = (
        lambda one: _title(one) == words,
        lambda one: (
            _begins(one, words, chars_min=1 if loosely else CHANGED_CHARS_MIN)
            or (loosely and _title(one).startswith(words))
        ),
        lambda one: loosely and words in _title(one),
    )
    return _first(things, sure) or _first([one for one in things if not _is_of(one, named)], ways)


def _first(
    things: Sequence[NamedThing], ways: Sequence[Callable[[NamedThing], bool]]
) -> list[NamedThing]:
    for is_meant in ways:
        if found := [one for one in things if is_meant(one)]:
            return found
    return []


def _is_of(one: NamedThing, named: str) -> bool:
    """Whether both are whole ids: then the one means the other, or has nothing to do with it."""
    return all(map(WHOLE_ID.fullmatch, (one.id, named)))


def _title(one: NamedThing) -> str:
    return (one.title or "").casefold()


def _begins(one: NamedThing, words: str, *, chars_min: int) -> bool:
    """Whether words begin the distinguishing part of an id, with or without the rest."""
    telling = (one.tail or one.id).casefold()
    said = words.removeprefix(one.id.casefold().removesuffix(telling))
    return len(said) >= chars_min and telling.startswith(said)


def only(found: Sequence[NamedThing], named: str, what: str) -> NamedThing:
    """Give the one that is meant, or refuse to choose between several."""
    assert found, "nothing was found to choose from"
    if len(found) > 1:
        shown = ", ".join(one.text() for one in found[:CANDIDATES_SHOWN])
        more = ", …" if len(found) > CANDIDATES_SHOWN else ""
        raise InvalidInput(f"{named} means several {what}: {shown}{more}", hint="Give more of it")
    return found[0]
