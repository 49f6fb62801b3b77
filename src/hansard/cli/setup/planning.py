"""Plans what a host's file should become. Pure: texts in, a plan out."""

import difflib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hansard.cli.setup.document import Document, document
from hansard.cli.setup.texts import BOM, LeftAloneError


@dataclass(frozen=True, slots=True)
class FilePart:
    """One thing that belongs into a file: a server's entry, or hooks."""

    title: str
    """Whose it is."""
    install: Callable[[Document], tuple[Document, str]]
    """Gives the file with it, and what to say."""
    uninstall: Callable[[Document, Document], Document]
    """Gives the file without it, from what it is and what it was before."""
    is_whole: bool = False
    """Whether the file is this part and nothing else."""
    is_program: bool = False
    """Whether the file is run."""


@dataclass(frozen=True, slots=True)
class FilePlan:
    """What a file is and should be; equal if there is nothing to do, `None` for no file."""

    name: str
    before: str | None
    after: str | None
    says: tuple[str, ...] = ()

    @property
    def changes(self) -> bool:
        """Whether there is something to write."""
        return self.before != self.after

    def diff(self) -> list[str]:
        """Show the change, a line each."""
        old, new = (self.before or "").splitlines(), (self.after or "").splitlines()
        names = (
            self.name if self.before is not None else "(no file)",
            self.name if self.after is not None else "(no file)",
        )
        lines = difflib.unified_diff(old, new, *names, lineterm="")
        return [line.rstrip("\r") for line in lines]


def planned(name: str, text: str | None, parts: Sequence[FilePart]) -> FilePlan:
    """Plan to put parts into a file."""
    current, says = document(name, text or ""), []
    for part in parts:
        current, said = part.install(current)
        says.append(f"{part.title}: {said}")
    after = current.text if text is not None or current.text else None
    return FilePlan(name, text, after, tuple(dict.fromkeys(says)))


def taken_out(
    name: str, text: str, parts: Sequence[FilePart], *, before: str | None, is_ours: bool = False
) -> FilePlan:
    """Plan to take parts out of a file; one that `is_ours` goes when nothing else is left in it."""
    current, old = document(name, text), _readable(name, before)
    for part in parts:
        current = part.uninstall(current, old)
    # By its text: what is empty as data may still hold its user's remarks.
    is_empty = "".join(current.text.removeprefix(BOM).split()) in ("", "{}")
    return FilePlan(name, text, None if is_ours and is_empty else current.text)


def _readable(name: str, before: str | None) -> Document:
    """Give what a file was; nothing if that cannot be read."""
    old = document(name, before or "")
    try:
        old.format.read(old.text)
    except LeftAloneError:
        return document(name, "")
    return old
