"""`verify` looks at the store's folder too: modes, links, and what stands in for a file."""

import os
from pathlib import Path

import pytest

from hansard.app.verify import Report, verify
from hansard.kernel.blob import Blob, seal
from hansard.kernel.problem import BlobDamaged
from tests.app.damage import Damaged

pytestmark = pytest.mark.fault("tampering")


@pytest.fixture
def store(tmp_path: Path) -> Damaged:
    damaged = Damaged(tmp_path / "store")
    damaged.fill()
    assert look(damaged).findings == ()
    return damaged


def look(store: Damaged) -> Report:
    with store.opened() as app:
        return verify(app.store, folder=store.folder)


def said(report: Report) -> list[tuple[str, str, str]]:
    return [(one.severity, one.check, one.message) for one in report.findings]


def test_a_blob_that_others_can_reach_and_write_to_is_told(store: Damaged) -> None:
    path = store.blob_file(store.large)

    with store.opened() as app:
        for one in (path, path.parent, path.parent.parent):
            one.chmod(0o777)
        report = verify(app.store, folder=store.folder)

    [(severity, check, message)] = said(report)
    assert (severity, check) == ("drift", "folder")
    assert "and 2 more" in message


def test_a_link_in_the_place_of_a_blob_is_found_though_it_leads_to_the_same(
    store: Damaged, tmp_path: Path
) -> None:
    path = store.blob_file(store.large)
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")

    report = look(store)

    assert report.exit_code == 2
    assert f"Blob {store.large.digest}: A blob's file is not a file of its own" in [
        message for _, _, message in said(report)
    ]


def test_a_pipe_in_the_place_of_a_blob_is_not_waited_for(store: Damaged) -> None:
    path = store.blob_file(store.large)
    path.unlink()
    os.mkfifo(path)

    assert look(store).exit_code == 2


def test_what_is_saved_again_is_kept_beside_a_link(store: Damaged, tmp_path: Path) -> None:
    path = store.blob_file(store.large)
    content = path.read_bytes()
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")

    with store.opened() as app:
        again = Blob(store.large.digest, store.large.size, store.large.codec, content)
        app.store.engine.stage(again)
        app.store.write("another", lambda tx: tx.keep(again))
        kept = app.store.read("another", lambda tx: tx.blob(again.digest))

    assert kept is not None
    assert kept.packed == content


@pytest.mark.parametrize("content", [os.urandom(200_000), b"words " * 200_000])
def test_a_blob_that_is_longer_than_its_content_is_found(store: Damaged, content: bytes) -> None:
    with store.opened() as app:
        blob = store.keep(app, content)
    path = store.blob_file(blob)
    if path.exists():
        path.write_bytes(path.read_bytes() + b"hidden")
    else:
        packed = blob.packed + b"hidden"
        store.sql("UPDATE blobs SET packed = ? WHERE digest = ?", packed, blob.digest)

    report = look(store)

    assert report.exit_code == 2
    assert any(blob.digest in message for _, _, message in said(report))


def test_a_patch_that_is_longer_than_it_should_be_is_refused() -> None:
    from hansard.kernel.blob import seal_onto, unseal

    base = seal(os.urandom(5_000))
    changed = seal_onto(base.packed + b"more", base, base.packed)
    longer = Blob(changed.digest, changed.size, "patch", changed.packed + b"x", base.digest, 1)

    assert unseal(changed, lambda _: base)
    with pytest.raises(BlobDamaged):
        unseal(longer, lambda _: base)


def test_a_reserve_that_is_gone_is_made_again_by_the_next_to_open_the_store(
    store: Damaged,
) -> None:
    (store.folder / "reserve").unlink()

    with store.opened():
        assert (store.folder / "reserve").stat().st_blocks


def test_a_journal_of_a_project_that_nobody_made_is_told(store: Damaged) -> None:
    with store.opened() as app:
        blob = seal(b"forged")
        store.project = "forged"
        store.keep(app, b"forged")

    report = look(store)

    assert blob.digest
    assert [message for _, _, message in said(report) if message.startswith("forged has a journal")]


def test_a_head_without_entries_changes_nothing(store: Damaged) -> None:
    columns = "project, seq, tick, hash, clock, views"
    store.sql(f"INSERT INTO heads({columns}) VALUES('ghost', 0, 0, '', '', '')")

    with store.opened() as app:
        assert "ghost" not in app.store.engine.heads()
    assert look(store).exit_code == 0
