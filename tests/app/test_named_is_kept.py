"""What is named is kept: collecting beside a writer takes nothing away that it is about to name."""

import itertools
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from hansard.app import start
from hansard.app.application import Application
from hansard.app.keeping.blob_lock import KeepingBusy
from hansard.app.keeping.exporting import export_project
from hansard.app.keeping.garbage_collection import collect
from hansard.app.keeping.importing import import_project
from hansard.app.settings import Settings
from hansard.app.verify import verify
from hansard.kernel.blob import Blob, Digest, canonical_json, digest_of, seal
from hansard.kernel.blob_references import NotKeptError
from hansard.kernel.engine import WriteTx
from hansard.kernel.operation import Caller
from hansard.kernel.problem import StorageUnavailable
from hansard.kernel.reply import Replied
from hansard.kernel.store import Store
from hansard.langgraph import HansardSaver
from hansard.sdk import Hansard
from tests.app.kept import STAMP
from tests.conftest import OpenApp, a_caller
from tests.crash.harness import ROOT
from tests.langgraph.steps import config_of, put, values_of
from tests.launcher.programs import Popen
from tests.patience import PATIENCE_S, is_readable
from tests.recorder.asking import create, edit

EVER = "9999"
CONTEXT = {"text": "".join(f"{number} lines of text\n" for number in range(200))}
TEXT = canonical_json(CONTEXT).decode()
"""The bytes that a checkpoint of the context is kept as."""


def let_go(
    app: Application, caller: Caller, session: str = "S", context: dict[str, Any] = CONTEXT
) -> None:
    """Leave the text in the store for no more than a checkpoint that was deleted."""
    saved = app.call("workflow_checkpoint_save", {"context": context, "sessionId": session}, caller)
    checkpoint = saved.model_dump()["checkpointId"]
    app.call("workflow_checkpoint_delete", {"checkpointId": checkpoint}, caller)


@contextmanager
def collected_before_each_write(first: Application, second: Application) -> Iterator[list[int]]:
    """Let another process collect right before each write of the first, after it has looked."""
    seen: list[int] = []
    real = Store.write

    def late(store: Store, project: str, work: Any, **rest: Any) -> Any:
        if store is first.store:
            seen.append(collect(second.store, deleted_before=EVER, stamp=STAMP).count)
        return real(store, project, work, **rest)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Store, "write", late)
        yield seen


def _record(app: Application, caller: Caller, text: str) -> object:
    given = {"type": "note", "title": "t", "summary": "s", "body": text}
    return app.call("create_record", given, caller)


def _updated(app: Application, caller: Caller, text: str) -> object:
    made = _record(app, caller, "b").model_dump()  # type: ignore[attr-defined]
    return app.call("update_record", {"id": made["record"]["id"], "body": text}, caller)


def _created(app: Application, caller: Caller, text: str) -> object:
    return create(app, caller, "new", text)


def _edited(app: Application, caller: Caller, text: str) -> object:
    return edit(app, caller, "a", text)


def _reported(app: Application, caller: Caller, text: str) -> object:
    arguments = {"path": "reported", "content": text}
    return app.call("record_file_create", arguments, caller)


def _document(app: Application, caller: Caller, text: str) -> object:
    data = {"title": "t", "content": text}
    return app.call("entity_create", {"type": "textDocument", "data": data}, caller)


def _checkpoint(app: Application, caller: Caller, text: str) -> object:
    given = {"context": CONTEXT, "sessionId": "other"}
    return app.call("workflow_checkpoint_save", given, caller)


def _packed_onto(app: Application, caller: Caller, text: str) -> object:
    given = {"context": CONTEXT | {"more": text}, "sessionId": "S"}
    return app.call("workflow_checkpoint_save", given, caller)


def _decided(app: Application, caller: Caller, text: str) -> object:
    given = {"title": "T", "target": "t", "rationale": text, "consequences": ["So"]}
    return app.call("record_decision", given, caller)


def _graph_step(app: Application, caller: Caller, text: str) -> object:
    """Save a step of a graph whose thread was there, and was deleted."""
    saver, values = HansardSaver(Hansard(application=app)), {"text": text, "other": [text, 1]}
    put(saver, values, config_of("gone"))
    saver.delete_thread("gone")
    saved = put(saver, values, config_of("kept"))
    assert values_of(saver, saved) == values
    return saved


WRITES = [
    *(_record, _updated, _created, _edited, _reported, _decided),
    *(_document, _checkpoint, _packed_onto, _graph_step),
]


@pytest.mark.parametrize("write", WRITES, ids=lambda write: write.__name__.strip("_"))
def test_whatever_is_written_while_another_process_collects_can_be_read(
    open_app: OpenApp, files: Path, write: Callable[[Application, Caller, str], object]
) -> None:
    first, second, agent = open_app(), open_app(), a_caller()
    create(first, agent, "a", "something else\n")
    (files / "reported").write_text(TEXT)
    let_go(first, agent)

    with collected_before_each_write(first, second) as seen:
        write(first, agent, TEXT)

    assert sum(seen) >= 1, "nothing was ever collected"
    report = verify(second.store)
    assert [found.message for found in report.findings] == []


