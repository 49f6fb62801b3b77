"""Random work of three chats on one store, against a model simple enough to be right."""

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from hansard.app.application import Application
from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.engines.memory import MemoryEngine, MemoryStore
from hansard.engines.sqlite import SqliteEngine
from hansard.kernel.engine import Engine, ReadTx, Schema
from hansard.kernel.problem import Problem
from hansard.records.rules import ARROWS
from tests.depth import deep
from tests.records.chats import Chat

CHATS = 3
RECORDS_MAX = 8
"""Few, so that the chats meet often."""

EVERYTHING = 1_000_000


@dataclass(frozen=True)
class Known:
    """A record as the model has it."""

    title: str
    body: str
    state: str
    parent: str | None
    version: int


@dataclass(frozen=True)
class Told:
    """A change as a sync should tell it."""

    record: str
    kind: str
    session: str
    tick: int
    now: Known


@dataclass
class Sitting:
    """What the model knows of one chat's session."""

    known: dict[str, Known] = field(default_factory=dict)
    """Each active record as the session was last shown it, or wrote it."""
    told: int = 0
    """How many of all changes the session has passed."""


FIELDS: dict[str, Callable[[Known], object]] = {
    "title": lambda known: known.title,
    "body": lambda known: known.body,
    "state": lambda known: known.state,
    "parent_id": lambda known: known.parent,
}

picks = st.integers(0, 20)
chats = st.integers(0, CHATS - 1)


