"""A collection goes in steps: it may end after any of them, and others write between them."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from hansard.app.application import Application
from hansard.app.erasure_events import Collected
from hansard.app.keeping import unused_blobs
from hansard.app.keeping.garbage_collection import find
from hansard.app.keeping.unused_blobs import Sifting, sifted
from hansard.app.verify import verify
from hansard.checkpoints.threads.events import ThreadCopied, ThreadDeleted
from hansard.engines.sqlite.unused_blobs import sieve
from hansard.kernel.blob import Blob, Digest, seal
from hansard.kernel.engine import ReadTx
from hansard.kernel.operation import Caller
from hansard.kernel.reply import Replied
from tests.app import kept
from tests.app.keeping_scenes import keep_unnamed, packed_onto
from tests.app.kept import PROJECT, STAMP
from tests.app.test_gc import EVER, blobs, context, gather, happen, leave, save, step


@pytest.fixture(autouse=True)
def _one_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unused_blobs, "STEP", 1)


def _left_in_a_line(app: Application) -> list[Blob]:
    """Keep blobs that no entry names, each a patch of the one before."""
    first = seal(b"what is left over " * 100)
    line = [first, *packed_onto(first, 3)]
    for blob in line:
        app.store.engine.stage(blob)
        app.store.engine.write(PROJECT, partial(keep_unnamed, blob))
    return line


def _steps(app: Application, between: Callable[[int], None]) -> int:
    """Collect, and do something after each step; returns how many there were."""
    count = 0
    with sifted(app.store, PROJECT, EVER) as sifting_now:
        while not sifting_now.is_empty():
            sifting_now.let_go(STAMP)
            count += 1
            between(count)
    return count


def test_after_each_step_the_store_is_sound_and_another_collection_goes_on(
    app: Application, agent: Caller
) -> None:
    kept.fill(app, notes=1)
    _left_in_a_line(app)
    for number in range(3):
        app.call(
            "workflow_checkpoint_delete", {"checkpointId": save(app, agent, context(number))}, agent
        )
    wanted = len(find(app.store, deleted_before=EVER).unnamed[PROJECT])

    def between(_: int) -> None:
        assert verify(app.store).findings == ()

    class CutOffError(Exception):
        pass

    def cut_off(count: int) -> None:
        between(count)
        if count == 2:
            raise CutOffError

    assert wanted == 4
    with pytest.raises(CutOffError):
        _steps(app, cut_off)
    assert len(find(app.store, deleted_before=EVER).unnamed.get(PROJECT, {})) < wanted
    assert _steps(app, between) >= 2
    assert gather(app).count == 0
    assert verify(app.store).findings == ()


def test_each_step_says_what_of_deleted_things_it_let_go(app: Application, agent: Caller) -> None:
    for number in range(3):
        app.call(
            "workflow_checkpoint_delete", {"checkpointId": save(app, agent, context(number))}, agent
        )

    gone = gather(app).deleted[PROJECT]

    said = app.store.read(PROJECT, lambda tx: tx.entries(limit=1_000, kinds={Collected.kind}))
    events = [Collected.model_validate_json(entry.payload or b"") for entry in said]
    assert [len(event.blobs) for event in events] == [1] * len(gone)
    assert {one.digest: one.packed_bytes for event in events for one in event.blobs} == gone


@pytest.mark.parametrize("rests", ["named", "rested on", "mentioned"])
def test_what_a_writer_needs_since_the_look_stays(app: Application, rests: str) -> None:
    kept.fill(app, notes=1)
    line = _left_in_a_line(app)
    other = leave(app, b"somebody else's " * 50)

    def write() -> set[Digest]:
        match rests:
            case "named":
                kept.keep_blob(app.store, line[-1])
                return {one.digest for one in line}
            case "rested on":
                [_, _, _, *more] = packed_onto(line[0], 4)
                kept.keep_blob(app.store, more[0])
                return {one.digest for one in line}
            case _:
                kept.keep(app.store, f"see {line[1].digest}".encode())
                return {one.digest for one in line[:2]}

    needed: set[Digest] = set()
    with sifted(app.store, PROJECT, EVER) as sifting_now:
        needed = write()
        while not sifting_now.is_empty():
            sifting_now.let_go(STAMP)

    assert needed <= blobs(app)
    assert other not in blobs(app)
    assert verify(app.store).findings == ()


def test_what_is_written_right_before_the_step_stays_too(
    app: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the look at what is new and the step's own transaction somebody may write."""
    kept.fill(app, notes=1)
    line = _left_in_a_line(app)
    looks: list[int] = []
    spare_new = Sifting._spare_new

    def noted(self: Sifting, tx: ReadTx) -> int:
        looks.append(spare_new(self, tx))
        return looks[-1]

    monkeypatch.setattr(Sifting, "_spare_new", noted)
    with sifted(app.store, PROJECT, EVER) as sifting_now:
        write = app.store.write

        def late(project: str, work: Any, **more: Any) -> Any:
            monkeypatch.setattr(app.store, "write", write)
            kept.keep_blob(app.store, line[-1])
            return write(project, work, **more)

        monkeypatch.setattr(app.store, "write", late)
        assert sifting_now.let_go(STAMP) == ({}, {})

    assert looks[-1] > looks[0]
    assert {one.digest for one in line} <= blobs(app)
    assert verify(app.store).findings == ()


def test_where_threads_are_copied_meanwhile_what_was_deleted_waits_for_the_next_time(
    app: Application,
) -> None:
    app.call("toy_note", {"text": "x"}, kept.caller())
    value = step(app, "gone")
    happen(app, ThreadDeleted(thread="gone"))
    with sifted(app.store, PROJECT, EVER) as sifting_now:
        assert not sifting_now.is_empty()
        happen(app, ThreadCopied(source="another", target="copy"))
        assert sifting_now.let_go(STAMP) == ({}, {})

    assert value in blobs(app)
    assert value in gather(app).deleted[PROJECT]


def test_the_sieve_lies_in_a_file_that_is_gone_after(tmp_path: Path) -> None:
    digests = [seal(f"{number}".encode()).digest for number in range(2_500)]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("tempfile.tempdir", str(tmp_path))
        with sieve() as made:
            made.keep((digest, None, 0, 1) for digest in digests)
            made.name(digests[:2_000])
            made.let_go(digests[2_400:])
            made.choose()
            assert list(tmp_path.glob("hansard-gc-*/sieve.db"))
            assert set(made.next(-1)) == set(digests[2_000:])
            assert set(made.next(-1, is_deleted=True)) == set(digests[2_400:])

    assert not list(tmp_path.iterdir())


def test_a_reply_kept_meanwhile_is_named_like_anything_else(app: Application) -> None:
    kept.fill(app, notes=1)
    digest = leave(app, b"an answer " * 30)
    with sifted(app.store, PROJECT, EVER) as sifting_now:
        happen(app, Replied(key="k", operation="x", arguments="y", reply=digest))
        while not sifting_now.is_empty():
            sifting_now.let_go(STAMP)

    assert digest in blobs(app)
