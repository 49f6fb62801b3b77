"""Splits a long text into chunks to embed: a conversation between its turns. Pure.

The vector of many turns is near to none of them. So a talk that was written down as one text is cut
into few turns at a time, and anything else only where a model can read no more at once.
"""

from collections.abc import Callable, Iterator
from itertools import islice

from hansard.kernel.transcript import turns_of

TURNS_PIECES_MAX = 48
"""About three short turns (ADR 62)."""

Pieces = Callable[[str], Iterator[int]]


def cut(text: str, pieces: Pieces, *, pieces_max: int, chunks_max: int) -> Iterator[list[int]]:
    """Give a text's pieces in chunks, as many as fill this many of the longest; one at least."""
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


def _filled(pieces: Iterator[int], pieces_max: int, chunks_max: int) -> Iterator[list[int]]:
    for number in range(chunks_max):
        chunk = list(islice(pieces, pieces_max))
        if number and not chunk:
            return
        yield chunk
