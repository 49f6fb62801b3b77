"""Who is really there: by locks, tokens and deeds, looked up and never written by who looks."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from hansard.app.application import Application
from hansard.app.bounded import caller_with
from hansard.app.tokens import WantedToken, create, revoke
from hansard.kernel.event import Actor, Stamp
from hansard.kernel.liveness_lock import Lifeline
from hansard.kernel.operation import Caller, Seat
from hansard.kernel.problem import Problem
from hansard.kernel.session_holder import Holder
from tests.conftest import OpenApp, SteppingClock, a_caller

ADMIN = Stamp(Actor("human", "maria", "admin"), "2026-01-02T03:04:05.000000Z")


class Chat:
    """One process with a chat in it, whose lock can be dropped as if it had been killed."""

    def __init__(self, app: Application, name: str = "claude-code", **more: Any) -> None:
        self.app = app
        self.lifeline = Lifeline()
        self.seat = Seat(adopts=True)
        holder = Holder(via="stdio", owner=self.lifeline.name, client=name, version="2.1")
        self.caller = Caller(
            Actor("agent", name, "agent"),
            seat=self.seat,
            holder=holder,
            lifeline=self.lifeline,
            **more,
        )

    def ask(self, operation: str, **arguments: Any) -> dict[str, Any]:
        answer = self.app.call(operation, arguments, self.caller)
        return answer.model_dump(mode="json", exclude_none=True)

    def create(self, title: str = "Title", **more: Any) -> str:
        record = {"type": "task", "title": title, "summary": "s", "body": "b"}
        return str(self.ask("create_record", **record | more)["record"]["id"])

    def session(self) -> str:
        return self.seat.sessions["default"]

    def kill(self) -> None:
        self.lifeline.drop()

    def end(self) -> None:
        self.app.leave(self.seat, self.lifeline)
        self.lifeline.drop()


def listed(app: Application, session: str) -> dict[str, Any]:
    answer = app.call("list_sessions", {}, a_caller(seat=False)).model_dump(exclude_none=True)
    [found] = [one for one in answer["sessions"] if one["session_id"] == session]
    return dict(found)


def status(app: Application, session: str) -> str:
    return str(listed(app, session)["status"])


def pass_by(clock: SteppingClock, **span: float) -> None:
    clock.now += timedelta(**span)


def kinds(app: Application) -> list[str]:
    entries = app.store.read("default", lambda tx: tx.entries(limit=1000))
    return [entry.kind.split(".")[1] for entry in entries]


@pytest.mark.holds("ALL-01.24")
def test_a_session_is_active_then_idle_and_still_there(
    app: Application, clock: SteppingClock
) -> None:
    chat = Chat(app)
    chat.create()
    session = chat.session()

    at_first = status(app, session)
    pass_by(clock, minutes=16)
    later = status(app, session)
    pass_by(clock, days=3)

    assert (at_first, later, status(app, session)) == ("active", "idle", "idle")


@pytest.mark.holds("ALL-01.24")
def test_a_crash_is_noticed_by_the_lock_and_nothing_is_written(
    app: Application, open_app: OpenApp
) -> None:
    chat = Chat(app)
    chat.create()
    chat.kill()
    before = app.store.engine.heads()

    seen = [status(one, chat.session()) for one in (app, open_app())]

    assert seen == ["away", "away"]
    assert app.store.engine.heads() == before


def test_a_process_that_ends_in_order_ends_its_own_session(app: Application) -> None:
    chat, other = Chat(app), Chat(app)
    record = chat.create()
    chat.end()

    assert status(app, chat.session()) == "ended"
    assert "conflict" not in other.ask("activate", id=record)
    assert other.ask("get_active_sessions", record_id=record)["total"] == 1
    assert "warnings" not in other.ask("activate", id=record)["context"]


def test_a_process_that_did_nothing_leaves_nothing(app: Application) -> None:
    chat = Chat(app)
    chat.ask("get_project_overview")
    with pytest.raises(Problem):
        chat.ask("activate", id="R999")
    before = app.store.engine.heads()

    chat.end()

    assert app.store.engine.heads() == before


@pytest.mark.holds("ALL-01.26")
def test_an_ended_session_that_is_named_again_goes_on_without_loss(app: Application) -> None:
    chat = Chat(app)
    record = chat.create()
    session = chat.session()
    chat.end()
    other = Chat(app, "cursor")

    other.ask("update_record", session_id=session, id=record, title="Went on")

    found = listed(app, session)
    assert (found["status"], found["by"]) == ("active", "agent:cursor")
    assert found["active_records"] == [record]


def test_a_named_session_is_away_and_then_back(app: Application) -> None:
    first = Chat(app, default_session="main")
    record = first.create()
    first.end()
    between = status(app, "main")
    second = Chat(app, default_session="main")

    second.ask("update_record", id=record, title="Back")

    assert (between, status(app, "main")) == ("away", "active")
    assert kinds(app).count("session_started") == 1
    assert kinds(app).count("session_joined") == 1


def test_each_process_joins_a_session_once(app: Application) -> None:
    chats = [Chat(app, default_session="main") for _ in range(3)]
    for number in range(4):
        for chat in chats:
            chat.create(str(number))

    assert kinds(app).count("session_joined") == 2
    for chat in chats[1:]:
        chat.kill()
    assert status(app, "main") == "active"
    chats[0].kill()
    assert status(app, "main") == "away"


def test_who_comes_without_a_lock_is_there_by_what_it_does(
    app: Application, clock: SteppingClock
) -> None:
    hook = Caller(Actor("agent", "claude-code", "agent"), holder=Holder(via="hook"), session="h")
    app.call("audit_event", {"type": "note", "description": "x"}, hook)

    seen = [status(app, "h")]
    for minutes in (16, 120):
        pass_by(clock, minutes=minutes)
        seen.append(status(app, "h"))

    assert seen == ["active", "idle", "away"]


def test_a_token_that_ended_leaves_its_sessions_away(app: Application) -> None:
    made, _ = create(app.store, WantedToken("agent", "ci"), ADMIN)
    caller = caller_with(made, session="by-token")
    app.call("audit_event", {"type": "note", "description": "x"}, caller)
    before = status(app, "by-token")

    revoke(app.store, made.id, ADMIN)

    assert (before, status(app, "by-token")) == ("active", "away")


def test_a_closed_session_and_one_of_an_older_program_have_a_status(
    app: Application, clock: SteppingClock
) -> None:
    older = a_caller()
    app.call("audit_event", {"type": "note", "description": "x"}, older)
    [session] = older.seat.sessions.values() if older.seat else []

    seen = [status(app, session)]
    pass_by(clock, hours=3)
    seen.append(status(app, session))
    app.call("close_session", {"session_id": session}, a_caller())

    assert [*seen, status(app, session)] == ["active", "away", "ended"]


def test_who_ends_a_session_of_another_does_not_join_it(app: Application) -> None:
    chat, other = Chat(app), Chat(app, "cursor")
    chat.create()

    other.ask("close_session", session_id=chat.session())

    [found] = other.ask("list_sessions")["sessions"]
    assert (found["status"], found["by"]) == ("ended", "agent:claude-code")
    assert "session_joined" not in kinds(app)


def test_the_whole_session_can_be_read(app: Application) -> None:
    chat = Chat(app)
    chat.ask("record_session_start", title="Fix the parser", user_message="Please")
    record = chat.create()
    branch = chat.ask("branch_session")["session"]["id"]

    found = listed(app, chat.session())
    seen = chat.ask("get_project_overview")["open_sessions"][-1]

    assert found["title"] == seen["title"] == "Fix the parser"
    assert found["by"] == seen["by"] == "agent:claude-code"
    assert found["client"] == seen["client"] == "claude-code 2.1"
    assert found["active_records"] == [record]
    assert {"created", "last_activity", "last_sync_tick", "tick_gap", "project_id"} <= set(found)
    assert listed(app, branch)["parent_session"] == chat.session()


@pytest.mark.parametrize(
    ("leave", "said"),
    [
        (lambda *_: None, "conflict"),
        (lambda _, clock: pass_by(clock, minutes=20), "note"),
        (lambda chat, _: chat.kill(), "note"),
        (lambda chat, _: chat.end(), None),
        (lambda chat, _: chat.ask("close_session"), None),
    ],
    ids=["active", "idle", "away", "ended", "closed"],
)
def test_a_warning_is_as_strong_as_somebody_is_there(
    app: Application,
    clock: SteppingClock,
    leave: Callable[[Chat, SteppingClock], object],
    said: str | None,
) -> None:
    chat, mine = Chat(app), Chat(app, "cursor")
    chat.ask("record_session_start", title="Fix the parser", user_message="Please")
    record = chat.create()
    leave(chat, clock)

    answer = mine.ask("activate", id=record)

    warnings = answer["context"].get("warnings", [])
    assert [one["type"] for one in warnings] == ([said] if said else [])
    assert ("conflict" in answer) == (said == "conflict")
    if said:
        assert 'claude-code\'s session "Fix the parser"' in warnings[0]["message"]
        assert ("Ask the user" in warnings[0]["message"]) == (said == "conflict")


def test_who_was_acknowledged_stays_quiet_and_who_comes_later_does_not(app: Application) -> None:
    first, mine, late = Chat(app), Chat(app, "cursor"), Chat(app, "codex")
    record = first.create()
    mine.ask("activate", id=record, override=True)
    quiet = mine.ask("activate", id=record)

    late.ask("activate", id=record)

    flagged = mine.ask("activate", id=record)["conflict"]
    assert "conflict" not in quiet
    assert (flagged["session_id"], flagged["by"]) == (late.session(), "agent:codex")
    assert "others" not in flagged


def test_a_conflict_says_how_many_more_there_are(app: Application) -> None:
    others = [Chat(app, f"host-{number}") for number in range(3)]
    record = others[0].create()
    for other in others[1:]:
        other.ask("activate", id=record, override=True)

    conflict = Chat(app).ask("activate", id=record)["conflict"]

    assert (conflict["by"], conflict["others"]) == ("agent:host-2", 2)


def test_a_branch_that_nobody_is_in_keeps_nobody_from_working(app: Application) -> None:
    chat, mine = Chat(app), Chat(app, "cursor")
    record = chat.create()
    chat.ask("branch_session")
    chat.end()

    answer = mine.ask("activate", id=record)

    assert "conflict" not in answer
    assert [one["type"] for one in answer["context"]["warnings"]] == ["note"]


def test_the_past_is_told_by_what_was_done_until_then(
    app: Application, clock: SteppingClock
) -> None:
    chat = Chat(app)
    chat.create()
    seq = app.store.engine.heads()["default"].seq
    chat.end()
    pass_by(clock, days=2)

    overview = Chat(app).ask("get_project_overview", as_of=f"s:{seq}")

    assert [one["status"] for one in overview["open_sessions"]] == ["active"]


def test_history_and_activity_name_who_did_it(app: Application) -> None:
    chat, other = Chat(app), Chat(app, "cursor")
    record = chat.create()
    other.ask("activate", id=record, override=True)
    other.ask("update_record", id=record, title="Mine")

    history = other.ask("get_record_history", id=record)["history"]
    activity = other.ask("get_recent_activity")["activity"]
    text = app.call("get_record_history", {"id": record}, other.caller).text()

    assert [one["author"] for one in history] == ["agent:cursor", "agent:claude-code"]
    assert {one["author"] for one in activity} == {"agent:cursor", "agent:claude-code"}
    assert "agent:cursor" in text


def test_a_rebuilt_view_says_the_same_of_every_session(app: Application) -> None:
    chats = [Chat(app), Chat(app, "cursor"), Chat(app, default_session="main")]
    for chat in chats:
        chat.create()
    chats[0].end()
    chats[1].ask("close_session")
    caller = a_caller(seat=False)
    before = app.call("list_sessions", {}, caller).model_dump()

    app.store.rebuild("default")

    assert app.call("list_sessions", {}, caller).model_dump() == before


@pytest.mark.holds("ALL-01.27")
class TestOpeningByName:
    """On stdio a session that is opened by naming it is where what follows belongs."""

    def test_what_follows_belongs_to_the_session_that_was_opened(self, app: Application) -> None:
        chat = Chat(app)
        chat.ask("record_session_start", session_id="fix", title="T", user_message="u")

        plan = chat.ask("record_plan", steps=["one"])
        chat.create()
        ended = chat.ask("record_session_end")

        assert (plan["session_id"], ended["session_id"]) == ("fix", "fix")
        assert len(chat.ask("list_sessions")["sessions"]) == 1

    def test_the_one_named_last_is_current_and_then_there_is_none(self, app: Application) -> None:
        chat = Chat(app)
        own = chat.ask("audit_event", type="note", description="x")["session_id"]
        chat.ask("workflow_checkpoint_save", sessionId="one", context={"a": 1})
        chat.ask("workflow_checkpoint_save", sessionId="two", context={"a": 1})

        in_two = chat.ask("audit_event", type="note", description="x")["session_id"]
        chat.ask("close_session")
        after = chat.ask("audit_event", type="note", description="x")["session_id"]

        assert in_two == "two"
        assert after not in ("one", "two", own)

    def test_it_counts_before_the_settings_but_not_before_the_request(
        self, app: Application
    ) -> None:
        chat = Chat(app, default_session="configured")
        note = {"type": "note", "description": "x"}
        before = chat.ask("audit_event", **note)["session_id"]
        chat.ask("record_session_start", session_id="fix", title="T", user_message="u")

        opened = chat.ask("audit_event", **note)["session_id"]
        along = app.call("audit_event", note, replace(chat.caller, session="along"))
        chat.ask("close_session")
        after = chat.ask("audit_event", **note)["session_id"]

        assert (before, opened, after) == ("configured", "fix", "configured")
        assert along.model_dump()["session_id"] == "along"

    def test_a_refused_call_opens_nothing(self, app: Application) -> None:
        chat = Chat(app)
        own = chat.ask("audit_event", type="note", description="x")["session_id"]
        other = Chat(app)
        other.ask("record_session_start", session_id="taken", title="T", user_message="u")

        with pytest.raises(Problem):
            chat.ask("record_session_start", session_id="taken", title="T", user_message="u")
        with pytest.raises(Problem):
            chat.ask("activate", session_id="taken", id="R999")

        assert chat.ask("audit_event", type="note", description="x")["session_id"] == own

    def test_looking_at_a_session_does_not_open_it(self, app: Application) -> None:
        chat, other = Chat(app), Chat(app)
        record = other.create()
        chat.ask("activate", session_id=other.session(), id=record, as_of="t:1")
        chat.ask("get_timeline", session_id=other.session())

        assert chat.ask("audit_event", type="note", description="x")["session_id"] != (
            other.session()
        )

    def test_each_project_has_its_own(self, app: Application) -> None:
        chat = Chat(app)
        chat.ask("create_project", id="other", name="Other")
        note = {"type": "note", "description": "x"}
        started = {"title": "T", "user_message": "u"}
        chat.ask("record_session_start", session_id="here", **started)
        chat.ask("record_session_start", session_id="there", project_id="other", **started)

        assert chat.ask("audit_event", **note)["session_id"] == "here"
        assert chat.ask("audit_event", project_id="other", **note)["session_id"] == "there"

    def test_a_process_of_many_chats_does_not_adopt(self, app: Application) -> None:
        library = a_caller()
        app.call("workflow_checkpoint_save", {"sessionId": "wf", "context": {"a": 1}}, library)

        noted = app.call("audit_event", {"type": "note", "description": "x"}, library)

        assert noted.model_dump()["session_id"] != "wf"
