"""The terminal as a screen: text width, single keys, and a full-screen page."""

import os
import select
import shutil
import sys
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from hansard.cli.terminal.output import ESCAPE

CUT = "…"
TAB_COLUMNS = 4

_OPEN = f"{ESCAPE}[?1049h{ESCAPE}[?25l"
_CLOSE = f"{ESCAPE}[?25h{ESCAPE}[?1049l"
_HOME = f"{ESCAPE}[H"
_CLEAR_LINE = f"{ESCAPE}[K"
_CLEAR_BELOW = f"{ESCAPE}[J"

_KEYS = {
    "\x1b[D": "left",
    "\x1bOD": "left",
    "\x1b[C": "right",
    "\x1bOC": "right",
    "\x1b[A": "up",
    "\x1bOA": "up",
    "\x1b[B": "down",
    "\x1bOB": "down",
    "\x1b[H": "home",
    "\x1bOH": "home",
    "\x1b[1~": "home",
    "\x1b[7~": "home",
    "\x1b[F": "end",
    "\x1bOF": "end",
    "\x1b[4~": "end",
    "\x1b[8~": "end",
    "\x1b[5~": "page-up",
    "\x1b[6~": "page-down",
    " ": "page-down",
    "\x1b": "escape",
}
"""The sequences that terminals send for special keys."""

_SEQUENCE_WAIT_S = 0.05
"""After an escape, how long the rest of a key may take to come."""

NextKey = Callable[[float], str | None]
"""Waits some seconds for a key; `None` if there was none, "" if no more can come."""


def is_screen() -> bool:
    """Whether someone sits here who can press keys and see them take effect."""
    is_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    return is_terminal and os.environ.get("TERM", "dumb") != "dumb"


def columns() -> int:
    """Say how wide lines may be."""
    return shutil.get_terminal_size().columns


def width(text: str) -> int:
    """Count the columns that a text takes."""
    return sum(_columns(char) for char in text)


def cut(text: str, columns_max: int) -> str:
    """Shorten a text to a number of columns, and show that it was."""
    if width(text) <= columns_max:
        return text
    kept, room = "", columns_max - 1
    for char in text:
        room -= _columns(char)
        if room < 0:
            break
        kept += char
    return kept + CUT


def draw(lines: list[str]) -> None:
    """Put lines on the screen from its top, in place of what was there."""
    body = f"{_CLEAR_LINE}\n".join(lines)
    sys.stdout.write(f"{_HOME}{body}{_CLEAR_LINE}{_CLEAR_BELOW}")
    sys.stdout.flush()


@contextmanager
def own_page() -> Iterator[NextKey]:
    """Take the screen, and restore it; gives what waits for keys."""
    import termios
    import tty

    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    try:
        tty.setcbreak(terminal)
        sys.stdout.write(_OPEN)
        yield _Keys(terminal)
    finally:
        sys.stdout.write(_CLOSE)
        sys.stdout.flush()
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)


class _Keys:
    """Keys as they are pressed."""

    def __init__(self, terminal: int) -> None:
        self._terminal = terminal
        self._typed = ""

    def __call__(self, timeout_s: float) -> str | None:
        if not self._typed and not self._read(timeout_s):
            return None
        if not self._typed:
            return ""
        if self._typed == "\x1b":
            self._read(_SEQUENCE_WAIT_S)
        for sequence, key in _KEYS.items():
            if self._typed.startswith(sequence):
                self._typed = self._typed[len(sequence) :]
                return key
        key, self._typed = self._typed[0], self._typed[1:]
        return key

    def _read(self, timeout_s: float) -> bool:
        """Read what was typed, if anything was within that time."""
        if not select.select([self._terminal], [], [], timeout_s)[0]:
            return False
        self._typed += os.read(self._terminal, 1024).decode(errors="replace")
        return True


def _columns(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
