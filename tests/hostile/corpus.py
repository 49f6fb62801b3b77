"""The corpus of hostile inputs, and which test each case is tried by."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

CASES: dict[str, dict[str, Any]] = {
    case["id"]: case
    for case in json.loads(
        (Path(__file__).with_name("cases") / "hostile_inputs.json").read_text(encoding="utf-8")
    )
}

VERDICTS = {
    "-32602": "INVALID_INPUT",
    "403": "PERMISSION_DENIED",
    "SESSION_NOT_FOUND (same text as unknown)": "SESSION_NOT_FOUND",
    "refused at write; reader stops at 1000 hops": "DECISION_NOT_ACTIVE",
    "ignored / -32602: role comes from the connection": "INVALID_INPUT",
}
"""What the corpus calls a refusal, by what ours is called."""

BY_THE_CONTRACT = {"G-03": "DECISION_NOT_FOUND"}
"""Where the contract has another code: ids are opaque, so none is refused for its form."""


def verdict(identifier: str) -> str:
    """Give our code for the refusal that a case expects."""
    return BY_THE_CONTRACT.get(identifier) or VERDICTS[CASES[identifier]["expect"]]


HELD_ELSEWHERE = {
    "G-07": "tests/decisions/test_git_pages.py::test_no_text_forges_any_part_of_a_commit",
    "G-13": "tests/decisions/test_git_trouble.py::test_a_lock_left_by_a_dead_process_is_removed",
    "R-11": "tests/decisions/test_decisions_attacks.py"
    "::test_a_chain_in_which_a_person_decided_stays_closed_to_agents",
    "R-13": "tests/decisions/test_decisions_proposals.py"
    "::test_a_clock_set_back_never_shortens_the_window",
    "C-07": "tests/checkpoints/test_checkpoint_storage.py"
    "::test_beyond_a_quota_nothing_is_stored_not_even_in_part",
}
"""What needs a clock, a lock, a person or a quota that no agent on a wire can bring about."""

TRIED: set[str] = set()
"""The cases that tests in this folder say they try."""

Test = TypeVar("Test", bound=Callable[..., None])


def case(*ids: str) -> Callable[[Test], Test]:
    """Say of a test which cases it tries."""
    unknown = {*ids} - {*CASES}
    assert not unknown, unknown
    TRIED.update(ids)

    def same(test: Test) -> Test:
        return test

    return same
