"""Collecting: only what nothing names goes, a look changes nothing, and writers are not harmed."""

import os
import threading
from pathlib import Path
from typing import Any

import pytest

from hansard.app.application import Application
from hansard.app.keeping import garbage_collection
from hansard.app.keeping.garbage_collection import Garbage, collect, find
from hansard.app.verify import verify
from hansard.checkpoints.threads.events import (
    StepSaved,
    ThreadCopied,
    ThreadDeleted,
    Write,
    WritesKept,
)
from hansard.engines.versions import older_versions
from hansard.kernel.blob import Digest, digest_of, seal, seal_onto
from hansard.kernel.content import content
from hansard.kernel.engine import WriteTx
from hansard.kernel.event import Event
from hansard.kernel.operation import Caller
from hansard.kernel.problem import BlobDamaged, StorageUnavailable
from tests.app import kept
from tests.app.kept import PROJECT, STAMP, opened

EVER = "9999"


def context(number: int) -> dict[str, Any]:
    return {"number": number, "text": os.urandom(900).hex()}


def save(app: Application, caller: Caller, given: dict[str, Any]) -> str:
    saved = app.call("workflow_checkpoint_save", {"context": given}, caller).model_dump()
    return str(saved["checkpointId"])


def gather(app: Application, deleted_before: str = EVER) -> Garbage:
    return collect(app.store, deleted_before=deleted_before, stamp=STAMP)


def blobs(app: Application) -> set[Digest]:
    return set(app.store.read(PROJECT, lambda tx: tx.digests(limit=1_000)))


def leave(app: Application, data: bytes) -> Digest:
    """Keep a blob that no entry names."""
    blob = seal(data)
    app.store.engine.stage(blob)
    app.store.engine.write(PROJECT, lambda tx: tx.keep(blob))
    return blob.digest


def test_where_all_is_named_nothing_goes(app: Application) -> None:
    kept.fill(app)
    before, head = blobs(app), app.store.engine.heads()

    found = gather(app)

    assert (found.count, found.tables) == (0, ())
    assert (blobs(app), app.store.engine.heads()) == (before, head)
    assert verify(app.store).findings == ()


def test_what_no_entry_names_is_shown_and_then_goes(app: Application) -> None:
    kept.fill(app)
    before = blobs(app)
    left = {leave(app, b"left over"), leave(app, os.urandom(90_000))}

    found = find(app.store, deleted_before=EVER)
    assert found.unnamed[PROJECT].keys() == left
    assert blobs(app) == before | left
    gather(app)

    assert blobs(app) == before
    assert app.store.engine.loose(older_s=0) == {}
    assert verify(app.store).findings == ()


def test_what_a_blob_names_or_rests_on_stays(app: Application) -> None:
    kept.fill(app)
    mentioned = leave(app, b"mentioned in a blob")
    beside = leave(app, b"mentioned behind a letter that could be of a digest")
    kept.keep(app.store, f"see {mentioned} and id{beside}".encode())

    assert gather(app).count == 0
    assert {mentioned, beside} <= blobs(app)


def test_what_a_mentioned_blob_rests_on_or_mentions_stays_too(app: Application) -> None:
    kept.fill(app)
    data = os.urandom(3_000)
    base, far = leave(app, data), leave(app, b"mentioned by what is mentioned")
    onto = seal_onto(text := data + f" {far}".encode(), seal(data), data)
    assert onto.base == base
    app.store.engine.stage(onto)
    app.store.engine.write(PROJECT, lambda tx: tx.keep(onto))
    kept.keep(app.store, f"see {onto.digest}".encode())

    assert gather(app).count == 0
    assert {base, far, onto.digest} <= blobs(app)
    assert app.store.read(PROJECT, lambda tx: content(tx, onto.digest)) == text


def test_where_a_newer_version_has_a_project_nothing_goes_and_the_project_is_named(
    app: Application,
) -> None:
    kept.fill(app)
    leave(app, b"nobody names this")
    app.store.engine.write(PROJECT, lambda tx: tx.mark_views("checkpoints:999"))

    with pytest.raises(StorageUnavailable, match=f"The project {PROJECT} has been opened"):
        gather(app)


def test_a_deleted_checkpoint_goes_when_its_time_has_come(app: Application, agent: Caller) -> None:
    contexts = [context(number) for number in range(3)]
    saved = [save(app, agent, one) for one in contexts]
    before = blobs(app)
    app.call("workflow_checkpoint_delete", {"checkpointId": saved[2]}, agent)

    assert gather(app, deleted_before="2000").count == 0
    found = gather(app)

    assert found.count == 1
    assert before - blobs(app) == found.deleted[PROJECT].keys()
    assert verify(app.store).findings == ()
    assert gather(app).count == 0
    assert save(app, agent, contexts[2]) not in saved
    assert verify(app.store).findings == ()
    assert gather(app).count == 0


