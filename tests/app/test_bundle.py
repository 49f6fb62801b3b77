"""Bundles: the same project in another store, on any engine; damage is refused by name."""

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import zstandard

from hansard.app.application import Application
from hansard.app.keeping.bundle import BundleDamaged, entry_line, reading, writing
from hansard.app.keeping.exporting import export_project
from hansard.app.keeping.importing import import_project, look_through
from hansard.app.verify import verify
from hansard.engines.memory import MemoryEngine
from hansard.kernel import paging
from hansard.kernel.blob import Blob
from hansard.kernel.event import Entry
from hansard.kernel.problem import InvalidInput
from hansard.kernel.store import CATALOG, Store
from hansard.sessions.contract import ProjectExists, ProjectNotFound
from tests.app import kept
from tests.app.kept import PROJECT, STAMP, opened
from tests.conftest import OpenApp


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """A bundle of a project with something of every sort in it."""
    with opened(tmp_path / "origin") as app:
        kept.fill(app)
        app.call("toy_start", {"text": "chosen", "session_id": "my-session"}, kept.caller())
        export_project(app.store, PROJECT, tmp_path / "a.bundle")
    return tmp_path / "a.bundle"


@pytest.fixture
def other() -> Iterator[Store]:
    """An empty store that forgets."""
    engine = MemoryEngine(kept.schema())
    yield kept.store_on(engine)
    engine.close()


def entries(store: Store, project: str = PROJECT) -> list[Entry]:
    return store.read(project, lambda tx: list(paging.entries(tx)))


def test_it_comes_and_goes_exactly_on_every_engine(
    app: Application, bundle: Path, tmp_path: Path
) -> None:
    done = import_project(app.store, bundle, STAMP)
    export_project(app.store, PROJECT, tmp_path / "back.bundle")

    with opened(tmp_path / "origin") as origin:
        assert entries(app.store) == entries(origin.store)
        assert done.head.hash == origin.store.engine.heads()[PROJECT].hash
        for asked in ("toy_list", "list_records"):
            there = origin.call(asked, {}, kept.caller())
            assert app.call(asked, {}, kept.caller()) == there
        again = import_project(origin.store, tmp_path / "back.bundle", STAMP)
        assert again.entries == 0
    assert verify(app.store).findings == ()
    assert bundle.read_bytes() == (tmp_path / "back.bundle").read_bytes()


def test_a_session_of_a_chosen_id_goes_on_there(app: Application, bundle: Path) -> None:
    import_project(app.store, bundle, STAMP)

    done = app.call("toy_go_on", {"text": "more", "session_id": "my-session"}, kept.caller())

    assert done.model_dump()["session_id"] == "my-session"


def test_ids_go_on_where_they_were(app: Application, bundle: Path) -> None:
    import_project(app.store, bundle, STAMP)
    app.call("create_project", {"id": "second", "name": "Second"}, kept.caller())

    here = app.call("toy_note", {"text": "x"}, kept.caller()).model_dump()["id"]
    second = app.call("toy_note", {"text": "x", "project_id": "second"}, kept.caller())

    assert (here, second.model_dump()["id"]) == ("T008", "T101")


def test_no_id_is_given_twice_where_another_project_has_its_block(
    app: Application, bundle: Path
) -> None:
    app.call("create_project", {"id": "first", "name": "First"}, kept.caller())
    first = app.call("toy_note", {"text": "x", "project_id": "first"}, kept.caller())
    import_project(app.store, bundle, STAMP)

    here = app.call("toy_note", {"text": "x"}, kept.caller())

    assert (first.model_dump()["id"], here.model_dump()["id"]) == ("T001", "T101")
    assert verify(app.store).findings == ()


def test_a_project_that_is_the_beginning_goes_on(other: Store, bundle: Path) -> None:
    import_project(other, bundle, STAMP)
    before = other.engine.heads()[PROJECT]
    with opened(bundle.parent / "origin") as origin:
        origin.call("toy_note", {"text": "later"}, kept.caller())
        export_project(origin.store, PROJECT, bundle.with_name("later"))
        head = origin.store.engine.heads()[PROJECT]

    done = import_project(other, bundle.with_name("later"), STAMP)

    assert done.entries == head.seq - before.seq > 0
    assert done.head == head
    assert verify(other).findings == ()


def test_a_project_that_went_another_way_is_refused(open_app: OpenApp, bundle: Path) -> None:
    app = open_app()
    import_project(app.store, bundle, STAMP)
    app.call("toy_note", {"text": "another way"}, kept.caller())
    before = entries(app.store)
    with opened(bundle.parent / "origin") as origin:
        origin.call("toy_note", {"text": "later"}, kept.caller())
        origin.call("toy_note", {"text": "later"}, kept.caller())
        export_project(origin.store, PROJECT, bundle.with_name("later"))

    for path in (bundle, bundle.with_name("later")):
        with pytest.raises(ProjectExists):
            import_project(app.store, path, STAMP)

    assert entries(app.store) == before


