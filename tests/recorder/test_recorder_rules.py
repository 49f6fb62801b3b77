"""What a change makes of a file is decided from values alone."""

import base64
from typing import Any

import pygit2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from hansard.kernel.blob import Digest, digest_of
from hansard.kernel.limits import FILE_BYTES_MAX
from hansard.kernel.model_answer import SHORT_DIGITS
from hansard.kernel.problem import InvalidInput
from hansard.recorder import limits, rules
from hansard.recorder.contents import diffs
from hansard.recorder.contract import Edit, FileChange, FileOp
from hansard.recorder.problems import (
    FileChanged,
    FileExists,
    FileNotFound,
    FileTooLarge,
    Irreversible,
)
from hansard.recorder.workspace.states import FileState


def state(content: bytes) -> FileState:
    return FileState(content, digest_of(content), 0o644)


def change(action: str, **rest: Any) -> FileChange:
    return FileChange.model_validate({"path": "a", "action": action, **rest})


def test_creating_a_file_that_is_there_is_refused() -> None:
    with pytest.raises(FileExists):
        rules.plan_change(change("create", content="x"), state(b"old"))


def test_creating_over_a_file_is_an_edit_if_asked_for() -> None:
    plan = rules.plan_change(change("create", content="x", overwrite=True), state(b"old"))

    assert (plan.action, plan.after) == ("edit", b"x")


@pytest.mark.parametrize(
    "wanted",
    [change("edit", content="x"), change("delete"), change("move", to="b")],
    ids=["edit", "delete", "move"],
)
def test_what_is_missing_cannot_be_changed(wanted: FileChange) -> None:
    with pytest.raises(FileNotFound):
        rules.plan_change(wanted, None)


def test_a_move_does_not_replace_what_is_there() -> None:
    with pytest.raises(FileExists):
        rules.plan_change(change("move", to="b"), state(b"one"), state(b"two"))


@pytest.mark.parametrize("current", [state(b"other"), None])
def test_a_file_that_is_not_what_was_expected_is_left_alone(current: FileState | None) -> None:
    wanted = change("create", content="x", overwrite=True, expected_sha256=digest_of(b"old"))

    with pytest.raises(FileChanged):
        rules.plan_change(wanted, current)


def test_an_expected_digest_may_be_written_in_capitals() -> None:
    wanted = change("delete", expected_sha256=digest_of(b"old").upper())

    assert rules.plan_change(wanted, state(b"old")).action == "delete"


def test_an_expected_digest_may_be_the_digits_that_a_model_was_told() -> None:
    told = digest_of(b"old")[:SHORT_DIGITS]

    kept = rules.plan_change(change("delete", expected_sha256=told), state(b"old"))

    assert kept.action == "delete"
    with pytest.raises(FileChanged):
        rules.plan_change(change("delete", expected_sha256=told), state(b"other"))


@pytest.mark.parametrize("digits", [0, SHORT_DIGITS - 1, 65])
def test_fewer_digits_than_that_could_be_another_files(digits: int) -> None:
    with pytest.raises(ValidationError):
        change("delete", expected_sha256="a" * digits)


def test_edits_are_applied_one_after_the_other() -> None:
    edits = [Edit(old="b", new="bb"), Edit(old="bbc", new="d")]

    assert rules.apply_edits(b"abc", edits) == b"ad"


