"""A chat that is new to a project is told where the others left off."""

from typing import Any

import pytest

from hansard.app import session_summary
from hansard.app.application import Application
from hansard.recorder.events import FileOpAborted, FileOpIntended
from hansard.records.limits import CHARS_PER_TOKEN
from tests.conftest import a_caller
from tests.records.chats import Chat

DECISION = {"title": "Use queues", "target": "queue", "rationale": "They survive restarts"}


def left_off(app: Application) -> Chat:
    """Work as a chat does that then ends."""
    chat = Chat(app)
    chat.ask("record_session_start", title="Fix the parser", user_message="It is slow")
    chat.create("Why slow?")
    chat.ask("record_decision", **DECISION)
    chat.ask("propose_decision", **DECISION | {"title": "Use one queue", "target": "queues"})
    chat.ask("workflow_checkpoint_save", context={"plan": 1}, metadata={"name": "half-way"})
    chat.ask("close_session", summary="Found the loop; the fix is next")
    return chat


def test_an_overview_says_who_was_here_last_what_holds_what_waits_and_where_to_go_on(
    app: Application,
) -> None:
    left_off(app)

    overview = Chat(app).ask("get_project_overview")

    last = overview["last_session"]
    assert (last["title"], last["said"]) == ("Fix the parser", "Found the loop; the fix is next")
    assert last["by"] == "agent:test-agent"
    assert [one["title"] for one in overview["decisions"]] == ["Use queues"]
    assert [one["title"] for one in overview["proposals"]] == ["Use one queue"]
    assert overview["checkpoint"]["name"] == "half-way"
    assert overview["counts"]["decisions"] == overview["counts"]["proposals"] == 1


def test_what_the_last_session_did_is_told_in_five_lines_at_most(app: Application) -> None:
    chat = Chat(app)
    chat.ask("record_session_start", title="Fix the parser")
    chat.ask("record_plan", steps=["Find the loop", "Break it"])
    chat.ask("record_step", index=1)
    for number in range(5):
        chat.create(f"Finding {number}")
    chat.ask("record_decision", **DECISION)
    chat.ask("audit_event", type="question", description="Is it\nfast?")

    did = Chat(app).ask("get_project_overview")["last_session"]["did"]

    assert did == [
        "Step 2 of 2 begun: Break it",
        "Wrote R001 Finding 0, R002 Finding 1, R003 Finding 2 and 2 more",
        "Decided D001 Use queues",
        "Noted (question): Is it fast?",
    ]


def test_what_the_last_session_did_later_is_not_told_of_the_past(app: Application) -> None:
    chat = Chat(app)
    then = chat.ask("record_decision", **DECISION)["receipt"]["seq"]
    chat.create("Later")

    past = Chat(app).ask("get_project_overview", as_of=f"s:{then}")

    assert past["last_session"]["did"] == ["Decided D001 Use queues"]


def test_a_change_that_failed_is_not_told_as_done() -> None:
    def change(path: str) -> FileOpIntended:
        return FileOpIntended(
            workspace="w", path=path, action="edit", to=None, before=None, after=None, added=1,
            removed=0, revision=None, step=None, cites=[], restore=None, owner="o",
        )  # fmt: skip

    happened = [
        (1, change("a.py")),
        (2, FileOpAborted(intent=1, code="INTERRUPTED")),
        (3, change("b.py")),
        (4, change("b.py")),
    ]

    assert session_summary.lines(happened) == ["Changed b.py (2 edits)"]


def test_its_text_says_the_same_and_nothing_twice(app: Application) -> None:
    left_off(app)
    caller = a_caller()

    text = app.call("get_project_overview", {}, caller).text()

    for said in ("Fix the parser", "Found the loop", "Use queues", "Use one queue", "half-way"):
        assert said in text
    assert sum(line.startswith("[R001]") for line in text.splitlines()) == 1
    for noise in ("session_started", "activation", "session_closed"):
        assert noise not in text
    load = text[text.index("workflow_checkpoint_load") :].splitlines()[0]
    assert "C001" in load


def test_whoever_asks_is_not_told_of_themselves(app: Application) -> None:
    mine = Chat(app)
    mine.create("Alone")

    assert "last_session" not in mine.ask("get_project_overview")
    other = Chat(app).ask("get_project_overview")
    assert other["last_session"]["id"] == mine.session()


def test_nothing_is_said_of_what_there_is_not(app: Application) -> None:
    overview = Chat(app).ask("get_project_overview")

    assert not {"last_session", "checkpoint", "decisions", "proposals"} & overview.keys()


def test_what_holds_is_asked_of_the_past_too(app: Application) -> None:
    chat = Chat(app)
    first = chat.ask("record_decision", **DECISION)
    then = first["receipt"]["seq"]
    newer = DECISION | {"old_decision_ids": [first["decision_id"]], "title": "Use no queue"}
    chat.ask("supersede_decision", **newer)
    chat.ask("workflow_checkpoint_save", context={"plan": 1})

    past = Chat(app).ask("get_project_overview", as_of=f"s:{then}")
    now = Chat(app).ask("get_project_overview")

    assert [one["title"] for one in past["decisions"]] == ["Use queues"]
    assert [one["title"] for one in now["decisions"]] == ["Use no queue"]
    assert "checkpoint" not in past


@pytest.mark.parametrize("budget", [1_000, 2_000, 4_000])
def test_many_decisions_leave_room_for_the_rest_and_are_counted(
    app: Application, budget: int
) -> None:
    chat = Chat(app)
    for number in range(30):
        chat.ask("record_decision", **DECISION | {"target": f"t{number}", "title": "x" * 90})
        chat.create(f"Record {number}")

    answer: Any = app.call("get_project_overview", {"budget_tokens": budget}, Chat(app).caller)

    shown = answer.model_dump_json(exclude_none=True)
    assert len(shown) <= budget * CHARS_PER_TOKEN
    assert answer.open_records
    missing = {one.what: one.count for one in answer.omitted}
    assert missing["decisions"] == 30 - len(answer.decisions or ())
    assert "search_decisions" in answer.text()
