"""Numbers the places of a statement, as the server wants it.

psycopg does so, too; but what has more than fifty places, as what a write sends, it takes apart
each time anew, which takes longer than all else that it does to send it.
"""

import itertools
import re
from functools import lru_cache

REMEMBERED_BYTES_MAX = 16 * 1024
"""A longer statement is taken apart each time: it inserts many rows, seldom twice as many."""

_PLACE = re.compile(rb"%([sb%])")


def numbered(statement: bytes) -> bytes:
    """Give a statement with `$1` and so on in place of each `%s` or `%b`."""
    if len(statement) <= REMEMBERED_BYTES_MAX:
        return _remembered(statement)
    return _numbered(statement)


def _numbered(statement: bytes) -> bytes:
    numbers = itertools.count(1)

    def place(found: re.Match[bytes]) -> bytes:
        return b"%" if found[1] == b"%" else b"$%d" % next(numbers)

    return _PLACE.sub(place, statement)


_remembered = lru_cache(maxsize=512)(_numbered)
