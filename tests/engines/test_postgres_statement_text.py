"""The places of a statement are numbered as the server wants it, long statements and short ones."""

import pytest

from hansard.engines.postgres.statement_text import REMEMBERED_BYTES_MAX, numbered

LONG = REMEMBERED_BYTES_MAX


@pytest.mark.parametrize("padding", [0, LONG])
@pytest.mark.parametrize(
    ("given", "made"),
    [
        (b"SELECT 1", b"SELECT 1"),
        (b"VALUES (%s, %b, %s)", b"VALUES ($1, $2, $3)"),
        (b"SELECT 5 %% 2 WHERE a = %s", b"SELECT 5 % 2 WHERE a = $1"),
        (b"a LIKE 'x%%s' AND b = %s", b"a LIKE 'x%s' AND b = $1"),
    ],
)
def test_each_place_has_its_number(given: bytes, made: bytes, padding: int) -> None:
    more = b" " * padding

    assert numbered(given + more) == made + more
