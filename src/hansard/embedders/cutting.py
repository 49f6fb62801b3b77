"""Where a long text is cut before it is embedded: a talk between its turns. Pure.

The vector of many turns is near to none of them. So a talk that was written down as one text is cut
into few turns at a time, and anything else only where a model can read no more at once.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

LINES_MIN = 4
"""A talk has so many turns at least, and half of its lines begin with who says them."""

TURNS_PIECES_MAX = 48
"""About three short turns (ADR 62)."""

_NAME = r"[^\W\d_][\w'.-]*(?: [^\W\d_][\w'.-]*){0,2}"
_SAYS = re.compile(rf"^\s*(?:[\[(][^\])\n]{{0,40}}[\])]\s*)?({_NAME})\s*(?:\([^)\n]{{0,40}}\))?:\s")
"""`Ana: …`, perhaps after a time in brackets."""

Pieces = Callable[[str], Iterator[int]]


def cut(text: str, pieces: Pieces, *, pieces_max: int, chunks_max: int) -> Iterator[list[int]]:
    """Give a text's pieces in chunks, as many as fill so many of the longest; one at least."""
    turns = turns_of(text)
    if not turns:
        yield from _filled(pieces(text), pieces_max, chunks_max)
        return
    left = pieces_max * chunks_max
    chunk: list[int] = []
    for turn in turns:
        said = list(islice(pieces(turn), min(pieces_max, left)))
        if chunk and len(chunk) + len(said) > TURNS_PIECES_MAX:
            yield chunk
            chunk = []
        chunk += said
        left -= len(said)
        if not left:
            break
    if chunk:
        yield chunk


def turns_of(text: str) -> Sequence[str]:
    """Give the turns of a talk, one of which may go on over lines; none if a text is no talk."""
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) < LINES_MIN:
        return ()
    who = [found[1] if (found := _SAYS.match(line)) else None for line in lines]
    said = [name for name in who if name]
    # Fields of a form have names before a colon too, but each its own.
    if len(said) < LINES_MIN or 2 * len(said) < len(lines) or 2 * len({*said}) > len(said):
        return ()
    turns: list[str] = []
    for name, line in zip(who, lines, strict=True):
        if name or not turns:
            turns.append(line)
        else:
            turns[-1] += f"\n{line}"
    return turns


def _filled(pieces: Iterator[int], pieces_max: int, chunks_max: int) -> Iterator[list[int]]:
    for number in range(chunks_max):
        chunk = list(islice(pieces, pieces_max))
        if number and not chunk:
            return
        yield chunk
