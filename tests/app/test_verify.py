"""`verify` finds nothing in a sound store, and says what it saw."""

import random
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import pytest

from hansard.app import start
from hansard.app.application import Application
from hansard.app.catalog import Catalog
from hansard.app.settings import Settings
from hansard.app.verify import verify, views
from hansard.app.verify.report import FINDINGS_MAX
from hansard.engines.sqlite.transaction import SqliteTx
from hansard.kernel.blob import Digest, seal, seal_onto
from hansard.kernel.effect import Intent, Outcome, Owner
from hansard.kernel.engine import Version
from hansard.kernel.event import SYSTEM, Event, Kinds, Receipt, Stamp
from hansard.kernel.named_blobs import finders
from hansard.kernel.operation import Caller, Capability
from hansard.kernel.problem import Problem
from hansard.sessions.contract import ProjectNotFound
from tests.app.damage import Damaged
from tests.conftest import OpenApp, a_caller

PROJECTS_MADE = 8
"""How many projects begin while a store is looked at."""

PAGE_VERSIONS = 5
"""How many versions of a row are looked at together, for once."""

STAMP = Stamp(SYSTEM, "2026-01-01T00:00:00.000000Z")


@pytest.fixture
def store(tmp_path: Path) -> Damaged:
    damaged = Damaged(tmp_path / "store")
    damaged.fill()
    assert damaged.verify().findings == ()
    return damaged


# A sound store.


def make_history(app: Application, caller: Caller, seed: int) -> None:
    """Ask for things at random, the way a few careless agents would."""
    chance = random.Random(seed)
    app.call("toy_note", {"text": "the first"}, caller)
    for step in range(50):
        call: tuple[str, dict[str, Any]] = chance.choice(
            [
                ("toy_note", {"text": f"note {step}"}),
                ("toy_note", {"text": f"again {step}", "id": "T001"}),
                ("toy_start", {"text": f"start {step}", "session_id": f"s{chance.randrange(3)}"}),
                ("toy_note", {"text": "refuse me"}),
                ("close_session", {"session_id": f"s{chance.randrange(3)}"}),
                ("create_project", {"id": f"p{chance.randrange(3)}", "name": "P"}),
                ("toy_note", {"text": "elsewhere", "project_id": f"p{chance.randrange(3)}"}),
            ]
        )
        key = chance.choice([None, f"key-{chance.randrange(20)}"])
        asking = Caller(caller.actor, seat=caller.seat, idempotency_key=key)
        try:
            app.call(*call, asking)
        except Problem:
            continue


@pytest.mark.parametrize("seed", range(3))
def test_nothing_is_found_in_any_history_that_hansard_wrote(
    app: Application, agent: Caller, seed: int
) -> None:
    make_history(app, agent, seed)

    report = verify(app.store)

    assert (report.findings, report.exit_code) == ((), 0)
    heads = app.store.engine.heads()
    assert {one.project: one.entries for one in report.projects if one.entries} == {
        project: head.seq for project, head in heads.items()
    }
    assert sum(one.rows or 0 for one in report.projects) > 0


def test_a_store_without_entries_is_sound(app: Application) -> None:
    assert verify(app.store).exit_code == 0


