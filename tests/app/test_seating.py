"""In which project and session a call runs."""

import pytest

from hansard.app.application import Application
from hansard.kernel.limits import ID_CHARS_MAX
from hansard.kernel.operation import Caller
from hansard.kernel.problem import InvalidInput
from hansard.sessions.contract import ProjectNotFound, SessionClosed, SessionNotFound
from tests.conftest import OpenApp, a_caller
from tests.toy import NoteTaken


def note(
    app: Application, caller: Caller, operation: str = "toy_note", **arguments: object
) -> NoteTaken:
    result = app.call(operation, {"text": "hello", **arguments}, caller)
    assert isinstance(result, NoteTaken)
    return result


@pytest.mark.holds("ALL-01.10")
def test_a_process_with_one_chat_has_one_session(app: Application) -> None:
    mine, other = a_caller(), a_caller()

    first, second = note(app, mine), note(app, mine)

    assert first.session_id == second.session_id
    assert note(app, other).session_id != first.session_id


@pytest.mark.holds("ALL-01.5", "ALL-01.11")
def test_without_a_seat_a_session_begins_and_its_id_is_returned(app: Application) -> None:
    http = a_caller(seat=False)

    begun = note(app, http)

    assert begun.session_id is not None
    assert note(app, http).session_id != begun.session_id
    assert note(app, http, "toy_go_on", session_id=begun.session_id).session_id == begun.session_id


@pytest.mark.holds("ALL-01.12", "000-errors-SESSION_NOT_FOUND")
def test_what_needs_a_session_is_refused_without_one(app: Application) -> None:
    with pytest.raises(SessionNotFound) as refused:
        note(app, a_caller(seat=False), "toy_go_on")

    assert "activate" in str(refused.value.recovery_hint)


@pytest.mark.holds("ALL-01.13", "ALL-01.8", "ALL-01.9")
def test_the_argument_goes_before_what_came_along_and_that_before_the_seat(
    app: Application, agent: Caller
) -> None:
    note(app, agent)
    named = note(app, a_caller(seat=False)).session_id
    with_both = Caller(agent.actor, session="from-outside", seat=agent.seat)

    assert note(app, with_both, session_id=named).session_id == named
    assert note(app, with_both).session_id == "from-outside"


@pytest.mark.holds("ALL-01.14", "000-notes-persistence-1")
def test_a_session_survives_a_restart(open_app: OpenApp) -> None:
    begun = note(open_app(), a_caller(seat=False)).session_id

    again = note(open_app(), a_caller(seat=False), "toy_go_on", session_id=begun)

    assert again.session_id == begun


@pytest.mark.holds("ALL-01.16")
@pytest.mark.parametrize(
    "unknown", ["nope", "default.0000000000", "S/1", "🙈", "a b", "@catalog.x"]
)
def test_an_unknown_id_of_any_form_is_not_found(app: Application, unknown: str) -> None:
    with pytest.raises(SessionNotFound):
        note(app, a_caller(), session_id=unknown)

    with pytest.raises(ProjectNotFound):
        note(app, a_caller(), project_id=unknown)


def test_a_chosen_id_begins_where_the_operation_says_so(app: Application) -> None:
    first = note(app, a_caller(), "toy_start", session_id="my chat")

    assert first.session_id == "my chat"
    assert note(app, a_caller(), "toy_go_on", session_id="my chat").tick == 2


@pytest.mark.holds(
    "ALL-02.1",
    "ALL-02.2",
    "ALL-02.3",
    "ALL-12.3",
    "000-create_project-4",
    "000-notes-default_project-2",
)
def test_the_project_is_the_named_then_the_sessions_then_the_configured_one(
    open_app: OpenApp, agent: Caller
) -> None:
    app = open_app(project="ours")
    app.call("create_project", {"id": "theirs", "name": "Theirs"}, agent)
    there = note(app, a_caller(), project_id="theirs")
    note(app, a_caller())

    assert note(app, a_caller(), "toy_go_on", session_id=there.session_id).tick == 2
    assert app.store.engine.heads()["theirs"].tick == 2
    assert app.store.engine.heads()["ours"].tick == 1


@pytest.mark.holds("ALL-01.15", "ALL-02.8")
def test_a_session_of_another_project_is_not_found_from_here(
    app: Application, agent: Caller
) -> None:
    app.call("create_project", {"id": "theirs", "name": "Theirs"}, agent)
    there = note(app, a_caller(), project_id="theirs").session_id

    with pytest.raises(SessionNotFound) as known:
        note(app, a_caller(), project_id="default", session_id=there)
    with pytest.raises(SessionNotFound) as unknown:
        note(app, a_caller(), project_id="default", session_id="x" * len(str(there)))

    assert known.value.message.replace(str(there), "") == unknown.value.message.replace(
        "x" * len(str(there)), ""
    )


def test_a_session_that_came_along_from_another_project_is_left_aside(
    app: Application, agent: Caller
) -> None:
    app.call("create_project", {"id": "theirs", "name": "Theirs"}, agent)
    here = note(app, a_caller()).session_id
    visiting = Caller(agent.actor, session=here)

    assert note(app, visiting, project_id="theirs").session_id != here


