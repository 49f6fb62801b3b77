"""Bundles made by someone who means ill: refused before the store holds anything of them."""

import hashlib
import os
import tarfile
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import zstandard

from hansard.app.application import Application
from hansard.app.keeping.blob_staging import Spool
from hansard.app.keeping.bundle import BundleDamaged, Opening, reading, writing
from hansard.app.keeping.importing import import_project, look_through, take_in
from hansard.app.verify import verify
from hansard.kernel.blob import Blob, Digest, digest_of, redact, seal, seal_onto
from hansard.kernel.content import content
from hansard.kernel.event import Entry, Event, genesis
from hansard.kernel.ids import IdBlockGranted
from hansard.kernel.limits import MIB
from hansard.kernel.problem import StorageUnavailable
from hansard.kernel.reply import Replied
from hansard.recorder.events import FileOpIntended
from hansard.records.events import RecordUpdated
from tests.app import kept
from tests.app.kept import STAMP, opened

GIFT = "gift"
LARGE = os.urandom(200_000)


Refuse = Callable[[Path, str], None]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the store lies that the forged bundles are brought to."""
    return tmp_path_factory.mktemp("home") / "store"


@pytest.fixture(scope="module")
def app(home: Path) -> Iterator[Application]:
    """A store in a folder, with a project of its own."""
    with opened(home) as app:
        kept.fill(app, notes=1)
        yield app


@pytest.fixture
def refuse(app: Application, home: Path) -> Refuse:
    """Import a bundle, which must be refused and leave nothing behind."""

    def work(path: Path, match: str) -> None:
        before, heads = files(home), app.store.engine.heads()

        with pytest.raises(BundleDamaged, match=match):
            import_project(app.store, path, STAMP)

        assert files(home) == before
        assert app.store.engine.heads() == heads
        assert app.store.engine.read(GIFT, lambda tx: tx.digests(limit=9)) == []

    return work


def journal(events: Sequence[Event], project: str = GIFT) -> list[Entry]:
    """Chain events as a project's whole journal."""
    head, entries = genesis(project), list[Entry]()
    for event in events:
        entry = Entry.following(head, project, event, STAMP)
        head = replace(head, seq=entry.seq, tick=entry.tick, hash=entry.hash, clock=entry.clock)
        entries.append(entry)
    return entries


def forge(path: Path, entries: Sequence[Entry], blobs: Sequence[Blob] = (), **opening: Any) -> Path:
    """Write a bundle that is whole, whatever it holds."""
    last = entries[-1]
    said = Opening(last.project, "Gift", None, last.seq, last.hash)
    with writing(path) as bundle:
        bundle.begin(replace(said, **opening))
        if blobs:
            bundle.add_blobs(list(blobs))
        bundle.add_entries(list(entries))
        bundle.finish()
    return path


def naming(digest: str) -> Event:
    return Replied(key="k", operation="x", arguments="y", reply=Digest(digest))


