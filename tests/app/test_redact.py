"""Redaction: the text is gone from every file, the chain holds, and everything else goes on."""

import os
import secrets
import shutil
import threading
from contextlib import closing
from pathlib import Path

import apsw
import pygit2
import pytest

from hansard.app.application import Application
from hansard.app.erasure_events import Redacted
from hansard.app.keeping.exporting import export_project
from hansard.app.keeping.importing import import_project
from hansard.app.keeping.redaction import (
    NothingToRedact,
    Redaction,
    RedactionRefused,
    WantedErasure,
    digests_of_path,
    erase,
)
from hansard.app.keeping.republishing import make_anew
from hansard.app.verify import verify
from hansard.decisions.events import DecisionRecorded
from hansard.decisions.git import decision_log
from hansard.embedders import vectors
from hansard.engines.sqlite import engine
from hansard.kernel import paging
from hansard.kernel.blob import Digest, digest_of
from hansard.kernel.content import content
from hansard.kernel.engine import ReadTx
from hansard.kernel.event import Entry
from hansard.kernel.operation import Caller
from hansard.kernel.problem import BlobRedacted, InvalidInput, PermissionDenied
from hansard.recorder.problems import Irreversible
from tests.app import kept
from tests.app.kept import PERSON, PROJECT, STAMP, opened
from tests.conftest import a_caller
from tests.patience import PATIENCE_S

SECRET = "hunter2-" + secrets.token_hex(20)
REASON = "a password got in"


def entries(app: Application) -> list[Entry]:
    return app.store.read(PROJECT, lambda tx: list(paging.entries(tx)))


def seq_of(app: Application, text: str) -> int:
    return next(one.seq for one in entries(app) if text.encode() in (one.payload or b""))


def redact(app: Application, **wanted: object) -> Redaction:
    return erase(app.store, PROJECT, WantedErasure(**wanted), reason=REASON, stamp=PERSON)  # type: ignore[arg-type]


def sound(app: Application) -> bool:
    return verify(app.store).findings == ()


def files_with(folder: Path, text: str) -> list[str]:
    """Scan every byte of a store's files."""
    paths = [path for path in folder.rglob("*") if path.is_file()]
    return [path.name for path in paths if text.encode() in path.read_bytes()]


def test_a_field_of_an_entry_is_erased_and_the_chain_holds(app: Application, agent: Caller) -> None:
    app.call("toy_note", {"text": "before"}, agent)
    app.call("toy_note", {"text": SECRET}, agent)
    app.call("toy_note", {"text": "revised", "id": "T002"}, agent)
    before = entries(app)
    seq = seq_of(app, SECRET)

    done = redact(app, seq=seq, fields=("text",))

    after = entries(app)
    assert [one.hash for one in after[:-1]] == [one.hash for one in before]
    assert after[seq - 1].body == b'{"id":"T002","text":"[redacted]"}'
    assert after[seq - 1].is_redacted
    said = done.event.payloads[0]
    assert (said.payload_digest, said.payload_bytes) == (
        before[seq - 1].payload_digest,
        len(before[seq - 1].payload or b""),
    )
    assert (after[-1].kind, after[-1].actor) == (Redacted.kind, PERSON.actor)
    assert sound(app)
    then = app.call("toy_list", {"as_of": f"s:{seq}"}, agent).model_dump()["notes"]
    assert any("[redacted]" in note for note in then)
    assert SECRET not in str(app.call("toy_list", {"as_of": f"s:{seq}"}, agent))
    assert verify(app.store).projects[-1].redacted == 1


def test_ids_are_not_given_twice_after_a_redaction(app: Application, agent: Caller) -> None:
    app.call("toy_note", {"text": SECRET}, agent)

    redact(app, seq=seq_of(app, SECRET), fields=("text",))

    assert app.call("toy_note", {"text": "x"}, agent).model_dump()["id"] == "T002"