def test_verifying_writes_nothing(
    app: Application, agent: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_history(app, agent, 1)

    def refuse(*_: object) -> None:
        raise AssertionError("verify wrote")

    monkeypatch.setattr(app.store.engine, "write", refuse)

    assert verify(app.store).exit_code == 0


def test_it_is_sound_while_others_write(open_app: OpenApp) -> None:
    app, other = open_app(), open_app()
    stop = threading.Event()
    caller = a_caller()
    app.call("toy_note", {"text": "first"}, caller)

    def write() -> None:
        for number in range(PROJECTS_MADE):
            other.call("create_project", {"id": f"p{number}", "name": "P"}, caller)
            other.call("toy_note", {"text": "first", "project_id": f"p{number}"}, caller)
        while not stop.is_set():
            other.call("toy_note", {"text": "more"}, caller)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        reports = [verify(app.store) for _ in range(5)]
    finally:
        stop.set()
        writer.join()

    assert [report.exit_code for report in reports] == [0] * 5


def test_only_the_named_projects_are_looked_at(app: Application, agent: Caller) -> None:
    make_history(app, agent, 2)

    report = verify(app.store, projects=["default"])

    assert [one.project for one in report.projects] == ["default"]
    with pytest.raises(ProjectNotFound):
        verify(app.store, projects=["nowhere"])


def test_deltas_are_followed_to_their_bases(app: Application, agent: Caller) -> None:
    app.call("toy_note", {"text": "first"}, agent)
    base_data = b"".join(b"line %d\n" % number for number in range(5_000))
    base = seal(base_data)
    delta = seal_onto(base_data + b"one more\n", base, base_data)
    assert delta.base == base.digest
    app.store.write("default", lambda _: None, blobs=[base, delta])

    report = verify(app.store)

    assert (report.exit_code, sum(one.blobs for one in report.projects)) == (0, 2)


# Damage that only a kept receipt can show.


def cut_tail(store: Damaged, last: int) -> None:
    """Take entries away at the end, and everything that would tell."""
    with store.opened() as app:
        [entry] = app.store.engine.read("default", lambda tx: tx.entries(after=last - 1, limit=1))
    store.sql("DELETE FROM journal WHERE number > ?", store.number(last))
    store.sql(
        "UPDATE heads SET seq = ?, tick = ?, hash = ?, clock = ? WHERE project = ?",
        entry.seq,
        entry.tick,
        entry.hash,
        entry.clock,
        store.project,
    )
    with store.opened() as app:
        app.store.rebuild(store.project)


def test_a_cut_tail_is_found_by_a_kept_receipt(store: Damaged) -> None:
    early = Receipt(2, store.entry(2, "hash"))
    cut_tail(store, store.last.seq - 1)

    assert store.verify().exit_code == 0
    assert store.verify(receipts=[early]).exit_code == 0
    report = store.verify(receipts=[early, store.last])

    assert report.exit_code == 2
    assert [one.project for one in report.receipts] == ["default", None]


def test_a_rewritten_history_is_found_by_a_kept_receipt(store: Damaged) -> None:
    cut_tail(store, store.last.seq - 1)
    with store.opened() as app:
        store.keep(app, b"something else")

    assert store.verify().exit_code == 0
    assert store.verify(receipts=[store.last]).exit_code == 2


def test_a_kept_receipt_is_found_in_the_project_it_is_of(store: Damaged) -> None:
    report = store.verify(receipts=[store.last])

    assert (report.exit_code, report.receipts[0].project) == (0, "default")


def test_a_row_that_changes_with_each_entry_is_compared_in_pages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = start.start(Settings(store=str(tmp_path / "store")))
    caller, versions, lengths = a_caller(), SqliteTx.versions, set[int]()
    said = {"type": "note", "summary": "s", "body": "b"}
    for number in range(PAGE_VERSIONS * 3):
        app.call("create_record", said | {"title": f"{number}"}, caller)

    def counted(tx: SqliteTx, *arguments: Any, **more: Any) -> list[Version]:
        found = versions(tx, *arguments, **more)
        lengths.add(len(found))
        return found

    monkeypatch.setattr(SqliteTx, "versions", counted)
    monkeypatch.setattr(views, "ENTRIES_PAGE", PAGE_VERSIONS)
    found = verify(app.store).findings
    app.close()

    assert found == ()
    assert max(lengths) == PAGE_VERSIONS


# Other versions of Hansard.


def test_views_of_an_older_version_are_drift(store: Damaged) -> None:
    store.sql("UPDATE heads SET views = 'toy:0' WHERE project = ?", store.project)

    report = store.verify()

    assert report.exit_code == 1
    assert [found.severity for found in report.findings] == ["drift"]


def test_views_of_a_newer_version_cannot_be_compared(store: Damaged) -> None:
    store.sql("UPDATE heads SET views = 'toy:99' WHERE project = ?", store.project)

    report = store.verify()

    assert report.exit_code == 3
    assert [found.severity for found in report.findings] == ["unreadable"]


def test_a_kind_from_a_newer_hansard_cannot_be_read(store: Damaged) -> None:
    plain = start.start(Settings(store=str(store.folder)))

    report = verify(plain.store, quick=True)
    plain.close()

    assert report.exit_code == 3


# Open intents.


class Announced(Intent):
    kind: ClassVar[str] = "test.announced.v1"


class Settled(Outcome):
    kind: ClassVar[str] = "test.settled.v1"


def announce(app: Application, owner: Owner) -> None:
    event = Announced(owner=owner.name)
    app.store.write("p", lambda tx: app.store.record(tx, event, STAMP))


def test_open_intents_are_listed_and_those_of_the_dead_count(
    open_engine: Callable[..., Any], agent: Caller
) -> None:
    known = Catalog(
        [*start.catalog().capabilities, Capability("test", (), (Announced, Settled), ())]
    )
    app = start.start(Settings(), open_engine, known=known)
    app.call("create_project", {"id": "p", "name": "P"}, agent)
    living, dead = Owner(app.store.engine), Owner(app.store.engine)
    announce(app, living)
    announce(app, dead)

    before = verify(app.store)
    dead.close()
    after = verify(app.store)
    app.store.write("p", lambda tx: app.store.record(tx, Settled(intent=2), STAMP))
    settled = verify(app.store)
    living.close()
    app.close()

    assert [(one.seq, one.alive) for one in before.open_intents] == [(1, True), (2, True)]
    assert [(one.seq, one.alive) for one in after.open_intents] == [(1, True), (2, False)]
    assert [one.seq for one in settled.open_intents] == [1]
    assert (before.exit_code, after.exit_code, settled.exit_code) == (0, 1, 0)


# The report.


def test_findings_beyond_what_one_would_read_are_counted(store: Damaged) -> None:
    with store.opened() as app:
        for _ in range(FINDINGS_MAX):
            app.call("toy_note", {"text": "more"}, a_caller())
    store.sql("UPDATE journal SET payload = x'00' WHERE kind = 'toy.noted.v1'")

    report = store.verify(quick=True)

    assert len(report.findings) == FINDINGS_MAX
    assert report.left_out > 0


def test_the_report_says_all_as_json(store: Damaged) -> None:
    store.set_entry(5, hash="0" * 64)

    shown = store.verify(receipts=[store.last]).as_dict()

    assert (shown["sound"], shown["exit_code"]) == (False, 2)
    assert shown["findings"][0]["where"] == {"seq": 5}
    assert shown["receipts"][0]["project"] == "default"
    assert {one["project"] for one in shown["projects"]} == {"@catalog", "default"}


# Which blobs an event names.


class Part(Event):
    kind: ClassVar[str] = "test.part.v1"
    body: Digest | None = None


class Whole(Event):
    kind: ClassVar[str] = "test.whole.v1"
    one: Digest
    maybe: Digest | None
    many: list[Digest]
    by_name: dict[str, Digest]
    parts: list[Part]
    text: str


def test_digests_are_found_wherever_they_stand() -> None:
    find = finders(Kinds([Whole]))["test.whole.v1"]
    parts = [Part(body=Digest("e")), Part()]
    event = Whole(
        one=Digest("a"),
        maybe=None,
        many=[Digest("b"), Digest("c")],
        by_name={"x": Digest("d")},
        parts=parts,
        text="f",
    )

    assert sorted(find(event.model_dump(mode="json"))) == ["a", "b", "c", "d", "e"]
