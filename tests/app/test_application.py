"""What every call goes through, whoever asks and whatever is asked."""

from functools import partial

import pytest

from hansard.app.application import Application
from hansard.kernel import paging
from hansard.kernel.engine import Found, ReadTx, Table
from hansard.kernel.event import Entry
from hansard.kernel.limits import TITLE_CHARS_MAX
from hansard.kernel.operation import Caller
from hansard.kernel.problem import InvalidInput, PermissionDenied, UnknownOperation
from hansard.kernel.store import CATALOG
from tests.conftest import OpenApp, SteppingClock, a_caller
from tests.toy import NoteList, NoteTaken


def journal(app: Application, project: str = "default") -> list[Entry]:
    return app.store.read(project, lambda tx: list(paging.entries(tx)))


@pytest.mark.holds("ALL-04.2")
def test_a_write_is_answered_with_the_receipt_of_its_last_entry(
    app: Application, agent: Caller
) -> None:
    taken = app.call("toy_note", {"text": "hello"}, agent)

    assert isinstance(taken, NoteTaken)
    assert taken.receipt is not None
    last = journal(app)[-1]
    assert (taken.receipt.seq, taken.receipt.hash) == (last.seq, last.hash)


@pytest.mark.holds("ALL-03.1", "ALL-03.4")
def test_seq_is_dense_and_a_clock_set_back_changes_no_order(
    app: Application, agent: Caller, clock: SteppingClock
) -> None:
    for text in ("one", "two", "three"):
        app.call("toy_note", {"text": text}, agent)
        clock.now = clock.now.replace(year=clock.now.year - 1)

    entries = journal(app)

    assert [entry.seq for entry in entries] == list(range(1, len(entries) + 1))
    assert [entry.at for entry in entries][-3:] == sorted(
        (entry.at for entry in entries[-3:]), reverse=True
    )
    assert [entry.clock for entry in entries] == sorted(entry.clock for entry in entries)
    assert [entry.kind for entry in entries][-3:] == ["toy.noted.v1"] * 3


@pytest.mark.holds("ALL-06.20", "ALL-07.7", "ALL-07.9")
@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"text": "a", "role": "admin"}, "role"),
        ({"text": 3}, "text"),
        ({}, "text"),
        ({"text": "x" * 501}, "text"),
        ({"text": "   "}, "text"),
        ({"text": "a\0b"}, "text"),
        ({"text": "a\ud800"}, "text"),
        ({"text": "a", "id": 2**64}, "id"),
        ({"text": "a", "id": float("nan")}, "id"),
    ],
)
def test_bad_input_is_named_and_changes_nothing(
    app: Application, agent: Caller, arguments: dict[str, object], named: str
) -> None:
    app.call("toy_note", {"text": "first"}, agent)
    before = app.store.engine.heads()

    with pytest.raises(InvalidInput) as refused:
        app.call("toy_note", arguments, agent)

    assert (refused.value.code, refused.value.http_status) == ("INVALID_INPUT", 400)
    assert refused.value.message.startswith(named)
    assert app.store.engine.heads() == before


@pytest.mark.holds("ALL-07.6")
def test_nesting_is_allowed_up_to_its_limit_and_no_further(app: Application, agent: Caller) -> None:
    def nested(levels: int) -> object:
        value: object = 1
        for _ in range(levels):
            value = [value]
        return value

    with pytest.raises(InvalidInput, match="valid string"):
        app.call("toy_note", {"text": nested(64)}, agent)
    with pytest.raises(InvalidInput, match="deeper than 64"):
        app.call("toy_note", {"text": nested(65)}, agent)
    with pytest.raises(InvalidInput, match="deeper than 64"):
        app.call("toy_note", {"text": nested(100_000)}, agent)


@pytest.mark.holds("ALL-07.3", "ALL-07.4", "ALL-07.6")
def test_a_length_is_counted_in_code_points_after_trimming_and_kept_as_given(
    app: Application, agent: Caller
) -> None:
    longest = f"  {'🙈' * TITLE_CHARS_MAX}\n "

    app.call("toy_note", {"text": longest}, agent)
    with pytest.raises(InvalidInput, match=f"at most {TITLE_CHARS_MAX} characters"):
        app.call("toy_note", {"text": longest.replace("🙈", "🙈🙈", 1)}, agent)

    listed = app.call("toy_list", {}, agent)
    assert isinstance(listed, NoteList)
    assert listed.notes == [longest]


def test_an_unknown_operation_is_refused(app: Application, agent: Caller) -> None:
    with pytest.raises(UnknownOperation):
        app.call("drop_everything", {}, agent)


@pytest.mark.holds("ALL-13.9")
def test_an_alias_is_answered(app: Application, agent: Caller) -> None:
    app.call("toy_note", {"text": "hello"}, agent)

    assert isinstance(app.call("toy_more", {"text": "again"}, agent), NoteTaken)


@pytest.mark.holds("ALL-06.39", "ALL-10.3")
def test_a_viewer_may_look_but_not_write(app: Application, viewer: Caller) -> None:
    app.call("toy_list", {}, viewer)

    with pytest.raises(PermissionDenied) as refused:
        app.call("toy_note", {"text": "hello"}, viewer)

    assert (refused.value.code, refused.value.http_status) == ("PERMISSION_DENIED", 403)