class Records(RuleBasedStateMachine):
    """The application beside its model."""

    new_store: Callable[[], Callable[[Schema], Engine]]
    """Makes a store, and gives what opens it."""

    def __init__(self) -> None:
        super().__init__()
        self.opener = type(self).new_store()
        self.apps: list[Application] = []
        self.records: dict[str, Known] = {}
        self.changes: list[Told] = []
        self.sittings: dict[int, Sitting] = {}
        self.tick = 0
        self.counter = 0
        self.looks: dict[int, Any] = {}

        self.open()
        self.chats = [Chat(self.app) for _ in range(CHATS)]

    @property
    def app(self) -> Application:
        return self.apps[-1]

    def open(self) -> None:
        self.apps.append(start(Settings(), lambda _, schema: self.opener(schema)))

    @rule()
    def crash_and_reopen(self) -> None:
        """Go on in a new application; the old one is left as a dead process leaves it."""
        self.open()
        for chat in self.chats:
            chat.app = self.app

    @rule(who=chats, under=st.none() | picks)
    @precondition(lambda self: len(self.records) < RECORDS_MAX)
    def create(self, who: int, under: int | None) -> None:
        parent = self.pick(under) if under is not None and self.records else None
        text = self.text()
        if parent is not None and parent not in self.known(who):
            self.refuses("PARENT_NOT_ACTIVATED", who, "create_record", parent_id=parent, **text)
            return
        made = self.chats[who].ask("create_record", parent_id=parent, **text)["record"]
        self.tick += 1
        now = Known(text["title"], text["body"], "OPEN", parent, self.tick)
        self.change(who, made["id"], "created", now)
        self.hold(who, made["id"])

    @rule(who=chats, which=picks)
    @precondition(lambda self: self.records)
    def activate(self, who: int, which: int) -> None:
        record = self.pick(which)
        known = self.sit(who).known

        answer = self.chats[who].activate(record)

        assert answer["already_loaded"] == (record in known)
        is_changed = record in known and known[record] != self.records[record]
        assert ("changed_since_load" in answer) == is_changed
        self.same(answer["context"]["target"], self.records[record])
        self.hold(who, record)

    @rule(who=chats, which=picks)
    @precondition(lambda self: self.records)
    def deactivate(self, who: int, which: int) -> None:
        record = self.pick(which)
        if record in self.known(who):
            self.chats[who].ask("deactivate", id=record)
            del self.known(who)[record]
        else:
            self.refuses("NOT_ACTIVATED", who, "deactivate", id=record)

    @rule(who=chats, which=picks, force=st.booleans(), only_title=st.booleans())
    @precondition(lambda self: self.records)
    def update(self, who: int, which: int, force: bool, only_title: bool) -> None:
        record, text = self.pick(which), self.text()
        given = {"title": text["title"]} | ({} if only_title else {"body": text["body"]})
        if record not in self.known(who):
            self.refuses("NOT_ACTIVATED", who, "update_record", id=record, **given)
            return
        stored = self.records[record].version
        is_overtaken = self.known(who)[record].version < stored
        decision = {"force": True, "force_version": stored} if force else {}

        answer = self.chats[who].update(record, **decision, **given)

        assert ("conflict" in answer) == (is_overtaken and not force)
        assert ("replaced" in answer) == (is_overtaken and force)
        if "conflict" in answer:
            self.same(answer["record"], self.records[record])
            return
        self.tick += 1
        now = replace(self.records[record], version=self.tick, **given)
        self.change(who, record, "modified", now)
        self.hold(who, record)
        self.same_head(answer["record"], self.records[record])

    @rule(who=chats, which=picks, state=st.sampled_from(list(ARROWS)))
    @precondition(lambda self: self.records)
    def transition(self, who: int, which: int, state: str) -> None:
        record = self.pick(which)
        given: dict[str, Any] = {"id": record, "to_state": state}
        if state in ("LATER", "DISCARDED"):
            given["reason"] = "because"
        if state == "RESOLVED":
            given["resolved_by"] = self.pick(which + 1)
        code = self.refusal(who, record, state, given.get("resolved_by"))
        if code:
            self.refuses(code, who, "transition", **given)
            return
        answer = self.chats[who].ask("transition", **given)
        self.tick += 1
        now = replace(self.records[record], version=self.tick, state=state)
        self.change(who, record, "state_changed", now)
        self.hold(who, record)
        self.same_head(answer["record"], self.records[record])

    @rule(who=chats, which=picks, under=st.none() | picks)
    @precondition(lambda self: self.records)
    def move(self, who: int, which: int, under: int | None) -> None:
        record = self.pick(which)
        parent = self.pick(under) if under is not None else None
        given = {"id": record, "parent_id": parent}
        if record not in self.known(who):
            self.refuses("NOT_ACTIVATED", who, "move_record", **given)
        elif parent is not None and self.is_under(parent, record):
            self.refuses("INVALID_INPUT", who, "move_record", **given)
        else:
            self.chats[who].ask("move_record", **given)
            if parent != self.records[record].parent:
                now = replace(self.records[record], parent=parent)
                self.change(who, record, "modified", now)
            # It knows where the record is, and of its text what it knew before.
            self.known(who)[record] = replace(self.known(who)[record], parent=parent)

    @rule(who=chats)
    def save(self, who: int) -> None:
        if who not in self.sittings:
            self.refuses("SESSION_NOT_FOUND", who, "save_session")
            return
        self.chats[who].ask("save_session")
        self.tick += 1

    @rule(who=chats)
    def sync(self, who: int) -> None:
        if who not in self.sittings:
            self.refuses("SESSION_NOT_FOUND", who, "sync_session")
            return
        sitting = self.sit(who)
        session = self.chats[who].session()
        foreign: dict[str, list[Told]] = {}
        for one in self.changes[sitting.told :]:
            if one.session != session:
                foreign.setdefault(one.record, []).append(one)

        answer = self.chats[who].sync()

        assert answer["more"] is False
        assert answer["project_tick"] == self.tick
        assert [one["record_id"] for one in answer["changes"]] == list(foreign)
        for change in answer["changes"]:
            self.tells(who, change, foreign[change["record_id"]])
        sitting.told = len(self.changes)
        for record in foreign:
            if record in sitting.known:
                self.hold(who, record)

    def tells(self, who: int, change: dict[str, Any], did: list[Told]) -> None:
        """Compare what is told of one record with what others did to it."""
        kinds, now = {one.kind for one in did}, self.records[change["record_id"]]
        kind = next(one for one in ("created", "state_changed", "modified") if one in kinds)
        assert (change["change_type"], change["at_tick"]) == (kind, did[-1].tick)
        assert (change["by_session"], change["writes"]) == (did[-1].session, len(did))
        assert (change["title"], change["version"]) == (now.title, now.version)
        if known := self.known(who).get(change["record_id"]):
            differ = {name for name in FIELDS if FIELDS[name](known) != FIELDS[name](now)}
            assert set(change["changed_fields"]) & set(FIELDS) == differ

    @rule(who=chats)
    @precondition(lambda self: self.sittings)
    def close(self, who: int) -> None:
        if who in self.sittings:
            ended = self.chats[who].ask("close_session")
            assert set(ended["deactivated_records"]) == set(self.known(who))
            del self.sittings[who]

    @rule()
    def look(self) -> None:
        """Remember what is read now, to read it again later as of now."""
        # Of a project that nobody has written into yet, it is said that there is none.
        if head := self.app.store.engine.heads().get("default"):
            self.looks[head.seq] = self.read()

    @invariant()
    def the_tick_counts_the_acknowledged_ticking_writes(self) -> None:
        assert self.chats[0].tick() == self.tick

    @invariant()
    def the_store_has_what_the_model_has(self) -> None:
        listed = self.chats[0].ask("list_records")["records"]
        assert {one["id"]: (one["title"], one["state"], one["parent_id"]) for one in listed} == {
            record: (known.title, known.state, known.parent)
            for record, known in self.records.items()
        }
        for one in listed:
            children = [known for known in self.records.values() if known.parent == one["id"]]
            assert one["children_count"] == len(children)
            assert one["open_children_count"] == sum(known.state == "OPEN" for known in children)

    def teardown(self) -> None:
        for seq, seen in self.looks.items():
            assert self.read(as_of=f"s:{seq}") == seen, f"s:{seq} is not answered as it was"
        live = self.dump()
        self.app.store.rebuild("default")
        assert self.dump() == live, "rebuilt views differ from the live ones"
        for app in self.apps:
            app.close()

    # What the rules above are made of.

    def pick(self, number: int) -> str:
        ids = list(self.records)
        return ids[number % len(ids)]

    def text(self) -> dict[str, str]:
        self.counter += 1
        fields = {"type": "note", "summary": f"summary {self.counter}"}
        return fields | {"title": f"title {self.counter}", "body": f"body\n{self.counter}\n"}

    def sit(self, who: int) -> Sitting:
        return self.sittings.setdefault(who, Sitting(told=len(self.changes)))

    def known(self, who: int) -> dict[str, Known]:
        return self.sittings[who].known if who in self.sittings else {}

    def hold(self, who: int, record: str) -> None:
        self.sit(who).known[record] = self.records[record]

    def change(self, who: int, record: str, kind: str, now: Known) -> None:
        self.sit(who)
        self.records[record] = now
        self.changes.append(Told(record, kind, self.chats[who].session(), self.tick, now))

    def refusal(self, who: int, record: str, state: str, resolved_by: str | None) -> str | None:
        """Say with which code the model expects a transition to be refused."""
        known = self.records[record]
        if record not in self.known(who):
            return "NOT_ACTIVATED"
        if self.known(who)[record].version < known.version:
            return "CONFLICT"
        if state not in ARROWS[known.state]:  # type: ignore[index]
            return "INVALID_TRANSITION"
        return "INVALID_INPUT" if resolved_by == record else None

    def refuses(self, code: str, who: int, operation: str, **arguments: Any) -> None:
        with pytest.raises(Problem) as caught:
            self.chats[who].ask(operation, **arguments)
        assert caught.value.code == code

    def is_under(self, record: str | None, other: str) -> bool:
        while record is not None and record != other:
            record = self.records[record].parent
        return record is not None

    def same(self, shown: dict[str, Any], known: Known) -> None:
        assert shown["body"] == known.body
        self.same_head(shown, known)

    def same_head(self, shown: dict[str, Any], known: Known) -> None:
        seen = (shown["title"], shown["state"], shown["parent_id"])
        assert seen == (known.title, known.state, known.parent)
        assert shown["version"] == known.version

    def read(self, **when: str) -> Any:
        chat = Chat(self.app)
        overview = chat.ask("get_project_overview", **when)
        outline = chat.ask("list_records", format="outline", **when)["outline"] if (
            overview["root_records"]
        ) else ""  # fmt: skip
        return overview, outline

    def dump(self) -> dict[str, Any]:
        """Read every row of every view, with all that it has been."""

        def work(tx: ReadTx) -> dict[str, Any]:
            rows: dict[str, Any] = {}
            for view in self.app.store.views:
                for table in view.tables:
                    found = tx.scan(table, limit=EVERYTHING)
                    rows[table.name] = [(one.key, one.row) for one in found]
                    if table.history:
                        rows[f"{table.name} then"] = [tx.versions(table, one.key) for one in found]
            rows["words"] = [
                {hit.key for hit in tx.search(topic, "title body summary", limit=EVERYTHING)}
                for view in self.app.store.views
                for topic in view.topics
            ]
            return rows

        return self.app.store.read("default", work)


def memory_store() -> Callable[[Schema], Engine]:
    shared = MemoryStore()
    return lambda schema: MemoryEngine(schema, shared)


@pytest.mark.holds("REC-conflict-7", "REC-conflict-8", "REC-stale-5", "000-project-2")
@pytest.mark.parametrize(
    ("engine", "examples"),
    [
        ("memory", 8),
        ("sqlite", 2),
        pytest.param("memory", deep(60, 200), marks=pytest.mark.slow("hundreds of histories")),
        pytest.param(
            "sqlite", deep(12, 40), marks=pytest.mark.slow("many histories on a database")
        ),
    ],
)
def test_random_work_of_three_chats_keeps_every_promise(engine: str, examples: int) -> None:
    with TemporaryDirectory() as folder:
        numbers = itertools.count()

        def sqlite_store() -> Callable[[Schema], Engine]:
            place = Path(folder) / str(next(numbers))
            return lambda schema: SqliteEngine(place, schema)

        class Machine(Records):
            new_store = staticmethod(memory_store if engine == "memory" else sqlite_store)

        run_state_machine_as_test(
            Machine, settings=settings(max_examples=examples, stateful_step_count=40, deadline=None)
        )
