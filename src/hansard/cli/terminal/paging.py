"""A pager for output longer than the window, only on a terminal."""

import os
import shlex
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any, TextIO, cast

PAGER = "less"
PAGER_VARIABLE = "PAGER"

LESS = "FRX"
"""End at once if all of it fits; show our colours, nothing else; leave it on the screen."""

LOOKING: dict[str, set[str | None]] = {
    "checkpoints": {None, "list", "show", "diff"},
    "decisions": {None, "list", "show", "search", "history", "proposals"},
    "entities": {None, "list", "show"},
    "help": {None, "settings"},
    "log": {None},
    "metrics": {None, "list"},
    "projects": {None, "list"},
    "records": {None, "show", "history", "diff", "search"},
    "search": {None},
    "sessions": {None, "show"},
    "story": {None},
    "timeline": {None},
}
"""Commands, and those of their groups, that only show something."""

GOES_ON = {"--follow", "-f", "--json"}
"""Flags whose output is not for a pager: it grows, or is for a program."""


class SeenEnoughError(Exception):
    """The user has ended the pager. Not an `OSError`, which the framework would handle itself."""


class Paged:
    """The pager's end of a pipe, which claims to be a terminal."""

    def __init__(self, pipe: IO[str]) -> None:
        """Write to a pager."""
        self._pipe = pipe

    def write(self, text: str) -> int:
        """Write, as long as the pager runs."""
        try:
            return self._pipe.write(text)
        except BrokenPipeError:
            raise SeenEnoughError from None

    def flush(self) -> None:
        """Show what was written, as long as the pager runs."""
        try:
            self._pipe.flush()
        except BrokenPipeError:
            raise SeenEnoughError from None

    def isatty(self) -> bool:
        """Count as the terminal that the pager shows it on."""
        return True

    def __getattr__(self, name: str) -> Any:
        """Behave like the pipe otherwise."""
        return getattr(self._pipe, name)


def pager() -> list[str] | None:
    """Give the command that pages; `None` where nobody could use it, or none is wanted."""
    is_seen = sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()
    if not is_seen or os.environ.get("TERM", "dumb") == "dumb":
        return None
    try:
        command = shlex.split(os.environ.get(PAGER_VARIABLE, PAGER))
    except ValueError:
        return None
    if not command or command == ["cat"] or shutil.which(command[0]) is None:
        return None
    return command


def only_looks(words: list[str]) -> bool:
    """Whether a command line only shows something that ends."""
    name, *rest = words
    known = LOOKING.get(name)
    if known is None or not GOES_ON.isdisjoint(rest):
        return False
    # A group's command is its first word that another group's could be; an argument is none.
    verb = next((word for word in rest if not word.startswith("-")), None)
    return len(known) == 1 or verb is None or verb in known


@contextmanager
def paged(words: list[str]) -> Iterator[None]:
    """Show what is printed in this block through a pager, if that helps the reader."""
    command = pager() if only_looks(words) else None
    if command is None:
        yield
        return
    environment = {"LESS": LESS, "LESSCHARSET": "utf-8", "LESSSECURE": "1"} | os.environ
    import subprocess

    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, encoding="utf-8", errors="backslashreplace", env=environment
    )
    assert process.stdin is not None, "a pipe was asked for"
    output: Any = sys.stdout
    before, output.stream = output.stream, cast("TextIO", Paged(process.stdin))
    try:
        with suppress(SeenEnoughError):
            yield
    finally:
        output.stream = before
        with suppress(BrokenPipeError):
            process.stdin.close()
        process.wait()
