"""Detects contexts that a budget cut and that come back as if they were whole. Pure.

A view says what it left out, but saving it again would replace the whole: the next one to
load the session would find no more than the budget allowed.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from hansard.kernel import truncation

TELLTALE = truncation.TELLTALE.encode()
"""In the bytes of every context that may hold a text which was cut."""


def cut_keys(given: Mapping[str, Any], whole: Mapping[str, Any]) -> list[str]:
    """Name the keys in which a text is what a budget left of a text that was there."""
    return [
        key
        for key, value in given.items()
        if key in whole and value != whole[key] and _is_cut(value, whole[key])
    ]


def _is_cut(value: Any, whole: Any) -> bool:
    pieces = [piece for text in _texts(value) for piece in truncation.pieces(text)]
    if not pieces:
        return False
    by_length: defaultdict[int, list[str]] = defaultdict(list)
    for text in _texts(whole):
        by_length[len(text)].append(text)
    return any(
        text.startswith(head) and text.endswith(tail)
        for head, missing, tail in pieces
        for text in by_length[len(head) + missing + len(tail)]
    )


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _texts(inner)
