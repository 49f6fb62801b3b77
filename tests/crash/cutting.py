"""Cutting connections to PostgreSQL at the statements of an effect, with another process beside it.

Two applications share a database and a workspace, as two processes do. Before the nth statement of
the first one, or before it renames a file, connections of the first are ended by the server, and
the second settles whatever it takes to be left by the dead.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

import psycopg
import pytest

from hansard.app import start
from hansard.app.application import Application
from hansard.app.settings import Settings
from hansard.engines.postgres import PostgresEngine, process_liveness
from hansard.engines.postgres.leases import LEASE_S
from hansard.kernel import paging
from hansard.kernel.effect import OPEN_INTENTS
from hansard.kernel.engine import ReadTx
from hansard.kernel.operation import Caller
from hansard.kernel.problem import Problem, StorageUnavailable
from hansard.recorder.events import FileOpIntended
from hansard.recorder.workspace import linux
from tests.conftest import a_caller
from tests.patience import PATIENCE_S
from tests.recorder.asking import contents, create, edit, evolution

Victim = Literal["locks", "own", "all", "leases"]
"""What is lost: the locks' connection, the one about to be used, every one, or every lock itself.

Locks are lost without any connection by whoever stands still for longer than they last.
"""
VICTIMS: tuple[Victim, ...] = ("locks", "own", "all", "leases")

FIRST, SECOND = "hansard-first", "hansard-second"
SETTLING_WAIT_S = 0.2
"""How long the second waits for a project: the first may stand still in the middle of a write."""

TRIES = 4
"""How often a call is repeated under its key before it must be answered."""

Call = tuple[str, dict[str, Any]]


@dataclass(frozen=True)
class Effect:
    """Something that is asked for, on files of its own, and what the files then hold."""

    name: str
    call: Callable[[str, str], Call]
    """Gives the operation and its arguments; all paths lie below the folder of that name.

    It is told the entry of an edit before.
    """
    after: dict[str, str | None]
    revisions: dict[str, int] = field(default_factory=dict)
    """How many revisions each file then has."""
    kind: str | None = None
    """The kind of entry that it adds one of, if it is no change to files."""


AS_BEFORE: dict[str, str | None] = {"a": "one\n", "b": "two\n"}


def _op(**arguments: Any) -> Call:
    return "file_op", arguments


EFFECTS = (
    Effect(
        "create",
        lambda at, _: _op(action="create", path=f"{at}/new", content="new\n"),
        {"a": "one\n", "b": "two\n", "new": "new\n"},
        {"a": 2, "new": 1},
    ),
    Effect(
        "edit",
        lambda at, _: _op(action="edit", path=f"{at}/a", content="new\n"),
        {"a": "new\n", "b": "two\n"},
        {"a": 3},
    ),
    Effect(
        "delete",
        lambda at, _: _op(action="delete", path=f"{at}/a"),
        {"b": "two\n"},
        {"a": 3},
    ),
    Effect(
        "move",
        lambda at, _: _op(action="move", path=f"{at}/a", to=f"{at}/to/c"),
        {"b": "two\n", "to/c": "one\n"},
        {"to/c": 3},
    ),
    Effect(
        "batch",
        lambda at, _: _op(
            ops=[
                {"action": "edit", "path": f"{at}/a", "content": "new\n"},
                {"action": "delete", "path": f"{at}/b"},
                {"action": "create", "path": f"{at}/new", "content": "new\n"},
            ]
        ),
        {"a": "new\n", "new": "new\n"},
        {"a": 3, "b": 2, "new": 1},
    ),
    Effect(
        "restore",
        lambda _, edit: ("restore", {"entry": edit}),
        {"a": "zero\n", "b": "two\n"},
        {"a": 3},
    ),
    Effect(
        "undo",
        lambda _, edit: ("undo", {"entry": edit}),
        {"a": "zero\n", "b": "two\n"},
        {"a": 3},
    ),
    Effect(
        "record",
        lambda at, _: (
            "create_record",
            {"type": "note", "title": at, "summary": "s", "body": "b" * 500},
        ),
        AS_BEFORE,
        kind="records.record_created.v1",
    ),
    Effect(
        "decision",
        lambda at, _: (
            "record_decision",
            {"title": at, "target": at, "rationale": "It was agreed upon in the meeting."},
        ),
        AS_BEFORE,
        kind="decisions.decision_recorded.v1",
    ),
    Effect(
        "checkpoint",
        lambda at, _: ("workflow_checkpoint_save", {"context": {"at": at}, "sessionId": at}),
        AS_BEFORE,
        kind="checkpoints.checkpoint_saved.v1",
    ),
    Effect(
        "entity",
        lambda at, _: (
            "entity_create",
            {"type": "textDocument", "data": {"title": at, "content": "c" * 500}},
        ),
        AS_BEFORE,
        kind="entities.entity_created.v1",
    ),
)


@dataclass
class Pair:
    """Two processes on one store and one workspace."""

    first: Application
    second: Application
    files: Path
    admin: psycopg.Connection[Any]

    def settle(self) -> None:
        """Let the second settle what it takes for the work of the dead."""
        self.second.recover()

    @contextmanager
    def renewing_nothing(self) -> Iterator[None]:
        """Have the first renew none of its leases meanwhile, as a process that stands still."""
        engine = self.first.store.engine
        assert isinstance(engine, PostgresEngine)
        with engine._leases._lock:
            yield

    def cut(self, victim: Victim, own: psycopg.Connection[Any] | None) -> None:
        """Have the server end connections of the first, and wait until they are gone."""
        engine = self.first.store.engine
        assert isinstance(engine, PostgresEngine)
        if victim == "leases":
            # A commit under way keeps those that it lets go of: nobody has them before it ends.
            free = "SELECT name FROM hansard.leases FOR NO KEY UPDATE SKIP LOCKED"
            self.admin.execute(
                "UPDATE hansard.leases SET until = now() - interval '1 hour' "
                f"WHERE name IN ({free})".encode()
            )
            self.admin.execute(
                "INSERT INTO hansard.lease_service VALUES (true, now() - interval '1 h', now()) "
                "ON CONFLICT (one) DO UPDATE SET since = EXCLUDED.since, last = EXCLUDED.last"
            )
            return
        locks = engine._leases._connection
        chosen = {"locks": locks, "own": own or locks}.get(victim)
        pids = [] if chosen is None or chosen.closed else [chosen.info.backend_pid]
        self.admin.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
            "WHERE application_name = %s AND (%s OR pid = ANY(%s))",
            (FIRST, victim == "all", pids),
        )


@contextmanager
def a_pair(
    url: str, files: Path, git: Path | None = None, *, lease_s: float = LEASE_S
) -> Iterator[Pair]:
    """Open the two, which publish decisions in a folder if one is named."""
    settings = Settings(workspace=str(files), git_folder=str(git) if git else "")

    def opened(name: str, wait_s: float) -> Application:
        named = psycopg.conninfo.make_conninfo(url, application_name=name)
        engine = partial(PostgresEngine, lock_wait_s=wait_s, lease_s=lease_s)
        return start.start(settings, lambda _, schema: engine(named, schema))

    with psycopg.connect(url, autocommit=True, application_name="admin") as admin:
        first = opened(FIRST, PATIENCE_S)
        with pytest.MonkeyPatch.context() as patch:
            # From another machine nobody's life can be seen, and only time tells.
            patch.setattr(process_liveness, "_machine", lambda: "another machine")
            second = opened(SECOND, SETTLING_WAIT_S)
        try:
            yield Pair(first, second, files, admin)
        finally:
            first.close()
            second.close()


BESIDE = ("pg_notify", "WITH put_off AS", "lease_service", "until < clock_timestamp() - ")
"""Watchers are told and leases renewed beside a call, at moments of their own: no points of it."""


@contextmanager
def struck_at(
    nth: int, strike: Callable[[psycopg.Connection[Any] | None], None]
) -> Iterator[list[str]]:
    """Strike before the nth statement or rename of the first; gives a list of those there were."""
    seen: list[str] = []
    counting = threading.Lock()
    is_striking = False

    def meet(what: str, connection: psycopg.Connection[Any] | None) -> None:
        nonlocal is_striking
        with counting:
            if is_striking:
                return
            seen.append(what)
            is_striking = len(seen) == nth
        if is_striking:
            strike(connection)
            is_striking = False

    execute, rename = psycopg.Connection.execute, linux.renameat2

    def counted(connection: psycopg.Connection[Any], query: Any, *rest: Any, **more: Any) -> Any:
        is_ours = connection.info.parameter_status("application_name") == FIRST
        if is_ours and not any(words in str(query) for words in BESIDE):
            meet(str(query), connection)
        return execute(connection, query, *rest, **more)

    def renamed(*arguments: Any) -> None:
        meet("rename", None)
        rename(*arguments)
        meet("renamed", None)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(psycopg.Connection, "execute", counted)
        patch.setattr(linux, "renameat2", renamed)
        yield seen


def prepared(pair: Pair, effect: Effect, at: str) -> tuple[Caller, Call]:
    """Make the files that an effect is about."""
    caller = a_caller()
    create(pair.first, caller, f"{at}/a", "zero\n")
    edited = edit(pair.first, caller, f"{at}/a", "one\n").seq
    create(pair.first, caller, f"{at}/b", "two\n")
    caller = replace(caller, idempotency_key=at)
    return caller, effect.call(at, f"s:{edited}")


def points_of(pair: Pair, effect: Effect) -> list[str]:
    """List the statements and renames of an effect that nothing disturbs, once all is warm."""
    _undisturbed(pair, effect, "cold")
    _undisturbed(pair, effect, "lukewarm")
    return _undisturbed(pair, effect, "warm")


def _undisturbed(pair: Pair, effect: Effect, how: str) -> list[str]:
    caller, (name, arguments) = prepared(pair, effect, f"{effect.name}-{how}")
    with struck_at(0, lambda _: None) as seen:
        pair.first.call(name, arguments, caller)
    return seen


def faults(pair: Pair, effect: Effect, victim: Victim, nth: int) -> list[str]:
    """Cut connections at a point of an effect; says what was amiss with how it ended."""
    at = f"{effect.name}-{victim}-{nth}"
    caller, (name, arguments) = prepared(pair, effect, at)
    before = _count(pair, effect)

    def strike(own: psycopg.Connection[Any] | None) -> None:
        pair.cut(victim, own)
        pair.settle()

    found = []
    with struck_at(nth, strike):
        try:
            pair.first.call(name, arguments, caller)
        except StorageUnavailable as problem:
            found += _wrongly_said(pair, effect, at, problem)
    found += [*_repeated(pair, caller, name, arguments), *_amiss(pair, effect, at)]
    if effect.kind and _count(pair, effect) != before + 1:
        found.append(f"{at}: {_count(pair, effect) - before} of {effect.kind} are there")
    return found


def outcomes(pair: Pair) -> list[str]:
    """Give the kinds of what was recorded of the last change to a file."""
    project = pair.first.default_project
    entries = pair.second.store.read(project, lambda tx: list(paging.entries(tx)))
    last = max(entry.seq for entry in entries if entry.kind == FileOpIntended.kind)
    return [entry.kind for entry in entries if entry.seq > last and "file_op" in entry.kind]


def _count(pair: Pair, effect: Effect) -> int:
    """Count the entries that are of an effect's kind."""
    if effect.kind is None:
        return 0
    kinds = {effect.kind}

    def work(tx: ReadTx) -> int:
        return len(tx.entries(limit=1_000_000, kinds=kinds))

    return pair.second.store.read(pair.second.default_project, work)


