"""The rules of records, on plain values."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hansard.kernel.blob import digest_of
from hansard.kernel.problem import InvalidInput, Problem
from hansard.records import contract, limits, rules
from hansard.records.shapes import STATES, State
from hansard.records.views import step, subtree
from hansard.sessions.contract import RecordNotFound
from hansard.sessions.rules import Staleness
from tests.records.chats import refused

BODY = digest_of(b"body")


def row(**changes: Any) -> dict[str, Any]:
    stored: dict[str, Any] = {
        "id": "R001",
        "type": "note",
        "title": "Title",
        "summary": "Summary",
        "body": BODY,
        "state": "OPEN",
        "parent_id": None,
        "resolved_by": None,
        "reason": None,
        "related": [],
        "metadata": {"a": 1},
        "cites": [],
        "depth": 1,
        "path": step("R001"),
        "tick": 7,
        "session": "someone",
    }
    return stored | changes


ALLOWED = {
    ("OPEN", "LATER"),
    ("OPEN", "RESOLVED"),
    ("OPEN", "DISCARDED"),
    ("LATER", "OPEN"),
    ("LATER", "DISCARDED"),
    ("RESOLVED", "OPEN"),
    ("DISCARDED", "OPEN"),
}


@pytest.mark.holds("REC-states-1", "REC-states-2")
@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("to_state", STATES)
def test_exactly_the_seven_arrows_of_the_source_are_allowed(state: State, to_state: State) -> None:
    reason = "because" if to_state in ("LATER", "DISCARDED") else None
    resolved_by = "R002" if to_state == "RESOLVED" else None
    request = contract.Transition(
        id="R001", to_state=to_state, reason=reason, resolved_by=resolved_by
    )

    if (state, to_state) in ALLOWED:
        event = rules.plan_transition(row(state=state), request)
        assert (event.from_state, event.to_state) == (state, to_state)
    else:
        with refused("INVALID_TRANSITION") as problem:
            rules.plan_transition(row(state=state), request)
        assert {(state, allowed) for allowed in problem.details["allowed"]} == {
            arrow for arrow in ALLOWED if arrow[0] == state
        }


@pytest.mark.parametrize(
    ("state", "reason", "resolved_by"),
    [
        ("LATER", None, None),
        ("DISCARDED", None, None),
        ("RESOLVED", None, None),
        ("RESOLVED", None, "R001"),
        ("OPEN", None, "R002"),
        ("LATER", "because", "R002"),
    ],
)
def test_a_state_without_what_it_needs_is_refused(
    state: State, reason: str | None, resolved_by: str | None
) -> None:
    with pytest.raises(InvalidInput):
        rules.check_state("R001", state, reason, resolved_by)


def test_an_update_names_only_what_differs() -> None:
    same = contract.UpdateRecord(id="R001", title="Title", metadata={"a": 1}, related=[])
    other = contract.UpdateRecord(id="R001", title="New", summary="Summary")

    assert rules.plan_update(row(), same, BODY) is None
    event = rules.plan_update(row(), other, None)
    assert event is not None
    assert event.model_dump(exclude_none=True) == {"id": "R001", "title": "New"}


def test_one_and_true_are_two_values() -> None:
    request = contract.UpdateRecord(id="R001", metadata={"a": True})

    event = rules.plan_update(row(), request, None)

    assert event is not None
    assert event.metadata == {"a": True}


def test_an_update_that_says_what_is_stored_is_none() -> None:
    same = contract.UpdateRecord(id="R001", title="Title")

    assert rules.plan_update(row(), same, None) is None


def test_metadata_is_merged_by_key_and_null_deletes() -> None:
    assert rules.merge_metadata({"a": 1, "b": 2}, {"b": None, "c": [None]}) == {"a": 1, "c": [None]}


def test_metadata_is_bounded_in_all() -> None:
    half = "x" * (limits.METADATA_BYTES_MAX // 2)

    with pytest.raises(InvalidInput):
        rules.merge_metadata({"a": half}, {"b": half})


@pytest.mark.parametrize("bad", [{"a\0": 1}, {"a": ["\0"]}, {"a": {"b": "\0"}}])
def test_metadata_holds_no_nul(bad: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="NUL"):
        contract.UpdateRecord(id="R001", metadata=bad)

    contract.UpdateRecord(id="R001", metadata={"written out": "\\u0000"})


def test_a_record_moves_neither_under_itself_nor_under_what_is_under_it() -> None:
    parent = row()
    child = row(id="R002", parent_id="R001", path=step("R001") + step("R002"), depth=2)

    for below in (parent, child):
        with pytest.raises(InvalidInput):
            rules.plan_move(parent, below, 2)
    assert rules.plan_move(child, None, 2) is not None
    assert rules.plan_move(parent, None, 2) is None


@pytest.mark.parametrize(("depth", "warned"), [(5, False), (6, True), (10, True)])
def test_depth_is_warned_of_beyond_five(depth: int, warned: bool) -> None:
    rules.check_depth(depth)

    assert bool(rules.depth_warnings(depth)) == warned


def test_depth_beyond_ten_is_refused() -> None:
    with refused("DEPTH_EXCEEDED"):
        rules.check_depth(11)


@pytest.mark.holds("REC-stale-1", "REC-stale-3", "000-session-6")
@pytest.mark.parametrize(
    ("gap", "level", "status"),
    [
        (0, "fresh", "active"),
        (9, "fresh", "active"),
        (10, "mild", "stale"),
        (49, "mild", "stale"),
        (50, "moderate", "stale"),
        (199, "moderate", "stale"),
        (200, "severe", "stale"),
    ],
)
def test_staleness_begins_at_its_thresholds(gap: int, level: str, status: str) -> None:
    assert Staleness().level(gap) == level
    assert Staleness().status(gap) == status


def test_a_closed_session_is_closed_however_fresh() -> None:
    assert Staleness().status(0, is_closed=True) == "closed"


@given(st.lists(st.integers(1, 10**9 - 1), min_size=1, max_size=10), st.integers(1, 10**9 - 1))
@settings(deadline=None)
def test_a_path_is_in_the_subtrees_of_its_beginnings_and_of_no_other(
    numbers: list[int], other: int
) -> None:
    path = "".join(step(f"R{number:03d}") for number in numbers)

    for count in range(1, len(numbers) + 1):
        beginning = path[: count * len(step("R001"))]
        span = subtree(beginning)
        assert str(span.at_least) <= path < str(span.below)
    elsewhere = subtree(step(f"R{other:03d}"))
    is_inside = str(elsewhere.at_least) <= path < str(elsewhere.below)
    assert is_inside == (other == numbers[0])


def test_a_conflict_is_judged_by_ticks_alone() -> None:
    with refused("CONFLICT") as problem:
        rules.check_base(row(tick=8), 7)

    assert (problem.details["base"], problem.details["version"]) == (7, 8)
    rules.check_base(row(tick=7), 7)


def test_every_refusal_of_the_source_has_its_code_and_a_hint() -> None:
    problems: list[type[Problem]] = [
        RecordNotFound,
        contract.NotActivated,
        contract.InvalidTransition,
        contract.ParentNotActivated,
        contract.Conflict,
        contract.DepthExceeded,
    ]

    assert all(problem.hint for problem in problems)
