"""Capabilities that are written down: a store is opened by that, and none is loaded for nothing."""

from dataclasses import replace
from pathlib import Path

import orjson
import pytest

from hansard.app import catalog_file
from hansard.app.application import Application
from hansard.app.catalog import Catalog
from hansard.app.settings import Settings
from hansard.app.start import catalog, start
from hansard.kernel.deferred import Deferred
from hansard.kernel.event import Kinds
from hansard.kernel.problem import StorageUnavailable, UnknownOperation
from hansard.kernel.store import Store
from hansard.kernel.view import fingerprint
from tests.conftest import a_caller

SETTINGS = Settings(store="memory:", embedder="none")
DECISION = {"title": "Tabs", "target": "style", "rationale": "Wide enough to see."}
RECORD = {"type": "note", "title": "One", "summary": "", "body": "x"}


def whole() -> Catalog:
    """List what Hansard can do, with nothing deferred."""
    return catalog(SETTINGS, written={})


def deferred(known: Catalog) -> dict[str, Deferred]:
    return {one.name: one for one in known.parts if isinstance(one, Deferred)}


def loaded(known: Catalog) -> set[str]:
    return {name for name, one in deferred(known).items() if one.is_loaded}


def test_what_is_written_down_is_what_there_is() -> None:
    assert orjson.loads(catalog_file.MADE.read_bytes()) == orjson.loads(
        orjson.dumps(catalog_file.shown(catalog(written={}).capabilities))
    )


def test_a_store_is_opened_by_it_as_by_the_capabilities_themselves() -> None:
    known, there = catalog(SETTINGS), whole()

    assert known.schema == there.schema
    assert fingerprint(known.views) == fingerprint(there.views)
    assert known.toolsets == there.toolsets
    assert known.kinds.rewriting == there.kinds.rewriting
    assert loaded(known) == set()


def test_every_kind_is_known_and_is_loaded_as_itself() -> None:
    known, there = catalog(SETTINGS).kinds, whole().kinds

    assert [*known] == [*there]
    assert all(known.advances(event.kind) == event.advances_tick for event in there)


def test_every_view_is_for_the_events_that_it_has_something_to_do_with() -> None:
    for part in deferred(catalog(SETTINGS)).values():
        for view in part.views:
            assert view.load is not None
            real = view.load()
            kinds = None if real.on_any else {event.kind for event in real.on}
            assert (view.name, view.kinds) == (real.name, kinds)


def test_what_follows_is_loaded_for_its_followers_and_nothing_else(tmp_path: Path) -> None:
    known = catalog(replace(SETTINGS, store=str(tmp_path)))

    following = {name for name, part in deferred(known).items() if part.followers is not None}

    assert following == loaded(known) == {"decisions"}


def test_a_call_loads_the_capability_that_it_is_of() -> None:
    app = start(SETTINGS)
    app.call("list_records", {}, a_caller())

    assert loaded(app.catalog) == {"records"}
    with pytest.raises(UnknownOperation):
        app.call("list_recorsd", {}, a_caller())
    assert loaded(app.catalog) == {"records"}
    app.close()


def test_what_one_process_wrote_another_reads_that_had_loaded_nothing(tmp_path: Path) -> None:
    settings = replace(SETTINGS, store=str(tmp_path / "store"), workspace=str(tmp_path))
    first, second = start(settings), start(settings)
    first.call("record_decision", DECISION, a_caller())
    project = first.default_project

    entries = second.store.read(project, lambda tx: tx.entries(limit=100))
    events = [second.store.kinds.decode(entry) for entry in entries]

    assert any(event and event.kind.startswith("decisions.") for event in events)
    assert "decisions" not in loaded(second.catalog)
    for app in (first, second):
        app.close()


def test_a_rebuild_by_who_has_loaded_nothing_derives_the_same(tmp_path: Path) -> None:
    settings = replace(SETTINGS, store=str(tmp_path / "store"), workspace=str(tmp_path))
    app = start(settings)
    app.call("create_record", RECORD, a_caller())
    before, project = app.call("list_records", {}, a_caller()), app.default_project
    app.close()

    other = start(settings)
    other.store.rebuild(project)

    assert loaded(other.catalog) == set()
    assert other.call("list_records", {}, a_caller()) == before
    other.close()


def test_what_is_not_as_it_is_written_down_is_loud() -> None:
    written = catalog_file.written()
    names = written["records"].operation_names
    stale = written | {"records": replace(written["records"], operation_names=names[:-1])}

    with pytest.raises(AssertionError, match="make generate"):
        catalog(SETTINGS, written=stale).find("list_records")


def test_of_what_nothing_is_written_down_is_there_all_the_same() -> None:
    written = catalog_file.written()
    del written["entities"]

    known = catalog(SETTINGS, written=written)

    assert known.schema == whole().schema
    assert known.find("entity_get").name == "entity_get"


def written_by(app: Application, **versions: int) -> None:
    """Have a project look as if a program had derived it whose views had these versions."""
    app.call("create_record", RECORD, a_caller())
    ours = dict(one.split(":") for one in app.store.fingerprint.split())
    theirs = " ".join(f"{name}:{version}" for name, version in (ours | versions).items())
    app.store.engine.write(app.default_project, lambda tx: tx.mark_views(theirs))


@pytest.mark.parametrize("versions", [{"recorder": 99}, {"unheard_of": 1}])
def test_a_view_of_a_newer_program_is_refused_though_none_is_loaded(
    versions: dict[str, int],
) -> None:
    app = start(SETTINGS)
    written_by(app, **versions)

    with pytest.raises(StorageUnavailable, match="newer Hansard"):
        app.call("list_records", {}, a_caller())
    app.close()


def test_an_older_view_of_a_capability_that_is_not_loaded_is_derived_again() -> None:
    app = start(SETTINGS)
    written_by(app, decisions=0)

    app.call("list_records", {}, a_caller())

    head = app.store.engine.read(app.default_project, lambda tx: tx.head())
    assert head.views == app.store.fingerprint
    app.close()


def test_a_kind_that_nobody_has_written_down_is_of_a_newer_program() -> None:
    known = catalog(SETTINGS)
    app = start(SETTINGS, known=known)
    app.call("create_record", RECORD, a_caller())
    few = Store(app.store.engine, Kinds([]), known.views)

    [entry, *_] = few.engine.read(app.default_project, lambda tx: tx.entries(limit=1))
    with pytest.raises(StorageUnavailable, match="newer Hansard"):
        few.kinds.decode(entry)
    app.close()
