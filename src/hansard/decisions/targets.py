"""Targets of decisions: a subject in words, or files by a glob. Pure.

Two targets in words are the same if they look alike: see `lookalikes.py`.

`path:GLOB` names files of the workspace, from its root on, whatever lies around it; where that is a
folder within a repository, what is named from the repository's top on is meant, too:

    path:src/db.py       that file
    path:src/            everything under src, at any depth; so does path:src/**
    path:src/*.py        the Python files right in src: `*` and `?` stay within a name
    path:**/test_*.py    at any depth, the root included: `**` stands for any number of folders
    path:src/[a-c]*.py   one character of a set; [!a-c] one outside of it

A leading `/` or `./` means the root, too. Case matters, names that begin with a dot are like any
other, and there is no escaping: `[*]` is how to write a star that is one.
"""

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

from hansard.decisions.lookalikes import alike
from hansard.kernel.blob import digest_of
from hansard.kernel.problem import InvalidInput

PATH_MARK = "path:"
ANYWHERE = "**"
GLOBS_KNOWN_MAX = 10_000

T = TypeVar("T")
U = TypeVar("U")


@dataclass(frozen=True, slots=True)
class OneOf:
    """A character within a set, or outside it."""

    spans: tuple[tuple[str, str], ...]
    negated: bool

    def has(self, char: str) -> bool:
        """Whether it matches this character."""
        return any(first <= char <= last for first, last in self.spans) != self.negated


MANY = OneOf((), negated=False)
"""Any number of characters: `*`."""

ONE = OneOf((), negated=True)
"""Any one character: `?`."""

Name = tuple[OneOf | str, ...]
"""One part of a glob: literal characters, and wildcards."""

FOLDERS: Name = (MANY, MANY)
"""Any number of folders: `**`."""


def target_key(target: str) -> str:
    """Give the same key to targets that mean the same."""
    glob = glob_of(target)
    return digest_of((alike(target) if glob is None else f"{PATH_MARK}{glob}").encode())


def former_key(target: str) -> str:
    """Give the key that a target had while only case and spaces made no difference."""
    glob = glob_of(target)
    return digest_of((folded(target) if glob is None else f"{PATH_MARK}{glob}").encode())


def folded(text: str) -> str:
    """Remove case and spaces from a text, as fingerprints of proposals once did."""
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def glob_of(target: str) -> str | None:
    """Give the glob of a target about files, in its one form; `None` if it is about no files."""
    trimmed = target.strip()
    if not trimmed.startswith(PATH_MARK):
        return None
    glob = unicodedata.normalize("NFC", trimmed.removeprefix(PATH_MARK).strip())
    parts = [part for part in glob.split("/") if part not in ("", ".")]
    if glob.endswith("/"):
        parts.append(ANYWHERE)
    return "/".join(parts)


def check_target(target: str) -> None:
    """Refuse a target about files that can name none."""
    glob = glob_of(target)
    if glob is None:
        return
    if not glob or ".." in glob.split("/") or "\\" in glob:
        raise InvalidInput(
            "target: after `path:` comes a glob from the workspace's root on, such as src/**/*.py",
            argument="target",
        )


def matches(glob: str, path: str) -> bool:
    """Whether a glob in its one form names this file of the workspace."""
    return _fits(_parsed(glob), path.split("/"), _is_folders, _name_fits)


def anchor(glob: str) -> str:
    """Give the folder under which all files lie that a glob names, or the one file it names.

    A folder ends in `/`; the root is the empty text. So what may govern a file is found by asking
    for the anchors it can have, however many globs there are elsewhere.
    """
    names = _parsed(glob)
    plain = [name for name in names if all(isinstance(char, str) for char in name)]
    if len(plain) == len(names):
        return glob
    parts = glob.split("/")
    fixed = next(place for place, name in enumerate(names) if name not in plain)
    return "".join(f"{part}/" for part in parts[:fixed])


def anchors_of(path: str) -> list[str]:
    """Give the anchors that a glob naming this file can have."""
    parts = path.split("/")
    return ["/".join([*parts[:depth], ""]) for depth in range(len(parts))] + [path]


def _is_folders(name: Name) -> bool:
    return name == FOLDERS


def _is_many(token: OneOf | str) -> bool:
    return token is MANY


def _name_fits(name: Name, part: str) -> bool:
    return _fits(name, part, _is_many, _stands_for)


def _stands_for(token: OneOf | str, char: str) -> bool:
    return token == char if isinstance(token, str) else token.has(char)


def _fits(
    pattern: Sequence[T],
    items: Sequence[U],
    is_wild: Callable[[T], bool],
    stands_for: Callable[[T, U], bool],
) -> bool:
    """Match items one by one; a wildcard takes any number of them.

    Only the last wildcard is ever tried again, so a hostile glob costs at most its length times
    that of the text.
    """
    place = taken = 0
    wild: tuple[int, int] | None = None
    while taken < len(items):
        if place < len(pattern) and is_wild(pattern[place]):
            wild = (place, taken)
            place += 1
        elif place < len(pattern) and stands_for(pattern[place], items[taken]):
            place, taken = place + 1, taken + 1
        elif wild:
            wild = (wild[0], wild[1] + 1)
            place, taken = wild[0] + 1, wild[1]
        else:
            return False
    return all(map(is_wild, pattern[place:]))


@lru_cache(GLOBS_KNOWN_MAX)
def _parsed(glob: str) -> tuple[Name, ...]:
    names = tuple(FOLDERS if part == ANYWHERE else _name(part) for part in glob.split("/"))
    # Everything under a folder is not the folder itself.
    return (*names, (MANY,)) if names[-1] == FOLDERS else names


def _name(part: str) -> Name:
    tokens: list[OneOf | str] = []
    place = 0
    while place < len(part):
        token, place = _token(part, place)
        if not (token is MANY and tokens[-1:] == [MANY]):
            tokens.append(token)
    return tuple(tokens)


def _token(part: str, place: int) -> tuple[OneOf | str, int]:
    """Read one token; returns it and where the next begins."""
    char = part[place]
    if char in "*?":
        return (MANY if char == "*" else ONE), place + 1
    # As everywhere, a bracket right after the first one is in the set and does not close it.
    is_negated = part[place + 1 : place + 2] in ("!", "^")
    first = place + 1 + is_negated
    end = part.find("]", first + 1) if char == "[" else -1
    if end < 0:
        return char, place + 1
    return OneOf(_spans(part[first:end]), is_negated), end + 1


def _spans(inside: str) -> tuple[tuple[str, str], ...]:
    spans = []
    place = 0
    while place < len(inside):
        if inside[place + 1 : place + 2] == "-" and place + 2 < len(inside):
            spans.append((inside[place], inside[place + 2]))
            place += 3
        else:
            spans.append((inside[place], inside[place]))
            place += 1
    return tuple(spans)
