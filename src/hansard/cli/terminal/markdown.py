"""Renders Markdown on a terminal, safely."""

import io
import os
import re
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hansard.cli.terminal.output import ESCAPE
from hansard.cli.terminal.text import printable

if TYPE_CHECKING:
    from rich.markdown import Markdown

STYLED = re.compile(r"\x1b\[([\d;]*)m")
"""What the renderer sends to a terminal, having been told to make no links."""


STYLES = {"markdown.code": "cyan", "markdown.h1": "bold yellow", "markdown.h2": "bold yellow"}
"""For any background: the renderer's own black behind words is unreadable on white."""

UNSEEN = ["image", "reference", "html_block", "html_inline"]
"""What Markdown would hide. Nothing stored may be invisible to a reader."""


def is_drawn() -> bool:
    """Whether the output is a terminal; a pipe or a file gets the text as it is kept."""
    return sys.stdout.isatty()


def drawn(text: str, columns: int) -> Iterator[str]:
    """Draw Markdown within a number of columns, in colours unless these are unwanted.

    Hidden characters are written by their numbers before anything is made of them, so that each
    escape in what comes out is the renderer's own.
    """
    from rich.console import Console
    from rich.theme import Theme

    out = io.StringIO()
    is_coloured = not os.environ.get("NO_COLOR")
    console = Console(
        file=out,
        width=columns,
        force_terminal=is_coloured,
        color_system="standard" if is_coloured else None,
        legacy_windows=False,
        highlight=False,
        theme=Theme(STYLES),
        # Not what the environment of the person says: it could ask for links and wider colours.
        _environ={},
    )
    plain = "\n".join(printable(line.expandtabs(4)) for line in text.splitlines())
    console.print(_parsed(plain))
    for line in out.getvalue().rstrip("\n").split("\n"):
        yield _ours(line).rstrip()


def _parsed(text: str) -> "Markdown":
    from markdown_it import MarkdownIt
    from rich.markdown import Markdown

    made = Markdown(text, hyperlinks=False, code_theme="ansi_dark")
    parser = MarkdownIt("commonmark", {"html": False}).enable(["strikethrough", "table"])
    made.parsed = parser.disable(UNSEEN).parse(text)
    return made


def _ours(line: str) -> str:
    """Write the renderer's escapes as our own, one number to each."""
    return STYLED.sub(
        lambda found: "".join(f"{ESCAPE}[{one or 0}m" for one in found[1].split(";")), line
    )