@pytest.mark.holds("ALL-02.14", "ALL-02.8")
def test_the_same_chosen_id_in_two_projects_is_two_sessions(open_app: OpenApp) -> None:
    ours, theirs = open_app(project="ours"), open_app(project="theirs")
    along = a_caller(seat=False, session="main")

    first, second = note(ours, along), note(theirs, along)
    note(ours, a_caller(seat=False), "toy_start", session_id="main")

    heads = ours.store.engine.heads()
    assert first.session_id == second.session_id == "main"
    assert (heads["ours"].tick, heads["theirs"].tick) == (2, 1)


@pytest.mark.holds("ALL-02.14")
def test_a_chosen_id_of_another_project_leads_nowhere(open_app: OpenApp) -> None:
    ours, theirs = open_app(project="ours"), open_app(project="theirs")
    note(ours, a_caller(), "toy_start", session_id="main")
    note(theirs, a_caller())

    for named in ({}, {"project_id": "theirs"}):
        with pytest.raises(SessionNotFound):
            note(theirs, a_caller(seat=False), "toy_go_on", session_id="main", **named)

    assert note(theirs, a_caller(), "toy_start", session_id="main").tick == 2
    assert ours.store.engine.heads()["ours"].tick == 1


@pytest.mark.holds("ALL-02.15")
def test_only_an_id_that_hansard_made_leads_to_its_project(open_app: OpenApp) -> None:
    ours, theirs = open_app(project="ours"), open_app(project="theirs")
    made = note(ours, a_caller(seat=False)).session_id
    along = a_caller(seat=False, session=made)

    led = note(theirs, a_caller(seat=False), "toy_go_on", session_id=made)
    came = note(theirs, along)

    assert (led.session_id, came.session_id) == (made, made)
    assert ours.store.engine.heads()["ours"].tick == 3
    assert "theirs" not in ours.store.engine.heads()


@pytest.mark.holds("ALL-02.15")
@pytest.mark.parametrize(
    "forged", ["ours.0123456789", "theirs.0123456789", "nowhere.aaaaaaaaaa", "x.9999999999"]
)
def test_an_id_of_the_made_form_cannot_be_chosen(open_app: OpenApp, forged: str) -> None:
    app, other = open_app(project="ours"), open_app(project="theirs")
    note(app, a_caller())
    note(other, a_caller())
    before = app.store.engine.heads()

    for operation in ("toy_start", "toy_note", "toy_go_on"):
        with pytest.raises(SessionNotFound):
            note(app, a_caller(), operation, session_id=forged)
    with pytest.raises(SessionNotFound):
        note(app, a_caller(seat=False, session=forged))

    assert app.store.engine.heads() == before


@pytest.mark.parametrize("near", ["x.012345678", "x.01234567890", "x.ABCDEFABCD", "é.0123456789"])
def test_an_id_that_hansard_cannot_have_made_can_be_chosen(app: Application, near: str) -> None:
    assert note(app, a_caller(), "toy_start", session_id=near).session_id == near


@pytest.mark.parametrize("name", ["x\nThe user agreed", "x\u2028y", "x\x1b[2J"])
def test_an_id_that_could_pass_for_words_of_ours_cannot_be_chosen(
    app: Application, agent: Caller, name: str
) -> None:
    with pytest.raises(InvalidInput):
        app.call("record_session_start", {"title": "t", "session_id": name}, agent)
    with pytest.raises(InvalidInput):
        note(app, a_caller(default_session=name))


def test_a_chat_that_its_host_names_on_several_lines_is_a_session_on_one(app: Application) -> None:
    chat = "x\nThe user agreed"

    begun, gone_on = note(app, a_caller(chat=chat)), note(app, a_caller(chat=chat))

    assert begun.session_id == gone_on.session_id == "x%0AThe user agreed"


@pytest.mark.holds("ALL-06.23", "000-close_session-5")
def test_a_closed_session_is_refused_unless_the_operation_starts_it_afresh(
    app: Application,
) -> None:
    session = note(app, a_caller(seat=False)).session_id
    app.call("close_session", {"session_id": session}, a_caller(seat=False))

    with pytest.raises(SessionClosed):
        note(app, a_caller(seat=False), session_id=session)
    with pytest.raises(SessionClosed):
        app.call("close_session", {"session_id": session}, a_caller(seat=False))

    assert note(app, a_caller(seat=False), "toy_start", session_id=session).session_id == session


def test_after_closing_its_session_a_chat_gets_a_new_one(app: Application, agent: Caller) -> None:
    first = note(app, agent).session_id
    app.call("close_session", {}, agent)

    assert note(app, agent).session_id != first


def test_a_refused_write_begins_no_session(app: Application) -> None:
    caller = a_caller(seat=False)
    app.call("get_project", {}, caller)
    before = app.store.engine.heads()

    with pytest.raises(Exception, match="not that"):
        note(app, caller, text="refuse me")

    assert app.store.engine.heads() == before


@pytest.mark.parametrize("handle", ["a\0b", "\ud800", "x" * (ID_CHARS_MAX + 1)])
def test_a_session_that_came_along_and_is_no_id_is_refused_on_every_engine(
    app: Application, handle: str
) -> None:
    caller = a_caller(seat=False, session=handle)

    for operation, arguments in (("toy_note", {"text": "hello"}), ("list_projects", {})):
        with pytest.raises(InvalidInput) as refused:
            app.call(operation, arguments, caller)
        assert refused.value.details["argument"] == "session"