def test_a_stored_answer_that_holds_the_text_goes_with_it(app: Application) -> None:
    asked = {"type": "note", "title": f"Title {SECRET}", "summary": "s", "body": "b"}
    app.call("create_record", asked, a_caller(idempotency_key="key"))

    done = redact(app, seq=seq_of(app, SECRET), fields=("title",))

    assert done.replies == 1
    assert done.also == ()
    with pytest.raises(BlobRedacted):
        app.call("create_record", asked, a_caller(idempotency_key="key"))
    assert sound(app)


def test_a_body_is_erased_and_found_no_more(app: Application, agent: Caller) -> None:
    body = f"All about {SECRET} and zebras"
    app.call("create_record", {"type": "note", "title": "T", "summary": "s", "body": body}, agent)
    assert app.call("search_records", {"query": "zebras"}, agent).model_dump()["results"]

    redact(app, digests=(digest_of(body.encode()),))

    assert sound(app)
    assert not app.call("search_records", {"query": "zebras"}, agent).model_dump()["results"]
    shown = app.call("activate", {"id": "R001"}, agent)
    assert "[redacted]" in str(shown)
    assert SECRET not in str(shown)


def test_what_rests_on_an_erased_blob_stands_alone_and_is_as_it_was(app: Application) -> None:
    app.call("toy_note", {"text": "x"}, kept.caller())
    line = kept.keep_line(app.store)
    before = app.store.read(PROJECT, lambda tx: [content(tx, digest) for digest in line])

    done = redact(app, digests=(line[1],))

    assert done.rebased == 1
    whole = [digest for digest in line if digest != line[1]]
    after = app.store.read(PROJECT, lambda tx: [content(tx, digest) for digest in whole])
    assert after == [before[0], *before[2:]]
    with pytest.raises(BlobRedacted):
        app.store.read(PROJECT, lambda tx: content(tx, line[1]))
    assert sound(app)


def test_the_same_text_elsewhere_is_named(app: Application, agent: Caller) -> None:
    for text in (f"one {SECRET}", f"two {SECRET}", SECRET):
        app.call("toy_note", {"text": text}, agent)
    third = max(one.seq for one in entries(app))

    done = redact(app, seq=third, fields=("text",))

    assert done.also == (f"s:{third - 2}", f"s:{third - 1}")


def test_vectors_are_made_anew(app: Application, agent: Caller) -> None:
    app.call("toy_note", {"text": SECRET}, agent)
    change = vectors.VectorChange("topic", "T001", "digest", None, 3)
    app.store.write(
        PROJECT, lambda tx: vectors.save(tx, vectors.begin(tx, "e", "generation"), [change])
    )

    redact(app, seq=seq_of(app, SECRET), fields=("text",))

    begun = app.store.read(PROJECT, vectors.generation)
    assert begun is not None
    assert (begun.embedder, begun.changes) == (vectors.NOBODY, 0)
    assert app.store.read(PROJECT, lambda tx: vectors.text_digest(tx, "topic", "T001")) is None


def test_all_versions_of_a_file_are_erased(app: Application, agent: Caller, files: Path) -> None:
    for number, content_ in enumerate((f"a\n{SECRET[:-3]}\n" * 9, "clean\n" * 40)):
        action = "edit" if number else "create"
        app.call("file_op", {"path": "x.txt", "action": action, "content": content_}, agent)

    digests = app.store.read(PROJECT, lambda tx: digests_of_path(tx, "x.txt"))
    redact(app, digests=tuple(digests))

    assert len(digests) == 2
    assert sound(app)
    assert app.store.read(PROJECT, lambda tx: digests_of_path(tx, "y.txt")) == []