def test_an_import_and_a_collection_do_not_take_from_each_other(
    open_app: OpenApp, tmp_path: Path
) -> None:
    first, second, agent = open_app(), open_app(), a_caller()
    _record(first, agent, "Something else")
    let_go(first, agent)
    bundle = tmp_path / "a.bundle"
    export_project(first.store, first.default_project, bundle)
    refused = collected = 0
    real = Store.write

    def late(store: Store, project: str, work: Any, **rest: Any) -> Any:
        nonlocal refused, collected
        try:
            collected += collect(second.store, deleted_before=EVER, stamp=STAMP).count
        except KeepingBusy:
            refused += 1
        return real(store, project, work, **rest)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Store, "write", late)
        import_project(first.store, bundle, STAMP, name="copy")

    assert refused >= 1, "nobody collected while it was taken in"
    assert collected + collect(second.store, deleted_before=EVER, stamp=STAMP).count >= 1
    assert [found.message for found in verify(second.store).findings] == []


@pytest.fixture
def app(open_app: OpenApp) -> Application:
    app = open_app()
    _record(app, a_caller(), "b")
    return app


def a_reply(digest: Digest) -> Replied:
    return Replied(key="k", operation="o", arguments="a", reply=digest)


def test_an_event_that_names_what_is_not_kept_is_not_recorded(app: Application) -> None:
    project = app.default_project
    head = app.store.engine.heads()[project]
    event = a_reply(digest_of(b"nowhere"))

    with pytest.raises(NotKeptError):
        app.store.write(project, lambda tx: app.store.record(tx, event, STAMP))
    with pytest.raises(NotKeptError):
        app.store.engine.write(project, lambda tx: app.store.record(tx, event, STAMP))

    assert app.store.engine.heads()[project] == head


@pytest.mark.parametrize("becomes", ["gone", "redacted", "deeper"])
def test_a_blob_whose_base_is_not_beneath_it_any_more_is_not_kept(
    app: Application, becomes: str
) -> None:
    project, base = app.default_project, seal(b"base" * 100)
    onto = Blob(digest_of(b"x"), 1, "patch", b"", base.digest, 1)

    def prepare(tx: WriteTx) -> None:
        if becomes != "gone":
            tx.keep(base)
        if becomes == "redacted":
            tx.repack(Blob(base.digest, base.size, "redacted", b""))
        if becomes == "deeper":
            other = seal(b"other")
            tx.keep(other)
            tx.repack(Blob(base.digest, base.size, "patch", b"", other.digest, 1))

    app.store.engine.write(project, prepare)

    with pytest.raises(NotKeptError):
        app.store.write(project, lambda tx: tx.head(), blobs=[onto])


def test_who_is_overtaken_each_time_is_told_to_come_back(
    app: Application, agent: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    def overtaken(*_: object, **__: object) -> None:
        raise NotKeptError

    monkeypatch.setattr(Store, "write", overtaken)

    with pytest.raises(StorageUnavailable) as refusal:
        _record(app, agent, "b")

    assert refusal.value.details["outcome"] == "not_written"


ROUNDS = 30


@pytest.mark.fault("gc beside writers")
@pytest.mark.slow("two processes, one of which collects all the time")
def test_a_process_that_collects_all_the_time_takes_nothing_from_one_that_writes(
    tmp_path: Path, files: Path
) -> None:
    store = str(tmp_path / "store")
    app = start.start(Settings(store=store, workspace=str(files)))
    agent = a_caller()
    create(app, agent, "a", "something else\n")
    command = [sys.executable, "-m", "tests.app.collector", store]
    with Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as collector:
        last = time.monotonic() + PATIENCE_S
        for number in itertools.count():
            if number >= ROUNDS and _has_said(collector):
                break
            assert time.monotonic() < last, "nothing was ever collected"
            # What nobody names again is there to be collected, whenever the collector comes.
            let_go(app, agent, f"G{number}", CONTEXT | {"gone": number})
            context = CONTEXT | {"round": number}
            text = canonical_json(context).decode()
            let_go(app, agent, f"S{number}", context)
            _record(app, agent, text)
            edit(app, agent, "a", text)
            _document(app, agent, text)
            app.call("workflow_checkpoint_save", {"context": context, "sessionId": "S"}, agent)
        collector.communicate(timeout=PATIENCE_S)
    report = verify(app.store)
    app.close()

    assert collector.returncode == 0
    assert [found.message for found in report.findings] == []


def _has_said(collector: "Popen[Any]") -> bool:
    """Whether it has collected anything, which on a busy machine may take it a while."""
    assert collector.poll() is None, "it ended by itself"
    assert collector.stdout is not None
    return is_readable(collector.stdout.fileno())
