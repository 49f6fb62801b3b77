"""Steps through the revisions of a file with their diffs."""

import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress

from hansard.cli.terminal import screen
from hansard.cli.terminal.text import painter, printable
from hansard.recorder.answers import RevisionShown
from hansard.recorder.events import step_name

LOOK_S = 0.5
"""The time between two checks of the window's size."""

DIFF_COLOURS = {"+": "green", "-": "red", "@": "cyan", "(": "yellow"}
NAMES_LINES = 2
"""The heading of a diff, which is shown above it here anyway."""

FRAME_LINES = 5
"""Above and below the diff."""

HELP = "←/→ revision  ↑/↓ scroll  Home/End first/last  q quit"

KEYS = {"h": "left", "p": "left", "l": "right", "n": "right", "k": "up", "j": "down"} | {
    "g": "home",
    "G": "end",
    "escape": "q",
}
"""Alternative keys, as in vi."""

Diff = Callable[[int], str]
"""Gives what a revision changed."""


class RevisionCursor:
    """The position in a file's history, and its drawing; knows nothing of the terminal."""

    def __init__(self, path: str, revisions: Sequence[RevisionShown], diff: Diff) -> None:
        """Begin at the latest; revisions are given oldest first."""
        self._path = path
        self._revisions = revisions
        self._diff = diff
        self._place = len(revisions) - 1
        self._top = 0
        self._lines = self._read()

    def press(self, key: str, body_lines: int) -> bool:
        """Handle a key; says whether to continue."""
        key = KEYS.get(key, key)
        last = len(self._revisions) - 1
        moves = {"left": self._place - 1, "right": self._place + 1, "home": 0, "end": last}
        scrolls = {"up": -1, "down": 1, "page-up": -body_lines, "page-down": body_lines}
        if key in moves and 0 <= moves[key] <= last:
            self._place, self._top = moves[key], 0
            self._lines = self._read()
        elif key in scrolls:
            furthest = max(len(self._lines) - body_lines, 0)
            self._top = min(max(self._top + scrolls[key], 0), furthest)
        return key not in ("q", "")

    def frame(self, columns: int, body_lines: int) -> list[str]:
        """Draw it."""
        paint = painter()
        revision = self._revisions[self._place]
        shown = self._lines[self._top : self._top + body_lines]
        title = f"{self._path}  revision {revision.revision} of {self._revisions[-1].revision}"
        rest = len(self._lines) - self._top - len(shown)
        below = f"{rest} more lines below  " if rest > 0 else ""
        return [
            paint(screen.cut(printable(title), columns), "yellow"),
            screen.cut(printable(about(revision)), columns),
            paint("─" * columns, "grey"),
            *(coloured(screen.cut(plain(line), columns)) for line in shown),
            *[""] * (body_lines - len(shown)),
            paint("─" * columns, "grey"),
            paint(screen.cut(below + HELP, columns), "grey"),
        ]

    def _read(self) -> list[str]:
        diff = self._diff(self._revisions[self._place].revision)
        lines = diff.splitlines()
        return lines[NAMES_LINES:] if diff.startswith("--- ") else lines or ["(no difference)"]


def step_through(cursor: RevisionCursor) -> None:
    """Show revisions until the user quits."""
    with suppress(KeyboardInterrupt), screen.own_page() as next_key:
        drawn: list[str] = []
        is_going_on = True
        while is_going_on:
            size = shutil.get_terminal_size()
            body_lines = max(size.lines - FRAME_LINES, 1)
            frame = cursor.frame(size.columns, body_lines)
            if frame != drawn:
                screen.draw(frame)
                drawn = frame
            key = next_key(LOOK_S)
            is_going_on = key is None or cursor.press(key, body_lines)


def about(revision: RevisionShown) -> str:
    """Say in a line whose revision it is, and of what kind."""
    lines = f"+{revision.added} -{revision.removed}"
    notes = [f"{revision.source} {revision.action}", lines]
    notes += [] if revision.sha256 else ["no file"]
    notes += ["content not recorded"] if revision.redacted else []
    notes += [f"moved from {revision.other}"] if revision.other else []
    notes += [f"as {revision.path}"] if revision.path else []
    notes += [step_name(revision.index)] if revision.index is not None else []
    at = f"{revision.at[:10]} {revision.at[11:19]}"
    return f"s:{revision.seq} {at} {revision.actor}: {', '.join(notes)}"


def plain(line: str) -> str:
    """Make a line of content fit for a terminal."""
    return printable(line.expandtabs(screen.TAB_COLUMNS))


def coloured(line: str) -> str:
    """Give a line of a diff its colour."""
    colour = DIFF_COLOURS.get(line[:1])
    return painter()(line, colour) if colour else line
