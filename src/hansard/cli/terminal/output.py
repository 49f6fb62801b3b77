"""All output of commands passes here, so that no text can act on a terminal.

Light, since the stdio server's way leads past here.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO, cast

from hansard.kernel.hidden_characters import escape

ESCAPE = f"\ufdd0{os.urandom(8).hex()}\ufdd1"
"""Stands for the escape character when Hansard itself writes one. It is another one in each
process, so that no stored text can hold it."""


class Output:
    """A stream that writes hidden characters by their numbers."""

    def __init__(self, stream: TextIO) -> None:
        """Write to another stream."""
        self.stream = stream

    def write(self, text: str) -> int:
        """Write text; only what Hansard means as an escape is one."""
        self.stream.write("\x1b".join(map(escape, text.split(ESCAPE))))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        """Behave like the other stream otherwise."""
        return getattr(self.stream, name)


@contextmanager
def escaped_output() -> Iterator[None]:
    """Escape everything written in this block, so that nothing acts on a terminal."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (one and cast("TextIO", Output(one)) for one in before)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def write_exactly(text: str) -> None:
    """Write text as it is kept, for a file or a program; never call it for a terminal."""
    assert not sys.stdout.isatty(), "what is written exactly could act on the terminal"
    stream = getattr(sys.stdout, "stream", sys.stdout)
    stream.write(text)