def files(folder: Path) -> dict[str, str]:
    """Give what lies beside a store's database."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file() and not path.name.startswith("hansard.db")
    }


@pytest.mark.parametrize(
    "digest", ["..owned", "../../owned", "A" * 64, "a" * 63, "a" * 64 + "\n", ""]
)
def test_a_name_of_a_blob_that_is_no_digest_is_refused(
    refuse: Refuse, tmp_path: Path, digest: str
) -> None:
    blob = Blob(Digest(digest), len(LARGE), "raw", LARGE)

    refuse(forge(tmp_path / "b", journal([naming("x")]), [blob]), "digest")

    assert not list(tmp_path.rglob("*owned*"))


def test_a_base_that_is_no_digest_is_refused(refuse: Refuse, tmp_path: Path) -> None:
    base = seal(LARGE)
    blob = seal_onto(LARGE + b"more", base, LARGE)

    forged = forge(
        tmp_path / "b", journal([naming("x")]), [base, replace(blob, base=Digest("../x"))]
    )

    refuse(forged, "base")


@pytest.mark.parametrize("change", [{"size": 1}, {"depth": -1}, {"size": 2**40}, {"depth": 99}])
def test_a_blob_that_lies_about_its_size_or_place_is_refused(
    refuse: Refuse, tmp_path: Path, change: dict[str, Any]
) -> None:
    blob = replace(seal(LARGE), **change)

    refuse(forge(tmp_path / "b", journal([naming(blob.digest)]), [blob]), "size|depth")


def test_another_content_under_a_digest_never_reaches_the_store(
    app: Application, refuse: Refuse, tmp_path: Path
) -> None:
    data = os.urandom(200_000)
    good = seal(data)
    bad = Blob(good.digest, len(data), "raw", bytes(len(data)))
    fine = seal(b"fine")

    forged = forge(tmp_path / "b", journal([naming(fine.digest)]), [fine, bad])
    refuse(forged, good.digest)

    kept.keep(app.store, data)
    assert app.store.read(kept.PROJECT, lambda tx: content(tx, good.digest)) == data
    assert verify(app.store).findings == ()


def test_what_stands_in_for_redacted_content_is_not_taken_for_it(tmp_path: Path) -> None:
    good = seal(LARGE)
    stand_in = redact(good, bytes(len(LARGE)))
    forged = forge(tmp_path / "b", journal([naming(good.digest)]), [stand_in])

    with opened(tmp_path / "store") as app:
        import_project(app.store, forged, STAMP)
        kept.keep(app.store, LARGE)

        assert app.store.read(kept.PROJECT, lambda tx: content(tx, good.digest)) == LARGE
        assert app.store.read(GIFT, lambda tx: tx.blob(good.digest)) == stand_in


def test_a_blob_twice_is_refused(refuse: Refuse, tmp_path: Path) -> None:
    blob = seal(LARGE)

    refuse(forge(tmp_path / "b", journal([naming(blob.digest)]), [blob, blob]), "twice")


def intended(owner: str) -> FileOpIntended:
    return FileOpIntended(
        owner=owner,
        workspace="w",
        path="a",
        action="delete",
        to=None,
        before=None,
        after=None,
        added=0,
        removed=0,
        revision=None,
        step=None,
        cites=[],
        restore=None,
    )


@pytest.mark.parametrize(
    "owner", ["no lock/..", "owner-../x", "owner-", "keeping", "", "owner-a\n"]
)
def test_an_owner_that_cannot_name_a_lock_is_refused(
    refuse: Refuse, tmp_path: Path, owner: str
) -> None:
    refuse(forge(tmp_path / "b", journal([intended(owner)])), "s:1 names an owner")


def test_a_dead_owner_is_taken_in_and_the_store_opens_again(tmp_path: Path) -> None:
    forged = forge(tmp_path / "b", journal([intended("owner-0123456789abcdef")]))

    with opened(tmp_path / "store") as app:
        import_project(app.store, forged, STAMP)
    with opened(tmp_path / "store") as app:
        assert GIFT in app.store.engine.heads()


def test_a_payload_that_is_no_event_of_its_kind_is_refused(refuse: Refuse, tmp_path: Path) -> None:
    [entry] = journal([naming("x")])
    for payload in (b'{"key":1}', b"[]", b"null", b'{"owner":"\\u001b[2J"}'):
        forged = replace(entry, payload=payload, payload_digest=digest_of(payload))
        forged = replace(forged, hash=forged.hash_after(genesis(GIFT).hash))

        refuse(forge(tmp_path / "b", [forged]), "s:1 is no event")

        (tmp_path / "b").unlink()


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"tick": 2**62}, "does not follow"),
        ({"tick": -1}, "does not follow"),
        ({"tick": 1}, "does not follow"),
        ({"at": "soon", "clock": "soon"}, "a time that none has"),
    ],
)
def test_a_tick_or_time_that_none_has_is_refused(
    refuse: Refuse, tmp_path: Path, change: dict[str, Any], why: str
) -> None:
    forged = replace(journal([naming("x")])[0], **change)
    forged = replace(forged, hash=forged.hash_after(genesis(GIFT).hash))

    refuse(forge(tmp_path / "b", [forged]), why)


def test_what_cannot_have_happened_is_refused_and_the_store_stays_sound(tmp_path: Path) -> None:
    forged = forge(tmp_path / "b", journal([RecordUpdated(id="R001", title="Never created")]))

    with opened(tmp_path / "store") as app:
        with pytest.raises(BundleDamaged, match="s:1 cannot have happened"):
            import_project(app.store, forged, STAMP)

        assert GIFT not in app.store.engine.heads()
        assert verify(app.store).findings == ()


def test_ids_beyond_counting_are_refused(refuse: Refuse, tmp_path: Path) -> None:
    block = IdBlockGranted(prefix="T", first=2**62, size=100)

    refuse(forge(tmp_path / "b", journal([block])), "grants ids")


@pytest.mark.parametrize("project", ["../x", "a b", "\x1b[2J", "x" * 65, "", "@other"])
def test_a_project_that_could_not_have_been_created_is_refused(
    refuse: Refuse, tmp_path: Path, project: str
) -> None:
    refuse(forge(tmp_path / "b", journal([naming("x")], project)), "project|whose")


@pytest.mark.parametrize("opening", [{"name": ""}, {"name": 7}, {"description": "x" * 100_000}])
def test_a_name_that_could_not_have_been_given_is_refused(
    refuse: Refuse, tmp_path: Path, opening: dict[str, Any]
) -> None:
    refuse(forge(tmp_path / "b", journal([naming("x")]), **opening), "of no project")


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME])
def test_a_header_that_claims_to_be_long_is_not_read(
    refuse: Refuse, tmp_path: Path, kind: bytes
) -> None:
    member = tarfile.TarInfo("x")
    member.type, member.size = kind, 150 * MIB
    with (tmp_path / "b").open("wb") as file, zstandard.ZstdCompressor().stream_writer(file) as out:
        out.write(member.tobuf(tarfile.USTAR_FORMAT))
        for _ in range(150):
            out.write(bytes(MIB))

    tracemalloc.start()
    try:
        refuse(tmp_path / "b", "no bundle does")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert peak < 50 * MIB


def test_a_page_of_many_large_blobs_is_not_read_whole(refuse: Refuse, tmp_path: Path) -> None:
    blobs = [replace(seal(bytes([number]) * MIB * 9), codec="raw") for number in range(3)]
    blobs = [replace(blob, packed=bytes([n]) * MIB * 9) for n, blob in enumerate(blobs)]

    refuse(forge(tmp_path / "b", journal([naming("x")]), blobs), "more than a page")


def test_a_bundle_that_was_changed_since_it_was_proved_is_refused(
    app: Application, tmp_path: Path
) -> None:
    path = forge(tmp_path / "b", journal([naming("x")]))
    contents = look_through(path, app.store.kinds)
    path.unlink()
    forge(path, journal([naming("y")]))

    with pytest.raises(BundleDamaged, match="changed"):
        take_in(app.store, path, contents, GIFT)

    assert GIFT not in app.store.engine.heads()


def test_no_room_to_prove_a_bundle_is_said(tmp_path: Path) -> None:
    with (
        Path("/dev/full").open("wb", buffering=0) as full,
        pytest.raises(StorageUnavailable, match="laid aside"),
    ):
        Spool(full).add(seal(LARGE))
    with pytest.raises(StorageUnavailable, match="cannot be read"), reading(tmp_path):
        pass