def _wrongly_said(pair: Pair, effect: Effect, at: str, problem: Problem) -> list[str]:
    """Look whether files that are said to be unchanged are."""
    before = {"a": b"one\n", "b": b"two\n"}
    is_changed = contents(pair.files / at) != before
    if problem.details.get("outcome") in ("unchanged", "not_written") and is_changed:
        return [f"{at}: said to be {problem.details['outcome']}, and it was changed"]
    return []


def _repeated(pair: Pair, caller: Caller, name: str, arguments: dict[str, Any]) -> list[str]:
    """Ask again under the same key, until it is answered."""
    refused: list[str] = []
    for _ in range(TRIES):
        try:
            pair.first.call(name, arguments, caller)
        except StorageUnavailable as problem:
            refused.append(f"asked again: {problem.message} {problem.details}")
        else:
            return []
    return refused


def _amiss(pair: Pair, effect: Effect, at: str) -> list[str]:
    """Look that the files hold what was asked for, and the record tells just that."""
    pair.settle()
    found = []
    held = {name: body.decode() for name, body in contents(pair.files / at).items()}
    if held != effect.after:
        found.append(f"{at}: the files hold {held}")
    for path, count in effect.revisions.items():
        revisions = evolution(pair.second, a_caller(), path=f"{at}/{path}", limit=100).revisions
        sources = [str(one.source) for one in reversed(revisions or [])]
        if len(sources) != count or "external" in sources:
            found.append(f"{at}: {path} has the revisions {sources}")
    project = pair.first.default_project
    if pair.first.store.read(project, lambda tx: tx.scan(OPEN_INTENTS, limit=1)):
        found.append(f"{at}: an intent is open")
    return found
