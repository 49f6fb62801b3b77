"""Mistyped words, answers within a budget, what contexts hold, and what comes before what."""

from typing import Any

import pytest

from hansard.app.application import Application
from hansard.app.search_answers import Thing, ThingsFoundAnswer
from hansard.kernel.blob import digest_of
from hansard.kernel.operation import Caller
from hansard.mcp.answers import succeeded
from tests.app.test_everything import found, one_of_each, said
from tests.app.test_redact import redact

REASONS = "Hammering a struggling service made outages longer."


def answer(app: Application, caller: Caller, query: str, **rest: Any) -> ThingsFoundAnswer:
    given = app.call("search", {"query": query, **rest}, caller)
    assert isinstance(given, ThingsFoundAnswer)
    return given


SLIPS = {
    "capaictor": {"capaictor": "capacitor"},
    "capacitr": {"capacitr": "capacitor"},
    "capaccitor": {"capaccitor": "capacitor"},
    "kapacitor": {"kapacitor": "capacitor"},
    "Capaictors hum": {"capaictors": "capacitor"},
    "blue capaictor": {"capaictor": "capacitor"},
}


def test_a_mistyped_word_finds_what_was_meant_and_it_is_said(
    app: Application, agent: Caller
) -> None:
    ids = one_of_each(app, agent)
    said(app, agent, "audit_event", type="note", description="a blue lantern")

    for asked, meant in SLIPS.items():
        given = answer(app, agent, asked)

        assert given.corrected == meant
        assert {*ids.values()} <= {thing.id for thing in given.results}
        [[word, instead]] = meant.items()
        told = succeeded(given)
        assert told.structured_content
        assert told.structured_content["corrected"] == meant
        assert f"{word} → {instead}" in given.text()


def test_a_russian_word_is_corrected_too(app: Application, agent: Caller) -> None:
    note = said(app, agent, "audit_event", type="note", description="Конденсатор гудит")

    given = answer(app, agent, "кондесатор")

    assert given.corrected == {"кондесатор": "конденсатор"}
    assert [thing.id for thing in given.results] == [f"s:{note['receipt']['seq']}"]


STANDING = "capacitor capacitors capac power logic zzyzx cat capaict0r the".split()


def test_what_is_there_or_is_a_word_or_is_like_nothing_stands(
    app: Application, agent: Caller
) -> None:
    one_of_each(app, agent)
    said(app, agent, "audit_event", type="note", description="the login tower cut")

    for asked in (*STANDING, "capaictor" * 5):
        assert answer(app, agent, asked).corrected is None, asked


def test_of_two_words_that_may_be_meant_the_usual_one_is_taken(
    app: Application, agent: Caller
) -> None:
    for text in ("a flarn", "a flarp", "the flarp", "flarps"):
        said(app, agent, "audit_event", type="note", description=text)

    assert answer(app, agent, "flarx").corrected == {"flarx": "flarp"}


def test_a_word_is_told_in_a_form_that_is_there(app: Application, agent: Caller) -> None:
    said(app, agent, "audit_event", type="note", description="The flarper flarps")

    # What is a slip away has the stem of what is there, and is itself not there.
    assert answer(app, agent, "flarsed").corrected == {"flarsed": "flarps"}
    assert answer(app, agent, "flarpde").corrected == {"flarpde": "flarps"}


def test_a_word_of_another_project_corrects_nothing(app: Application, agent: Caller) -> None:
    one_of_each(app, agent)
    said(app, agent, "create_project", id="other", name="Other")

    given = answer(app, agent, "capaictor", project_id="other")

    assert (given.corrected, given.results) == (None, [])


def test_pages_of_a_corrected_search_go_on(app: Application, agent: Caller) -> None:
    one_of_each(app, agent)
    whole = [thing.id for thing in found(app, agent, "capaictor", limit=100)]

    first = answer(app, agent, "capaictor", limit=4)
    second = answer(app, agent, "capaictor", limit=4, cursor=first.nextCursor)

    assert [thing.id for thing in (*first.results, *second.results)] == whole
    assert second.corrected


def test_an_answer_keeps_within_its_budget_and_says_what_it_left_out(
    app: Application, agent: Caller
) -> None:
    for number in range(12):
        said(app, agent, "audit_event", type="note", description=f"pump {number} " + "leaks " * 99)
    whole = [thing.id for thing in found(app, agent, "pump", limit=12, budget_tokens=100_000)]

    given = answer(app, agent, "pump", limit=12, budget_tokens=1_000)

    assert len(given.model_dump_json(exclude_none=True)) <= 4 * 1_000
    assert given.left_out == 12 - len(given.results) > 0
    assert f"{given.left_out} more on this page did not fit budget_tokens" in given.text()
    assert [thing.id for thing in given.results] == whole[: len(given.results)]
    paged = [*given.results]
    while given.nextCursor:
        given = answer(app, agent, "pump", limit=12, budget_tokens=1_000, cursor=given.nextCursor)
        paged += given.results
    assert [thing.id for thing in paged] == whole