def test_a_file_is_erased_under_its_earlier_names_too(
    app: Application, agent: Caller, files: Path
) -> None:
    for asked in (
        {"path": "old.txt", "action": "create", "content": "first\n" * 9},
        {"path": "old.txt", "action": "edit", "content": "second\n" * 9},
        {"path": "old.txt", "action": "move", "to": "new.txt"},
        {"path": "new.txt", "action": "edit", "content": "third\n" * 9},
        {"path": "old.txt", "action": "create", "content": "another\n" * 9},
    ):
        app.call("file_op", asked, agent)

    digests = app.store.read(PROJECT, lambda tx: digests_of_path(tx, "new.txt"))

    texts = (b"first\n", b"second\n", b"third\n")
    assert set(digests) == {digest_of(text * 9) for text in texts}


def test_a_decision_is_published_anew_without_it(
    app: Application, human: Caller, tmp_path: Path
) -> None:
    given = {"target": "db", "title": "Use SQLite", "rationale": f"The password is {SECRET}"}
    app.call("record_decision", given, human)
    app.call("record_decision", given | {"target": "x", "rationale": "It is the fastest"}, human)
    decision_log.publish(app.store, tmp_path / "git", PROJECT)
    made = next(one for one in entries(app) if one.kind == DecisionRecorded.kind)
    event = app.store.kinds.decode(made)
    assert isinstance(event, DecisionRecorded)

    done = redact(app, digests=(event.reasons,))

    assert done.in_git
    assert sound(app)
    drifted = verify(app.store, git=tmp_path / "git").findings
    assert {finding.check for finding in drifted} == {"git"}
    shutil.copytree(tmp_path / "git" / "default.git", tmp_path / "git" / "default.git.damaged-1")

    assert make_anew(app.store, tmp_path / "git", PROJECT) == []

    assert verify(app.store, git=tmp_path / "git").findings == ()
    assert [path.name for path in (tmp_path / "git").iterdir()] == ["default.git"]
    assert not in_git_objects(tmp_path / "git" / "default.git", SECRET)
    assert in_git_objects(tmp_path / "git" / "default.git", "It is the fastest")
    shown = app.call("get_decision", {"decision_id": event.id}, human)
    assert SECRET not in str(shown)
    assert "[redacted]" in str(shown)


def test_a_repository_that_is_only_linked_is_named_and_left(
    app: Application, human: Caller, tmp_path: Path
) -> None:
    app.call("record_decision", {"target": "db", "title": "T", "rationale": "It is fast"}, human)
    decision_log.publish(app.store, tmp_path / "elsewhere", PROJECT)
    (tmp_path / "git").mkdir()
    link = tmp_path / "git" / "default.git"
    link.symlink_to(tmp_path / "elsewhere" / "default.git")

    assert make_anew(app.store, tmp_path / "git", PROJECT) == [link]

    assert (link / "HEAD").is_file()


def in_git_objects(repository: Path, text: str) -> bool:
    """Look for a text in all that a repository holds, named by a reference or not."""
    repo = pygit2.Repository(str(repository))
    return any(text.encode() in repo[oid].read_raw() for oid in repo)


def test_what_names_things_is_not_erased_and_nothing_changes(
    app: Application, agent: Caller
) -> None:
    app.call("create_record", kept.RECORD, agent)
    created = seq_of(app, "A record")
    app.call("toy_note", {"text": "later"}, agent)
    before = entries(app)

    with pytest.raises(RedactionRefused):
        redact(app, seq=created, fields=("id",))

    assert entries(app) == before
    assert sound(app)


def test_only_a_person_with_a_reason_may(app: Application, agent: Caller) -> None:
    app.call("toy_note", {"text": SECRET}, agent)
    wanted = WantedErasure(seq=seq_of(app, SECRET), fields=("text",))

    with pytest.raises(PermissionDenied):
        erase(app.store, PROJECT, wanted, reason=REASON, stamp=STAMP)
    with pytest.raises(InvalidInput):
        erase(app.store, PROJECT, wanted, reason=" ", stamp=PERSON)


