"""Output for a person: their name, colours, progress, plain text."""

import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TextIO

from hansard.cli.terminal.output import ESCAPE

if TYPE_CHECKING:
    from hansard.kernel.event import Actor

_COLOURS = {"red": 31, "green": 32, "yellow": 33, "blue": 34, "cyan": 36, "grey": 90}

BEGIN_LINE = f"{ESCAPE}[G"
CLEAR_LINE = f"{ESCAPE}[K"

PROGRESS_MIN = 5_000
"""Work on fewer things than this is over before anyone could read the progress."""


COUNT_EVERY = 25
"""How many are done between two lines of progress."""


def actor() -> "Actor":
    """Say who uses the command line: a human only if both ends are a terminal.

    An agent has a shell too, but what it runs has pipes.
    """
    from hansard.app.local_user import login_name
    from hansard.kernel.event import Actor

    if sys.stdin.isatty() and sys.stdout.isatty():
        return Actor("human", login_name(), "admin")
    return Actor("agent", "cli", "agent")


def painter(stream: TextIO | None = None) -> Callable[[str, str], str]:
    """Build what colours text, or leaves it alone if nobody would see colours."""
    stream = stream or sys.stdout
    if not stream.isatty() or os.environ.get("NO_COLOR"):
        return lambda text, _: text
    return lambda text, colour: f"{ESCAPE}[{_COLOURS[colour]}m{text}{ESCAPE}[0m"


def printable(text: str) -> str:
    """Write stored text on one line, so that no character in it can act on the terminal."""
    return "".join(char if char.isprintable() else _escaped(char) for char in text)


def print_json(value: Any) -> None:
    """Print a value as one line of JSON."""
    import orjson

    print(orjson.dumps(value).decode())


def print_told(text: str, for_programs: object, *, json: bool) -> None:
    """Print what was done: in a sentence, or as JSON; at once, since more may take long."""
    if json:
        print_json(for_programs)
    else:
        print(printable(text), flush=True)


def show_progress(project: str, what: str, done: int, total: int) -> None:
    """Show the progress of long work on a terminal, always on the same line."""
    if total < PROGRESS_MIN or not sys.stderr.isatty():
        return
    end = BEGIN_LINE if done < total else f"{BEGIN_LINE}{CLEAR_LINE}"
    print(
        f"{CLEAR_LINE}{project}: {what} {done:,} of {total:,}", end=end, file=sys.stderr, flush=True
    )


def show_count(what: str, done: int) -> None:
    """Show on a terminal from time to time how many are done, if the total is unknown."""
    if done % COUNT_EVERY == 0 and sys.stderr.isatty():
        print(f"{CLEAR_LINE}{what} {done:,}", end=BEGIN_LINE, file=sys.stderr, flush=True)


def _escaped(char: str) -> str:
    return char.encode("unicode_escape").decode()
