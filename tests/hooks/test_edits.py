"""What a file held before a host's edit, put back from what the host says of it."""

import pytest

from hansard.hooks.edits import replaced_texts, unpatched
from hansard.recorder.contents.content_before import (
    UNKNOWN,
    Before,
    GitBlob,
    Replaced,
    find_before,
    taken_back,
)


@pytest.mark.parametrize(
    ("now", "hunks", "was"),
    [
        ("one\nTWO\n", [{"newStart": 1, "lines": [" one", "-two", "+TWO"]}], "one\ntwo\n"),
        ("one\r\nTWO\r\n", [{"newStart": 1, "lines": [" one", "-two", "+TWO"]}], "one\r\ntwo\r\n"),
        ("a\nb\n", [{"newStart": 2, "lines": [" b", "-c"]}], "a\nb\nc\n"),
        ("a\nc\n", [{"newStart": 1, "lines": ["-b"]}], "a\nb\nc\n"),
        (
            "x\n2\ny\n",
            [{"newStart": 1, "lines": ["-1", "+x"]}, {"newStart": 3, "lines": ["-3", "+y"]}],
            "1\n2\n3\n",
        ),
        ("other\n", [{"newStart": 1, "lines": [" one", "+TWO"]}], None),
        ("a", [{"newStart": 1, "lines": ["-b", "+a", "\\ No newline at end of file"]}], None),
        ("a\n", [], None),
        ("a\n", [{"lines": ["+a"]}], None),
        ("a\n", "garbage", None),
    ],
)  # fmt: skip
def test_lines_are_put_back_only_where_they_fit(now: str, hunks: object, was: str | None) -> None:
    assert unpatched(now, hunks) == was


@pytest.mark.parametrize(
    ("now", "edits", "was"),
    [
        (b"one TWO three\n", [Replaced("two", "TWO")], b"one two three\n"),
        (b"a B C\n", [Replaced("b", "B"), Replaced("c", "C")], b"a b c\n"),
        (b"TWO TWO\n", [Replaced("two", "TWO")], None),
        (b"gone\n", [Replaced("two", "")], None),
        (b"two TWO\n", [Replaced("two", "TWO")], None),
        (b"x y\n", [Replaced("", "x")], None),
        (b"nothing of it\n", [Replaced("two", "TWO")], None),
    ],
)
def test_texts_are_put_back_only_in_one_way(
    now: bytes, edits: list[Replaced], was: bytes | None
) -> None:
    assert taken_back(now, edits) == was


def test_what_was_recorded_or_is_in_git_counts_where_the_edits_agree_with_it() -> None:
    edits = [Replaced("two", "", everywhere=True)]
    now = b"one  three\n"
    git = [GitBlob("1", b"something else\n"), GitBlob("2", b"one two three\n")]

    as_recorded = find_before(now, edits, recorded=b"one two three\n", is_recorded=True, in_git=git)
    in_git = find_before(now, edits, recorded=b"another\n", is_recorded=True, in_git=git)
    unknown = find_before(now, edits, recorded=None, is_recorded=False, in_git=git[:1])

    assert as_recorded.is_as_recorded
    assert in_git == Before(b"one two three\n", git="2")
    assert unknown == UNKNOWN


def test_edits_of_a_file_with_other_line_ends_are_followed() -> None:
    edits = [Replaced("b\nc", "B\nC")]

    before = find_before(b"a\r\nB\r\nC\r\n", edits, recorded=None, is_recorded=False, in_git=[])

    assert before == Before(b"a\r\nb\r\nc\r\n")


@pytest.mark.parametrize(
    "told", [None, [], "x", [{"old_string": "a"}], [{"old_string": 1, "new_string": "b"}]]
)
def test_edits_that_make_no_sense_are_none(told: object) -> None:
    assert replaced_texts(told) is None