def test_of_an_older_bundle_of_the_project_it_is_said_that_all_is_here(
    open_app: OpenApp, bundle: Path
) -> None:
    app = open_app()
    import_project(app.store, bundle, STAMP)
    app.call("toy_note", {"text": "later"}, kept.caller())
    before = entries(app.store)

    with pytest.raises(ProjectExists) as refused:
        import_project(app.store, bundle, STAMP)

    assert refused.value.details["entries_more"] > 0
    assert entries(app.store) == before


def test_under_another_name_it_is_another_project(app: Application, bundle: Path) -> None:
    import_project(app.store, bundle, STAMP)
    done = import_project(app.store, bundle, STAMP, name="copy")

    ours, theirs = entries(app.store), entries(app.store, "copy")

    assert done.is_renamed
    assert [entry.payload for entry in ours] == [entry.payload for entry in theirs[: len(ours)]]
    assert {entry.hash for entry in ours} & {entry.hash for entry in theirs} == set()
    noted = app.call("toy_note", {"text": "x", "project_id": "copy"}, kept.caller())
    assert noted.model_dump()["id"] == "T101"
    assert verify(app.store).findings == ()
    with pytest.raises(ProjectExists):
        import_project(app.store, bundle, STAMP, name="copy")
    with pytest.raises(InvalidInput):
        import_project(app.store, bundle, STAMP, name="@catalog")


def test_what_is_not_there_or_there_already_is_not_exported(tmp_path: Path) -> None:
    with opened(tmp_path / "store") as app:
        app.call("toy_note", {"text": "x"}, kept.caller())
        with pytest.raises(ProjectNotFound):
            export_project(app.store, "nowhere", tmp_path / "b")
        (tmp_path / "b").write_text("mine")
        with pytest.raises(InvalidInput):
            export_project(app.store, PROJECT, tmp_path / "b")
    assert (tmp_path / "b").read_text() == "mine"
    assert not list(tmp_path.glob(".b*"))


def test_every_flipped_byte_is_found(other: Store, bundle: Path) -> None:
    whole = bundle.read_bytes()
    chance = random.Random(7)
    for place in [0, 1, 2, 3, len(whole) - 1, *(chance.randrange(len(whole)) for _ in range(60))]:
        flipped = bytearray(whole)
        flipped[place] ^= 1 << chance.randrange(8)
        bundle.write_bytes(flipped)

        with pytest.raises(BundleDamaged):
            look_through(bundle, other.kinds)


@pytest.mark.parametrize("part", [0.0, 0.1, 0.5, 0.9, 0.999])
def test_a_bundle_cut_short_is_refused_and_leaves_no_entry(
    other: Store, bundle: Path, part: float
) -> None:
    whole = bundle.read_bytes()
    bundle.write_bytes(whole[: int(len(whole) * part)])

    with pytest.raises(BundleDamaged):
        import_project(other, bundle, STAMP)

    assert other.engine.heads() == {}


def test_a_forged_bundle_is_refused_by_the_place_of_the_forgery(other: Store, bundle: Path) -> None:
    raw = zstandard.ZstdDecompressor().stream_reader(bundle.read_bytes()).read()
    assert raw.count(b'"text":"note 3"') == 1
    forged = raw.replace(b'"text":"note 3"', b'"text":"note 4"')
    bundle.write_bytes(zstandard.ZstdCompressor().compress(forged))

    with pytest.raises(BundleDamaged) as refused:
        import_project(other, bundle, STAMP)

    assert refused.value.details["seq"] == 6
    assert other.engine.heads() == {}


def test_a_blob_that_is_not_what_its_name_says_is_refused_before_any_entry(
    other: Store, bundle: Path
) -> None:
    forged = bundle.with_name("forged")
    with reading(bundle) as read, writing(forged) as written:
        written.begin(read.opening)
        for page in read.pages():
            if blobs := [thing for thing in page if isinstance(thing, Blob)]:
                written.add_blobs([replace(blobs[0], codec="raw", packed=b"else"), *blobs[1:]])
            if journal := [thing for thing in page if isinstance(thing, Entry)]:
                written.add_entries(journal)
        written.finish()

    with pytest.raises(BundleDamaged, match=blobs_first(bundle)):
        look_through(forged, other.kinds)
    with pytest.raises(BundleDamaged, match=blobs_first(bundle)):
        import_project(other, forged, STAMP)

    assert other.engine.heads() == {}


def blobs_first(bundle: Path) -> str:
    """Give the digest of a bundle's first blob."""
    with reading(bundle) as read:
        first = next(iter(read.pages()))[0]
        assert isinstance(first, Blob)
        return first.digest


def test_the_catalog_is_no_project(other: Store, tmp_path: Path) -> None:
    with opened(tmp_path / "store") as app:
        app.call("toy_note", {"text": "x"}, kept.caller())
        export_project(app.store, CATALOG, tmp_path / "b")

    with pytest.raises(InvalidInput):
        import_project(other, tmp_path / "b", STAMP)


def test_a_line_of_a_bundle_holds_the_payload_as_json(bundle: Path) -> None:
    with reading(bundle) as read:
        lines = [
            entry_line(thing) for page in read.pages() for thing in page if isinstance(thing, Entry)
        ]

    assert any(b'"payload":{"id":"T004","text":"note 3"}' in line for line in lines)
