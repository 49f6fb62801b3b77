"""Merging and comparing texts."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hansard.records import limits
from hansard.records.merge import shorten, three_way, unified_diff

BASE = "one\ntwo\nthree\nfour\n"

TEXTS = st.lists(
    st.sampled_from(["a\n", "b\n", "c\n", "é\r\n", "\x01\x02\n", "d"]), max_size=6
).map("".join)


@pytest.mark.holds("REC-conflict-12")
def test_changes_of_different_lines_merge_cleanly() -> None:
    merged = three_way(BASE, BASE.replace("one", "ONE"), BASE.replace("four", "FOUR"))

    assert merged.is_clean
    assert merged.text == "ONE\ntwo\nthree\nFOUR\n"


@pytest.mark.holds("REC-conflict-13")
def test_changes_of_the_same_line_are_marked_with_whose_they_are() -> None:
    merged = three_way(BASE, BASE.replace("two", "theirs"), BASE.replace("two", "mine"))

    assert not merged.is_clean
    assert merged.text == (
        "one\n<<<<<<< stored\ntheirs\n=======\nmine\n>>>>>>> yours\nthree\nfour\n"
    )


@given(base=TEXTS, stored=TEXTS, yours=TEXTS)
@settings(max_examples=60, deadline=None)
def test_a_side_that_did_not_change_yields_to_the_other(base: str, stored: str, yours: str) -> None:
    assert three_way(base, base, yours).text == yours
    assert three_way(base, stored, base).text == stored
    assert three_way(base, stored, stored).text == stored
    assert three_way(base, stored, yours).is_clean == three_way(base, yours, stored).is_clean


def test_texts_too_long_to_compare_are_put_side_by_side() -> None:
    base, stored, yours = (f"{side}\n" * limits.DIFF_LINES_MAX for side in "bsy")

    merged = three_way(base, stored, yours)

    assert not merged.is_clean
    assert merged.text == f"<<<<<<< stored\n{stored}\n=======\n{yours}\n>>>>>>> yours\n"
    assert "too long" in unified_diff(base, stored)


def test_a_diff_is_unified_and_names_both_sides() -> None:
    diff = unified_diff("a\nb\n", "a\nc", was="t:1", now="t:2")

    assert diff == ("--- t:1\n+++ t:2\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n\\ No newline at end of file\n")
    assert unified_diff("same", "same") == ""


@given(old=TEXTS, new=TEXTS)
@settings(max_examples=60, deadline=None)
def test_a_diff_holds_every_removed_and_added_line(old: str, new: str) -> None:
    diff = unified_diff(old, new)

    assert (diff == "") == (old == new)
    removed = sum(line.startswith("-") for line in diff.split("\n")[2:])
    added = sum(line.startswith("+") for line in diff.split("\n")[2:])
    assert added - removed == len(_lines(new)) - len(_lines(old))


def test_a_long_diff_says_nothing_that_the_texts_do_not() -> None:
    # libgit2 reads the texts while it writes the diff: they must still be there then.
    chance = random.Random(7)
    for _ in range(200):
        old, new = (
            "".join(f"{chance.randrange(20)} words of text\n" for _ in range(300)) for _ in "ab"
        )
        lines = unified_diff(old, new).split("\n")[2:]
        removed = {line[1:] for line in lines if line.startswith(("-", " "))}
        added = {line[1:] for line in lines if line.startswith(("+", " "))}
        assert removed <= set(old.split("\n"))
        assert added <= set(new.split("\n"))


def _lines(text: str) -> list[str]:
    return [line for line in text.split("\n") if line] if text else []


def test_a_long_diff_that_comes_along_is_cut_and_says_so() -> None:
    diff = unified_diff("", "x\n" * 10_000)

    cut = shorten(diff)

    assert len(cut) < limits.DIFF_SHOWN_CHARS_MAX + 100
    assert "get_record_diff" in cut
    assert shorten("short") == "short"