@pytest.mark.parametrize(
    ("content", "old", "how_often"),
    [
        (b"abc", "x", "nowhere"),
        (b"abab", "ab", "more than once"),
        (b"aaa", "aa", "more than once"),
        ("é".encode(), "e", "nowhere"),
    ],
    ids=["nowhere", "twice", "overlapping", "another-letter"],
)
def test_an_edit_must_match_exactly_once(content: bytes, old: str, how_often: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        rules.apply_edits(content, [Edit(old=old, new="y")])

    assert refused.value.details["argument"] == "edits.0.old"
    assert f"occurs {how_often}" in refused.value.message
    assert content.decode() not in refused.value.message


@pytest.mark.parametrize(
    ("content", "is_told"), [(b"a\r\nb\r\n", True), (b"a\r\nc\r\n", False), (b"a\nc\n", False)]
)
def test_a_refused_edit_is_told_that_the_files_lines_end_otherwise(
    content: bytes, *, is_told: bool
) -> None:
    with pytest.raises(InvalidInput) as refused:
        rules.apply_edits(content, [Edit(old="a\nb", new="y")])

    assert ("\\r\\n" in (refused.value.recovery_hint or "")) is is_told


@given(st.text(min_size=1), st.text(), st.text(), st.text())
def test_an_edit_changes_only_what_it_names(old: str, new: str, before: str, after: str) -> None:
    content = before + old + after
    if content.count(old) == 1 and content.find(old, content.find(old) + 1) < 0:
        assert rules.apply_edits(content.encode(), [Edit(old=old, new=new)]).decode() == (
            before + new + after
        )


def test_a_file_is_at_most_ten_mebibytes() -> None:
    fits = rules.plan_change(change("create", content="x" * FILE_BYTES_MAX), None)
    assert fits.after is not None

    with pytest.raises(FileTooLarge) as refused:
        rules.plan_change(change("create", content="x" * (FILE_BYTES_MAX + 1)), None)

    assert refused.value.details["limit_bytes"] == FILE_BYTES_MAX


@given(st.binary())
def test_base64_carries_any_bytes(content: bytes) -> None:
    text, encoding = rules.encoded(content, "base64")

    assert (rules.decoded(text, "base64"), encoding) == (content, "base64")


def test_what_is_not_base64_is_refused() -> None:
    with pytest.raises(InvalidInput):
        rules.decoded("not base64!", "base64")


def test_bytes_that_are_no_text_are_given_in_base64() -> None:
    assert rules.encoded(b"\xff") == (base64.b64encode(b"\xff").decode(), "base64")
    assert rules.encoded("é".encode()) == ("é", "utf-8")


A, B, C = (digest_of(text) for text in (b"a", b"b", b"c"))


@pytest.mark.parametrize(
    ("before", "after", "found", "verdict"),
    [
        (A, B, B, "done"),
        (A, B, A, "aborted"),
        (A, B, C, "conflict"),
        (A, B, None, "conflict"),
        (None, B, None, "aborted"),
        (A, None, None, "done"),
        (A, A, A, "done"),
    ],
)
def test_an_open_change_is_judged_by_what_is_there(
    before: Digest | None, after: Digest | None, found: Digest | None, verdict: str
) -> None:
    assert rules.judge(before, after, found) == verdict


@pytest.mark.parametrize(
    ("found", "at_target", "verdict"),
    [(None, A, "done"), (A, None, "aborted"), (A, A, "conflict"), (None, None, "conflict")],
)
def test_an_open_move_is_judged_by_what_is_there(
    found: Digest | None, at_target: Digest | None, verdict: str
) -> None:
    assert rules.judge_move(A, found, at_target) == verdict


@pytest.mark.parametrize(
    "arguments",
    [
        {"action": "create"},
        {"action": "edit"},
        {"action": "edit", "content": "x", "edits": [{"old": "a", "new": "b"}]},
        {"action": "create", "content": "x", "edits": [{"old": "a", "new": "b"}]},
        {"action": "move"},
        {"action": "move", "to": "b", "content": "x"},
        {"action": "edit", "content": "x", "to": "b"},
        {"action": "edit", "edits": []},
        {"action": "edit", "edits": [{"old": "", "new": "b"}]},
        {"action": "rename"},
        {"action": "delete", "expected_sha256": "abc"},
    ],
)
def test_arguments_that_do_not_fit_together_are_refused(arguments: dict[str, Any]) -> None:
    for model in (FileChange, FileOp):
        with pytest.raises(ValidationError):
            model.model_validate({"path": "a", **arguments})


def test_content_is_ignored_for_delete() -> None:
    assert change("delete", content="x").action == "delete"


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"path": "a"},
        {"ops": []},
        {"ops": [{"path": "a", "action": "delete"}], "path": "b"},
        {"ops": [{"path": "a", "action": "delete", "step": 1}]},
    ],
)
def test_a_call_names_one_change_or_many(arguments: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        FileOp.model_validate(arguments)


@given(st.lists(st.integers(0, 20), unique=True), st.lists(st.integers(0, 20), unique=True))
def test_as_many_lines_are_counted_as_git_would(old: list[int], new: list[int]) -> None:
    """Each line once: where lines repeat, Git gives up on the smallest diff at times, as we do."""
    was, now = ("".join(f"{line}\n" for line in lines).encode() for lines in (old, new))
    added, removed = diffs.line_counts(was, now)

    assert added - removed == len(new) - len(old)
    if was != now:
        assert added == pygit2.Patch.create_from(was, now).line_stats[1]


@given(st.lists(st.sampled_from("abcd")), st.lists(st.sampled_from("abcd")))
def test_lines_that_repeat_are_counted_so_that_the_sums_are_right(
    old: list[str], new: list[str]
) -> None:
    was, now = ("".join(f"{line}\n" for line in lines).encode() for lines in (old, new))
    added, removed = diffs.line_counts(was, now)

    assert added - removed == len(new) - len(old)
    assert max(0, len(new) - len(old)) <= added <= len(new)


def test_a_carriage_return_alone_ends_no_line() -> None:
    assert diffs.line_counts(b"a\rb\rc\n", b"a\rb\rd\n") == (1, 1)


def test_what_is_no_text_has_no_lines() -> None:
    assert diffs.line_counts(b"\0\n\n", b"\0\n") == (0, 0)
    assert "not text" in diffs.unified_diff(b"\0", b"\1\0", was="a", now="b")


def test_a_diff_names_both_sides_and_shows_hunks() -> None:
    diff = diffs.unified_diff(b"a\nb\n", b"a\nc\n", was="x revision 1", now="x revision 2")

    assert diff == "--- x revision 1\n+++ x revision 2\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"


@pytest.mark.parametrize(
    ("found", "mode", "verdict"),
    [(A, 0o755, "done"), (A, 0o644, "aborted"), (B, 0o755, "conflict"), (None, 0o755, "conflict")],
)
def test_only_the_content_as_it_was_tells_of_new_permissions(
    found: Digest | None, mode: int, verdict: str
) -> None:
    assert rules.judge_mode(A, 0o755, found, mode) == verdict


@pytest.mark.parametrize(("step", "steps"), [(0, 1), (2, 3)])
def test_a_step_of_the_plan_is_taken(step: int, steps: int) -> None:
    rules.require_step(step, steps)


@pytest.mark.parametrize(("step", "steps", "told"), [(3, 3, "0 to 2"), (0, 0, "not recorded")])
def test_a_step_that_the_plan_has_not_is_refused(step: int, steps: int, told: str) -> None:
    with pytest.raises(InvalidInput, match=told) as refused:
        rules.require_step(step, steps)

    assert refused.value.details["argument"] == "step"


def test_a_plan_grows_to_its_limit_and_no_further() -> None:
    rules.require_room(limits.STEPS_MAX - 2, 2)

    with pytest.raises(InvalidInput):
        rules.require_room(limits.STEPS_MAX - 2, 3)


def test_what_could_not_be_brought_back_is_let_go_only_if_the_caller_says_so() -> None:
    kept, lost = rules.reference(b"a", None, []), rules.reference(b"a", 0o644, ["a key"])

    assert (kept.blob, kept.sha256, kept.size, kept.redacted) == (A, None, 1, ())
    assert (lost.blob, lost.sha256, lost.mode, lost.redacted) == (None, A, 0o644, ("a key",))
    rules.require_reversible("x", None, "why", accepted=False)
    rules.require_reversible("x", kept, "why", accepted=False)
    rules.require_reversible("x", lost, "why", accepted=True)
    with pytest.raises(Irreversible) as refused:
        rules.require_reversible("x", lost, "why", accepted=False)
    assert refused.value.details == {"path": "x", "sha256": A}


def test_a_file_may_be_named_by_the_first_digits_of_its_digest() -> None:
    assert rules.is_digest_of(A, A)
    assert rules.is_digest_of(A[:8], A)
    assert not rules.is_digest_of(B[:8], A)
    assert not rules.is_digest_of(A, None)