def test_hidden_characters_in_what_was_found_are_told(app: Application, agent: Caller) -> None:
    said(app, agent, "audit_event", type="note", description="pump\u202e it \u200bup")

    given = answer(app, agent, "pump")

    # In the title and in the snippet.
    assert given.hidden_chars == {"bidi": 2, "zero_width": 2}
    assert "2 bidi, 2 zero_width" in given.text()
    assert answer(app, agent, "nothing of the kind").hidden_chars is None


@pytest.mark.parametrize("operation", ["search_records", "search_decisions"])
def test_hidden_characters_in_records_and_decisions_that_were_found_are_told(
    app: Application, agent: Caller, operation: str
) -> None:
    hidden = "Pump\u202e first"
    said(app, agent, "create_record", type="task", title=hidden, summary="", body="")
    said(app, agent, "record_decision", title=hidden, target="pump", rationale="It leaks a lot.")

    given: Any = app.call(operation, {"query": "pump"}, agent)

    assert {*given.hidden_chars} == {"bidi"}
    assert f"{given.hidden_chars['bidi']} bidi" in given.text()


def saved(app: Application, caller: Caller, **context: Any) -> str:
    made: str = said(app, caller, "workflow_checkpoint_save", context=context)["checkpointId"]
    return made


def checkpoints(app: Application, caller: Caller, query: str) -> list[Thing]:
    return found(app, caller, query, kinds=["checkpoint"])


def test_a_checkpoint_is_found_by_what_its_context_holds(app: Application, agent: Caller) -> None:
    made = saved(app, agent, plan={"steps": ["Drain the boiler", "Fit\nthe new valve"]}, left=7)

    [one] = checkpoints(app, agent, "new valve")

    assert (one.id, one.snippet) == (made, "plan.steps: the new valve")
    assert checkpoints(app, agent, "boiler valve")[0].id == made
    assert checkpoints(app, agent, "no such thing") == []


def test_of_a_session_the_latest_context_is_found_and_no_older_one(
    app: Application, agent: Caller
) -> None:
    saved(app, agent, plan="Drain the boiler")
    latest = saved(app, agent, plan="Fit the valve, then the boiler")

    assert [one.id for one in checkpoints(app, agent, "boiler")] == [latest]
    said(app, agent, "workflow_checkpoint_delete", checkpointId=latest)
    assert [one.snippet for one in checkpoints(app, agent, "boiler")] == ["plan: Drain the boiler"]


def test_what_was_erased_is_not_found_though_it_was_read_before(
    app: Application, agent: Caller
) -> None:
    said(app, agent, "file_op", action="create", path="a.txt", content="the hidden needle\n")
    assert found(app, agent, "hidden needle", kinds=["file"])

    redact(app, digests=(digest_of(b"the hidden needle\n"),))

    assert found(app, agent, "hidden needle", kinds=["file"]) == []


@pytest.mark.parametrize("query", ["retries", "retry", "retrying calls"])
def test_what_says_something_comes_before_what_is_only_called_so(
    app: Application, agent: Caller, query: str
) -> None:
    said(app, agent, "workflow_checkpoint_save", context={"n": 1}, metadata={"name": "retries"})
    said(app, agent, "file_op", action="create", path="retry/calls.py", content="x\n")
    decision = said(
        app, agent, "record_decision",
        title="Retry failed calls with backoff", target="clients", rationale=REASONS,
    )  # fmt: skip

    assert found(app, agent, query)[0].id == decision["decision_id"]


def test_a_name_or_a_path_that_is_asked_for_as_such_comes_first(
    app: Application, agent: Caller
) -> None:
    said(app, agent, "file_op", action="create", path="src/retry.py", content="x\n")
    said(app, agent, "audit_event", type="note", description="Look at src and retry the py tests")

    assert found(app, agent, "src/retry.py")[0].id == "path:src/retry.py"


def test_a_rejected_proposal_never_comes_before_a_decision_that_holds(
    app: Application, agent: Caller, human: Caller
) -> None:
    held = said(
        app,
        agent,
        "record_decision",
        title="Cool the pump",
        target="cooling",
        rationale="It runs hot.",
    )
    proposed = said(
        app, agent, "propose_decision",
        title="Paint the pump blue", target="paint", rationale="A blue pump, paint it blue.",
    )  # fmt: skip
    said(app, human, "reject_proposal", proposal_id=proposed["proposal_id"])

    ids = [one.id for one in found(app, agent, "paint the pump blue", kinds=["decision"])]

    assert ids.index(held["decision_id"]) < ids.index(proposed["proposal_id"])