def test_what_is_not_there_is_refused(app: Application, agent: Caller) -> None:
    app.call("toy_note", {"text": SECRET}, agent)
    seq = seq_of(app, SECRET)

    with pytest.raises(NothingToRedact):
        redact(app, seq=10_000, fields=("text",))
    with pytest.raises(NothingToRedact):
        redact(app, digests=(Digest("0" * 64),))
    with pytest.raises(InvalidInput):
        redact(app, seq=seq, fields=("colour",))
    with pytest.raises(InvalidInput):
        redact(app, seq=seq, fields=("text.deeper",))


def test_a_redacted_project_comes_and_goes_in_a_bundle(
    app: Application, agent: Caller, tmp_path: Path
) -> None:
    app.call("toy_note", {"text": SECRET}, agent)
    app.call("create_record", kept.RECORD | {"body": SECRET * 9}, agent)
    redact(app, seq=seq_of(app, SECRET), fields=("text",))
    redact(app, digests=(digest_of(SECRET.encode() * 9),))
    export_project(app.store, PROJECT, tmp_path / "b")

    with opened(tmp_path / "other") as other:
        import_project(other.store, tmp_path / "b", STAMP)

        assert entries(other) == entries(app)
        assert sound(other)


def test_no_byte_of_it_is_left_in_the_store(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    small = SECRET.encode() * 3
    large = (SECRET + os.urandom(90_000).hex()).encode()
    with opened(folder) as app:
        app.call("toy_note", {"text": SECRET}, kept.caller("key"))
        app.call("toy_note", {"text": "revised", "id": "T001"}, kept.caller())
        for body in (small, large):
            app.call("create_record", kept.RECORD | {"body": body.decode()}, kept.caller())
        seq = seq_of(app, SECRET)
    assert "hansard.db" in files_with(folder, SECRET)
    word = SECRET.removeprefix("hunter2-")
    assert files_with(folder, word)

    with opened(folder) as app:
        done = redact(app, seq=seq, fields=("text",))
        assert [place for place in done.also if place.startswith("blob")]
        redact(app, digests=(digest_of(small), digest_of(large)))
        assert files_with(folder, word) == []
        assert sound(app)

    assert files_with(folder, word) == []
    assert not (folder / "blobs" / digest_of(large)[:2] / digest_of(large)[2:]).exists()


def test_nor_in_the_tables_that_an_older_version_left(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    with opened(folder) as app:
        app.call("toy_note", {"text": SECRET}, kept.caller())
        seq = seq_of(app, SECRET)
    with closing(apsw.Connection(str(folder / "hansard.db"))) as connection:
        connection.execute("CREATE TABLE rows_toy_notes_v0 AS SELECT * FROM rows_toy_notes_v1")

    with opened(folder) as app:
        redact(app, seq=seq, fields=("text",))

    assert files_with(folder, SECRET.removeprefix("hunter2-")) == []


@pytest.mark.parametrize("step", ["discard", "scrub"])
def test_a_redaction_that_was_cut_off_is_finished_when_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    large = SECRET + "".join(f"{number:x}" for number in range(60_000))
    digests = tuple(digest_of(text.encode()) for text in (SECRET, large))
    with opened(tmp_path / "store") as app:
        for text in (SECRET, large):
            app.call("create_record", kept.RECORD | {"body": text}, kept.caller())
        with monkeypatch.context() as cut:
            cut.setattr(engine.SqliteEngine, step, cut_off)
            with pytest.raises(KeyboardInterrupt):
                redact(app, digests=digests)
        before = entries(app)

        done = redact(app, digests=digests)

        assert entries(app) == before
        assert (done.entry, done.is_scrubbed) == (before[-1], True)
        assert files_with(tmp_path / "store", SECRET) == []
        assert not list((tmp_path / "store" / "blobs").rglob(digests[1][2:]))


def cut_off(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


def test_a_payload_that_went_without_a_word_is_damage(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    with opened(folder) as app:
        for number in range(3):
            app.call("toy_note", {"text": f"note {number}"}, kept.caller())
        blob = kept.keep(app.store, b"words " * 50)
        redact(app, seq=seq_of(app, "note 1"), fields=("text",))
    kept.sql(
        folder, "UPDATE journal SET payload = NULL WHERE CAST(payload AS TEXT) LIKE '%note 0%'"
    )
    kept.sql(
        folder,
        "UPDATE journal SET payload = ? WHERE CAST(payload AS TEXT) LIKE '%note 2%'",
        b"\0{}",
    )
    kept.sql(
        folder, "UPDATE blobs SET codec = 'redacted', packed = x'' WHERE digest = ?", blob.digest
    )

    with opened(folder) as app:
        found = verify(app.store, quick=True).findings

    assert sorted(one.check for one in found) == ["blobs", "chain", "chain"]


def test_it_says_so_while_somebody_reads_what_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "BUSY_TIMEOUT_MS", 50)
    reading, read = threading.Event(), threading.Event()

    def look(_: ReadTx) -> None:
        reading.set()
        read.wait(PATIENCE_S)

    with opened(tmp_path / "store") as app:
        app.call("toy_note", {"text": SECRET}, kept.caller())
        reader = threading.Thread(target=lambda: app.store.read(PROJECT, look))
        reader.start()
        reading.wait(PATIENCE_S)
        done = redact(app, seq=seq_of(app, SECRET), fields=("text",))
        read.set()
        reader.join()

        assert not done.is_scrubbed
        assert redact(app, seq=done.event.payloads[0].seq, fields=("text",)).is_scrubbed
        assert files_with(tmp_path / "store", SECRET) == []


def test_what_was_erased_and_is_on_disk_goes_only_if_the_caller_says_so(
    app: Application, agent: Caller, files: Path
) -> None:
    app.call("file_op", {"action": "create", "path": "a", "content": "old\n"}, agent)
    redact(app, digests=app.store.read(PROJECT, lambda tx: digests_of_path(tx, "a")))

    with pytest.raises(Irreversible):
        app.call("file_op", {"action": "delete", "path": "a"}, agent)

    assert (files / "a").read_text() == "old\n"
    app.call("file_op", {"action": "delete", "path": "a", "irreversible": True}, agent)
    assert sound(app)


def test_what_is_kept_sealed_of_a_file_is_erased_with_it(app: Application, agent: Caller) -> None:
    secret = "TOKEN=" + "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0" * 2 + "\n"
    app.call("file_op", {"action": "create", "path": ".env", "content": secret}, agent)
    gone = app.call("file_op", {"action": "delete", "path": ".env"}, agent).model_dump()
    digests = app.store.read(PROJECT, lambda tx: digests_of_path(tx, ".env"))

    redact(app, digests=tuple(digests))
    undone = app.call("undo", {"entry": f"s:{gone['results'][0]['seq']}"}, agent).model_dump()

    assert len(digests) == 1
    assert [(one["action"], "redacted" in one["reason"]) for one in undone["files"]] == [
        ("skip", True)
    ]


def test_a_file_whose_content_was_erased_can_be_changed_and_is_skipped_by_restore(
    app: Application, agent: Caller, files: Path
) -> None:
    app.call("file_op", {"action": "create", "path": "a", "content": "old\n"}, agent)
    app.call("file_op", {"action": "edit", "path": "a", "content": "new\n"}, agent)
    redact(app, digests=app.store.read(PROJECT, lambda tx: digests_of_path(tx, "a")))
    (files / "a").write_text("by hand\n")

    changed = app.call("file_op", {"action": "edit", "path": "a", "content": "again\n"}, agent)
    restored = app.call("restore", {"path": "a", "point": "s:4", "to": "after"}, agent)

    assert changed.model_dump()["results"][0]["status"] == "done"
    assert "redacted by a person" in restored.model_dump()["files"][0]["reason"]
    assert sound(app)
