"""Merging and comparing texts."""

import random
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from hansard.records import limits
from hansard.records.text_merge import (
    LineRange,
    join,
    split_lines,
    three_way,
    unified_diff,
)

BASE = "one\ntwo\nthree\nfour\n"

TEXTS = st.lists(
    st.sampled_from(["a\n", "b\n", "c\n", "é\r\n", "\x01\x02\n", "d"]), max_size=6
).map("".join)


def merged(base: str, mine: str, theirs: str) -> str | None:
    return join(three_way(base, mine, theirs), mine, theirs)


def git_merged(base: str, mine: str, theirs: str) -> str | None:
    """Merge as Git does, to compare with."""
    with TemporaryDirectory() as folder:
        sides = []
        for name, text in (("mine", mine), ("base", base), ("theirs", theirs)):
            (Path(folder) / name).write_bytes(text.encode())
            sides.append(name)
        done = subprocess.run(
            ["git", "merge-file", "-p", *sides], cwd=folder, capture_output=True, check=False
        )
        return done.stdout.decode() if done.returncode == 0 else None


@pytest.mark.holds("REC-conflict-12")
def test_changes_of_different_lines_merge_cleanly() -> None:
    both = merged(BASE, BASE.replace("one", "ONE"), BASE.replace("four", "FOUR"))

    assert both == "ONE\ntwo\nthree\nFOUR\n"


@pytest.mark.holds("REC-conflict-13")
def test_changes_of_the_same_line_clash() -> None:
    mine, theirs = BASE.replace("two", "mine"), BASE.replace("two", "theirs")

    parts = three_way(BASE, mine, theirs)

    assert [part.kind for part in parts] == ["same", "clash", "same"]
    assert merged(BASE, mine, theirs) is None


@given(base=TEXTS, mine=TEXTS, theirs=TEXTS)
@settings(max_examples=300, deadline=None)
def test_the_parts_of_a_merge_cover_all_three_texts_in_order(
    base: str, mine: str, theirs: str
) -> None:
    parts = three_way(base, mine, theirs)

    for name, text in (("base", base), ("mine", mine), ("theirs", theirs)):
        lines, at = split_lines(text), 0
        for part in parts:
            side: LineRange = getattr(part, name)
            assert side.start == at, name
            at = side.end
        assert at == len(lines), name
        assert "".join(lines) == text


@given(base=TEXTS, mine=TEXTS, theirs=TEXTS)
@settings(max_examples=300, deadline=None)
def test_each_part_of_a_merge_is_of_its_kind(base: str, mine: str, theirs: str) -> None:
    for part in three_way(base, mine, theirs):
        was = part.base.of(split_lines(base))
        ours, others = part.mine.of(split_lines(mine)), part.theirs.of(split_lines(theirs))
        match part.kind:
            case "same":
                assert was == ours == others
            case "mine":
                assert was == others != ours
            case "theirs":
                assert was == ours != others
            case "both":
                assert ours == others != was
            case "clash":
                assert len({was, ours, others}) == 3


@given(base=TEXTS, mine=TEXTS, theirs=TEXTS)
@settings(max_examples=60, deadline=None)
def test_a_side_that_did_not_change_yields_to_the_other(base: str, mine: str, theirs: str) -> None:
    assert merged(base, base, theirs) == theirs
    assert merged(base, mine, base) == mine
    assert merged(base, mine, mine) == mine
    assert merged(base, mine, theirs) == merged(base, theirs, mine)


@given(base=TEXTS, mine=TEXTS, theirs=TEXTS)
@settings(max_examples=150, deadline=None)
def test_what_merges_without_a_clash_merges_as_in_git(base: str, mine: str, theirs: str) -> None:
    text = merged(base, mine, theirs)

    assume(text is not None)
    assert git_merged(base, mine, theirs) == text


def test_texts_too_long_to_compare_are_one_clash() -> None:
    base, mine, theirs = (f"{side}\n" * limits.DIFF_LINES_MAX for side in "bmt")

    [part] = three_way(base, mine, theirs)

    assert (part.kind, part.mine) == ("clash", LineRange(0, limits.DIFF_LINES_MAX))
    assert merged(base, mine, base) == mine
    assert "too long" in unified_diff(base, mine)


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