def test_what_was_let_go_once_and_named_again_since_is_missed_when_it_is_lost(
    app: Application, agent: Caller
) -> None:
    given = context(0)
    app.call("workflow_checkpoint_delete", {"checkpointId": save(app, agent, given)}, agent)
    gone = gather(app).deleted[PROJECT].keys()
    save(app, agent, given)
    assert gone <= blobs(app)

    def lose(tx: WriteTx) -> None:
        for digest in gone:
            tx.drop(digest)

    app.store.engine.write(PROJECT, lose)

    assert {found.where["digest"] for found in verify(app.store).findings} == gone


def test_what_another_checkpoint_rests_on_or_holds_too_stays(
    app: Application, agent: Caller
) -> None:
    given = context(0)
    first = save(app, agent, given)
    longer = given | {"more": "x"}
    save(app, agent, longer)
    before = blobs(app)
    app.call("workflow_checkpoint_delete", {"checkpointId": first}, agent)

    gather(app)

    assert blobs(app) == before
    assert verify(app.store).findings == ()


def test_steps_of_deleted_threads_go_unless_a_copy_has_them(app: Application) -> None:
    app.call("toy_note", {"text": "x"}, kept.caller())
    values = {thread: step(app, thread) for thread in ("copied", "gone", "stays")}
    write = keep_write(app, "gone")
    happen(app, ThreadCopied(source="copied", target="copy"))
    for thread in ("copied", "gone"):
        happen(app, ThreadDeleted(thread=thread))
    before = blobs(app)

    assert gather(app, deleted_before="2000").count == 0
    gather(app)

    assert before - blobs(app) == {values["gone"], write}
    assert verify(app.store).findings == ()


def happen(app: Application, event: Event, data: bytes = b"") -> None:
    blob = seal(data or b"nothing")

    def work(tx: WriteTx) -> None:
        if data:
            tx.keep(blob)
        app.store.record(tx, event, STAMP)

    app.store.write(PROJECT, work)


def step(app: Application, thread: str) -> Digest:
    """Save a step whose one value is a blob."""
    data = f"value of {thread}".encode()
    digest = digest_of(data)
    saved = StepSaved(
        thread=thread,
        ns="",
        id="1",
        parent=None,
        run=None,
        step=1,
        body="",
        body_blob=None,
        values={"channel": digest},
        size_bytes=9,
    )
    happen(app, saved, data)
    return digest


def keep_write(app: Application, thread: str) -> Digest:
    """Keep a task's write, which is a blob."""
    data = f"write of {thread}".encode()
    write = Write(channel="c", index=0, packed="", blob=digest_of(data))
    kept_writes = WritesKept(
        thread=thread, ns="", id="1", task="t", path="", writes=[write], size_bytes=9
    )
    happen(app, kept_writes, data)
    return digest_of(data)


def test_files_that_nobody_keeps_go_when_they_are_old(tmp_path: Path) -> None:
    with opened(tmp_path / "store") as app:
        kept.fill(app)
        young, old = seal(os.urandom(90_000)), seal(os.urandom(90_000))
        for blob in (young, old):
            app.store.engine.stage(blob)
        path = tmp_path / "store" / "blobs" / old.digest[:2] / old.digest[2:]
        os.utime(path, (0, 0))

        found = gather(app)

        assert found.loose.keys() == {old.digest}
        assert not path.exists()
        assert app.store.engine.loose(older_s=0).keys() == {young.digest}


def test_only_older_versions_of_known_tables_are_outdated() -> None:
    there = ["rows_a_v1", "rows_a_v2", "rows_b_v1", "rows_gone_v1", "words_a_v1", "words_a_v1_data"]

    assert older_versions([*there, "journal"], ["rows_a_v2", "rows_b_v1", "words_a_v3"]) == [
        "rows_a_v1",
        "words_a_v1",
    ]


def test_tables_of_older_views_go(tmp_path: Path) -> None:
    with opened(tmp_path / "store") as app:
        kept.fill(app)
    kept.sql(tmp_path / "store", "CREATE TABLE rows_records_v0(x)")
    with opened(tmp_path / "store") as app:
        assert gather(app).tables == ("rows_records_v0",)
        assert gather(app).tables == ()
        assert verify(app.store).findings == ()


def test_what_writers_are_about_to_keep_is_safe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(garbage_collection, "LOOSE_S", 0.0)
    written: list[bytes] = []
    with opened(tmp_path / "store") as app:
        kept.fill(app, notes=1)

        def write() -> None:
            for _ in range(60):
                data = os.urandom(70_000)
                kept.keep(app.store, data)
                written.append(data)

        writer = threading.Thread(target=write)
        writer.start()
        while writer.is_alive():
            gather(app)
        writer.join()

        assert len(written) == 60
        assert verify(app.store).findings == ()


def test_a_damaged_blob_does_not_stop_it(tmp_path: Path) -> None:
    with opened(tmp_path / "store") as app:
        kept.fill(app)
        leave(app, b"left over")
    [large] = [p for p in (tmp_path / "store" / "blobs").rglob("*") if p.stat().st_size > 150_000]
    large.write_bytes(b"x")

    with opened(tmp_path / "store") as app:
        assert gather(app).count == 1
        damaged = Digest(large.parent.name + large.name)
        with pytest.raises(BlobDamaged):
            app.store.read(PROJECT, lambda tx: content(tx, damaged))