def test_a_read_only_server_writes_nothing_at_all(open_app: OpenApp, agent: Caller) -> None:
    open_app().call("toy_note", {"text": "hello"}, agent)
    app = open_app(read_only=True)
    before = app.store.engine.heads()

    notes = app.call("toy_list", {}, agent)
    with pytest.raises(PermissionDenied):
        app.call("toy_note", {"text": "again"}, agent)

    assert isinstance(notes, NoteList)
    assert notes.notes == ["hello"]
    assert app.store.engine.heads() == before


@pytest.mark.holds("ALL-10.1", "ALL-10.2")
def test_the_author_of_an_entry_is_the_connections(app: Application, human: Caller) -> None:
    app.call("toy_note", {"text": "I am the administrator, says the agent"}, a_caller())
    app.call("toy_note", {"text": "hello"}, human)

    first, *_, last = (entry for entry in journal(app) if entry.kind == "toy.noted.v1")

    assert (first.actor.kind, first.actor.role) == ("agent", "agent")
    assert (last.actor.kind, last.actor.role) == ("human", "admin")


@pytest.mark.holds("ALL-09.1", "ALL-09.2", "ALL-09.3")
@pytest.mark.parametrize("point", ["t:1", "s:{seq}", "{at}"])
def test_the_past_can_be_read_by_tick_by_seq_and_by_time(
    app: Application, agent: Caller, point: str
) -> None:
    first = app.call("toy_note", {"text": "then", "id": "T001"}, with_block(app, agent))
    assert isinstance(first, NoteTaken)
    at = journal(app)[-1].at
    app.call("toy_note", {"text": "now", "id": "T001"}, agent)
    assert first.receipt is not None

    past = app.call(
        "toy_list",
        {"as_of": point.format(seq=first.receipt.seq, at=at).replace("t:1", f"t:{first.tick}")},
        agent,
    )

    assert isinstance(past, NoteList)
    assert "then" in past.notes
    assert "now" not in past.notes


def with_block(app: Application, agent: Caller) -> Caller:
    """Have ids granted, so that a chosen id of the block can be used."""
    app.call("toy_note", {"text": "grants a block"}, agent)
    return agent


@pytest.mark.parametrize(
    "point", ["t:99", "s:9999", "yesterday", "", "s:-1", "t:1.5", "s:" + "9" * 30]
)
def test_a_point_that_is_none_or_is_yet_to_come_is_refused(
    app: Application, agent: Caller, point: str
) -> None:
    app.call("toy_note", {"text": "hello"}, agent)

    with pytest.raises(InvalidInput) as refused:
        app.call("toy_list", {"as_of": point}, agent)

    assert refused.value.message.startswith("as_of")


def test_ids_count_up_within_a_project_and_never_meet_in_a_store(
    app: Application, agent: Caller
) -> None:
    app.call("create_project", {"id": "other", "name": "Other"}, agent)

    def take(project: str) -> str:
        taken = app.call("toy_note", {"text": "x", "project_id": project}, agent)
        assert isinstance(taken, NoteTaken)
        return taken.id

    here = [take("default") for _ in range(3)]
    there = [take("other") for _ in range(3)]
    more = [take("default") for _ in range(120)]

    assert here == ["T001", "T002", "T003"]
    assert len({*here, *there, *more}) == 126
    assert more[96:98] == ["T100", "T201"]


def test_views_of_an_older_version_are_derived_again_when_first_used(
    app: Application, agent: Caller
) -> None:
    app.call("toy_note", {"text": "hello"}, agent)
    app.store.engine.write("default", lambda tx: tx.mark_views("toy:0"))

    notes = app.call("toy_list", {}, agent)

    assert isinstance(notes, NoteList)
    assert notes.notes == ["hello"]
    assert app.store.engine.heads()["default"].views == app.store.fingerprint


def test_a_store_that_a_newer_hansard_has_opened_is_left_alone(
    app: Application, agent: Caller
) -> None:
    app.call("toy_note", {"text": "hello"}, agent)
    app.store.engine.write("default", lambda tx: tx.mark_views("toy:99"))
    before = app.store.engine.heads()

    with pytest.raises(Exception, match="newer Hansard"):
        app.call("toy_note", {"text": "again"}, agent)
    with pytest.raises(Exception, match="newer Hansard"):
        app.call("toy_list", {}, agent)

    assert app.store.engine.heads() == before


def _rows(table: Table, tx: ReadTx) -> list[Found]:
    return tx.scan(table, limit=1000)


def test_rebuilt_views_equal_live_views(app: Application, agent: Caller) -> None:
    for text in ("one", "two", "three"):
        app.call("toy_note", {"text": text}, agent)
    app.call("close_session", {}, agent)

    def everything() -> dict[str, object]:
        tables = [table for view in app.store.views for table in view.tables]
        return {
            f"{project} {table.name}": app.store.read(project, partial(_rows, table))
            for project in (CATALOG, "default")
            for table in tables
        }

    live = everything()
    for project in (CATALOG, "default"):
        app.store.rebuild(project)

    assert everything() == live
    assert live["default toy_notes"]
