"""Three-way merging: both changes stand, or the lines that clash are shown."""

from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hansard.recorder.contents.diffs import changed_regions, lines_of
from hansard.recorder.contents.merging import Decisions, Side, is_mergeable, merge

BASE = b"1\n2\n3\n4\n5\n"

LINES = st.lists(st.sampled_from([b"a\n", b"b\n", b"c\n", b"\n", b"d\r\n", b"\xff\n"]), max_size=12)
CONTENTS = st.builds(
    lambda lines, end: b"".join(lines) + end, LINES, st.sampled_from([b"", b"a", b"z"])
)


@pytest.mark.parametrize(
    ("mine", "theirs", "merged"),
    [
        (b"1\n2\n3\n4\nfive\n", b"one\n2\n3\n4\n5\n", b"one\n2\n3\n4\nfive\n"),
        (b"1\nTWO\n3\n4\n5\n", b"1\n2\nTHREE\n4\n5\n", b"1\nTWO\nTHREE\n4\n5\n"),
        (b"1\n2\nnew\n3\n4\n5\n", b"1\n3\n4\n5\n", b"1\nnew\n3\n4\n5\n"),
        (b"1\n2\n3\n4\n5\n6\n", b"0\n1\n2\n3\n4\n5\n", b"0\n1\n2\n3\n4\n5\n6\n"),
        (b"1\n2\n3\n4\n5", b"0\n2\n3\n4\n5\n", b"0\n2\n3\n4\n5"),
        (b"1\nX\n3\n4\n5\n", b"1\nX\n3\n4\n5\n", b"1\nX\n3\n4\n5\n"),
    ],
    ids=["apart", "neighbours", "insertion-beside-deletion", "ends", "last-line", "the-same"],
)
def test_changes_of_different_lines_both_stand(mine: bytes, theirs: bytes, merged: bytes) -> None:
    assert merge(BASE, mine, theirs).content == merged


@pytest.mark.parametrize(
    ("mine", "theirs", "line", "clash"),
    [
        (b"1\nX\n3\n4\n5\n", b"1\nY\n3\n4\n5\n", 2, (b"2\n", b"X\n", b"Y\n")),
        (b"0\n1\nX\n3\n4\n5\n", b"1\n3\n4\n5\n", 3, (b"2\n", b"X\n", b"")),
        (b"1\nX\n2\n3\n4\n5\n", b"1\nY\n2\n3\n4\n5\n", 2, (b"", b"X\n", b"Y\n")),
        (b"1\n2\nX\n3\n4\n5\n", b"1\n4\n5\n", 2, (b"2\n3\n", b"2\nX\n3\n", b"")),
    ],
    ids=["same-line", "edited-and-deleted", "two-insertions", "insertion-within-deletion"],
)
def test_changes_of_the_same_lines_clash(
    mine: bytes, theirs: bytes, line: int, clash: tuple[bytes, bytes, bytes]
) -> None:
    merged = merge(BASE, mine, theirs)

    [found] = merged.clashes
    assert merged.content is None
    assert (found.line, found.base, found.mine, found.theirs) == (line, *clash)


def test_a_side_that_is_taken_counts_only_where_lines_clash() -> None:
    mine, theirs = b"1\nX\n3\n4\nfive\n", b"one\nY\n3\n4\n5\n"

    assert merge(BASE, mine, theirs, Decisions("mine")).content == b"1\nX\n3\n4\nfive\n"
    assert merge(BASE, mine, theirs, Decisions("theirs")).content == b"one\nY\n3\n4\nfive\n"


def test_what_is_no_text_cannot_be_merged() -> None:
    assert not is_mergeable(b"a\n", b"\0", b"b\n")
    assert is_mergeable(b"a\n", b"\xff\n", b"")


@settings(deadline=None)
@given(CONTENTS, CONTENTS)
def test_regions_make_the_new_content_of_the_old(old: bytes, new: bytes) -> None:
    was, now = lines_of(old), lines_of(new)

    made, reached = [], 0
    for region in changed_regions(was, now):
        made += [*was[reached : region.start], *now[region.new_start : region.new_end]]
        reached = region.end

    assert b"".join([*made, *was[reached:]]) == new


@settings(deadline=None)
@given(CONTENTS, CONTENTS, CONTENTS)
def test_a_merge_leaves_one_change_as_it_is_and_decided_ones_never_clash(
    base: bytes, one: bytes, other: bytes
) -> None:
    assert merge(base, one, base).content == one
    assert merge(base, base, one).content == one
    assert merge(base, one, one).content == one
    for side in get_args(Side):
        assert merge(base, one, other, Decisions(side)).content is not None
    clean = merge(base, one, other).content
    assert clean is None or clean == merge(base, one, other, Decisions("mine")).content
    assert (clean is None) == bool(merge(base, one, other).clashes)


SLOTS = st.integers(min_value=1, max_value=9)


@settings(deadline=None)
@given(SLOTS, st.sets(SLOTS), st.sets(SLOTS))
def test_where_every_line_has_its_place_only_shared_runs_clash(
    count: int, mine: set[int], theirs: set[int]
) -> None:
    """Each line is unlike all others, so what is right can be said without looking for it."""
    base = [f"{place}\n" for place in range(count)]
    ours = [f"m{p}\n" if p in mine else line for p, line in enumerate(base)]
    other = [f"t{p}\n" if p in theirs else line for p, line in enumerate(base)]

    was, now, then = ("".join(lines).encode() for lines in (base, ours, other))
    merged = merge(was, now, then)

    places = set(range(count))
    if mine & theirs & places:
        assert merged.content is None
    else:
        expected = [other[p] if p in theirs else ours[p] for p in range(count)]
        assert merged.content == "".join(expected).encode()
