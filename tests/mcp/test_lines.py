"""Lines come out whole however the bytes came in, and never more is held than allowed."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hansard.mcp.lines import Line, LineSplitter, TooLong
from hansard.mcp.messages import ID_SEARCH_BYTES, ID_TAIL_BYTES


def split(chunks: list[bytes], bytes_max: int) -> list[Line]:
    splitter = LineSplitter(bytes_max=bytes_max)
    lines = [line for chunk in chunks for line in splitter.feed(chunk)]
    return [*lines, *splitter.end()]


@settings(deadline=None)
@given(st.lists(st.binary(max_size=8)))
def test_lines_do_not_depend_on_how_the_bytes_arrive(chunks: list[bytes]) -> None:
    whole = b"".join(chunks)

    assert split(chunks, 1_000) == [line for line in whole.split(b"\n") if line.strip()]


def test_a_line_of_the_longest_size_is_kept_and_one_byte_more_is_not() -> None:
    line = b"a" * 100

    assert split([line, b"\n"], 100) == [line]
    assert split([line, b"a\n"], 100) == [TooLong(b"a" * 101, b"a" * 101)]


@pytest.mark.parametrize("chunk_bytes", [1_000, 65_536, 10_000_000])
def test_of_a_line_that_is_too_long_only_both_ends_are_kept(chunk_bytes: int) -> None:
    sent = b'{"id":1,' + b"x" * 2_000_000 + b"end}\nnext\n"
    chunks = [sent[at : at + chunk_bytes] for at in range(0, len(sent), chunk_bytes)]

    too_long, following = split(chunks, 1_000_000)

    assert isinstance(too_long, TooLong)
    assert too_long.head == sent[:ID_SEARCH_BYTES]
    assert too_long.tail == sent[: sent.index(b"\n")][-ID_TAIL_BYTES:]
    assert following == b"next"


def test_no_more_than_the_longest_line_is_held() -> None:
    splitter = LineSplitter(bytes_max=100_000)

    for _ in range(1_000):
        assert list(splitter.feed(b"x" * 1_000)) == []
        assert splitter.held_bytes <= 100_000 + 1_000


def test_blank_lines_are_left_out() -> None:
    assert split([b"\n \r\n\t\na\r\n\n"], 100) == [b"a\r"]
