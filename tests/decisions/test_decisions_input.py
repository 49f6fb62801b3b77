"""What the decisions' operations take, and how they say what they do not."""

from typing import Any

import pytest

from tests.decisions.parties import OpenEngine, Party, on_one_engine, refused


@pytest.fixture
def open_engine() -> OpenEngine:
    return on_one_engine()


def test_consequences_can_be_one_text(bot: Party) -> None:
    made = bot.record(consequences="One writer at a time")

    assert bot.get(made)["decision"]["consequences"] == ["One writer at a time"]


@pytest.mark.holds("004-record_decision-2", "004-supersede_decision-2")
def test_a_rationale_is_long_enough_after_trimming(bot: Party) -> None:
    for short in ("x" * 9, f"  {'x' * 9}\n\n"):
        with refused("INVALID_INPUT"):
            bot.record(rationale=short)
    made = bot.record(rationale="x" * 10)
    with refused("INVALID_INPUT"):
        bot.supersede(made, rationale="x" * 14)

    assert bot.supersede(made, rationale="\u00fc" * 15) == "D002"


@pytest.mark.holds("DEC-supersede-7")
def test_superseding_nothing_is_refused_by_name(bot: Party) -> None:
    with refused("INVALID_INPUT") as problem:
        bot.supersede()

    assert "old_decision_ids" in problem.message


def test_no_argument_of_a_decision_can_reach_into_the_past(bot: Party) -> None:
    with refused("DECISION_NOT_FOUND"):
        bot.supersede("D001", target="db")  # which would be its own id

    made = bot.record()
    assert made == "D001"


def test_enforcement_goes_with_files_only(bot: Party) -> None:
    with refused("INVALID_INPUT"):
        bot.record("db", enforcement="block")
    with refused("INVALID_INPUT"):
        bot.record("path:src/", enforcement="forbid")

    made = bot.record("path:src/", enforcement="block")
    assert bot.get(made)["decision"]["enforcement"] == "block"


@pytest.mark.parametrize("target", ["path:", "path: /../x", "path:../x", "path:a\\b"])
def test_a_glob_that_names_no_file_of_the_workspace_is_refused(bot: Party, target: str) -> None:
    with refused("INVALID_INPUT"):
        bot.record(target)


@pytest.mark.parametrize("cited", ["s:0", "s:999", f"s:{'9' * 40}"])
def test_a_cited_entry_must_exist(bot: Party, cited: str) -> None:
    with refused("INVALID_INPUT") as problem:
        bot.record(cites=[cited])

    assert "cites" in problem.message


def test_the_limits_are_said(bot: Party) -> None:
    too_much: list[tuple[str, Any, str]] = [
        ("title", "x" * 501, "500"),
        ("target", "x" * 501, "500"),
        ("rationale", "x" * 10_001, "10000"),
        ("consequences", ["x"] * 101, "100"),
        ("cites", ["R001"] * 101, "100"),
    ]

    for field, value, limit in too_much:
        with refused("INVALID_INPUT") as problem:
            bot.record(**{field: value})
        assert limit in problem.message


@pytest.mark.holds("ALL-00.6")
def test_the_tools_are_those_of_the_source_and_ours(bot: Party) -> None:
    [own] = [one for one in bot.app.catalog.capabilities if one.name == "decisions"]

    toolsets = {one.name: set(one.toolsets) for one in own.operations}
    expected: dict[str, set[str]] = {
        "record_decision": {"core", "default"},
        "supersede_decision": {"default"},
        "search_decisions": {"core", "default"},
        "accept_proposal": set(),
        "propose_decision": {"default"},
        "reject_proposal": set(),
        "get_decision": set(),
    }
    assert {name: toolsets[name] for name in expected} == expected
