"""A store that any released Hansard wrote is opened, proved, read and written to by this one."""

import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson
import pytest

from hansard.app.application import Application
from hansard.app.keeping.importing import import_project
from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.app.verify import verify
from hansard.kernel.blob import Digest
from hansard.kernel.event import SYSTEM, Receipt, Stamp
from tests.conftest import OpenApp, a_caller
from tests.formats import make_store
from tests.formats.make_store import BUNDLE, EXPECTED, PROJECT, STORE, answers, found

FIXTURE_BYTES_MAX = 200_000
STAMP = Stamp(SYSTEM, "2026-02-01T00:00:00.000000Z")

RETRACTED = {"blobPath", "lastAccessedAt"}
"""What a release said that was not so: the path of a file that was never made, and that a session
which was loaded just now was last used long ago."""

RELEASES = sorted(path.parent for path in make_store.KEPT.glob(f"*/{EXPECTED}"))
every_release = pytest.mark.parametrize("kept", RELEASES, ids=lambda path: path.name)


@contextmanager
def unpacked(kept: Path, space: Path) -> Iterator[Application]:
    """Open a copy of the store that a release left."""
    with tarfile.open(kept / STORE) as packed:
        packed.extractall(space / "store", filter="data")
    (space / "workspace").mkdir()
    app = start(Settings(store=str(space / "store"), workspace=str(space / "workspace")))
    try:
        yield app
    finally:
        app.close()


def expected(kept: Path) -> dict[str, Any]:
    content: dict[str, Any] = orjson.loads((kept / EXPECTED).read_bytes())
    return content


def receipts(kept: Path) -> list[Receipt]:
    heads = expected(kept)["heads"].values()
    return [Receipt(seq, Digest(hashed)) for seq, hashed in heads]


def holds(answer: object, then: object) -> bool:
    """Whether an answer has all that it had then; fields may have been added or filled since."""
    if isinstance(then, dict) and isinstance(answer, dict):
        said = then.keys() - RETRACTED
        return all(name in answer and holds(answer[name], then[name]) for name in said)
    if isinstance(then, list) and isinstance(answer, list):
        return len(answer) == len(then) and all(map(holds, answer, then))
    return then is None or answer == then


def write_some(app: Application) -> None:
    caller = a_caller()
    record = {"type": "note", "title": "Later", "summary": "s", "body": "Written by a newer one."}
    made = app.call("create_record", record, caller).model_dump()
    assert made["record"]["id"] > "R003"
    app.call("activate", {"id": "R001"}, caller)
    app.call("update_record", {"id": "R001", "title": "Sail south"}, caller)
    app.call("file_op", {"action": "create", "path": "b.txt", "content": "new\n"}, caller)
    why = "The newer program writes into the older one's store."
    decision = {"title": "Go on", "target": "formats", "rationale": why}
    app.call("record_decision", decision, caller)


def test_this_version_and_its_formats_have_left_a_store() -> None:
    name = make_store.CURRENT.name

    assert (make_store.CURRENT / EXPECTED).exists(), (
        f"There is no store that this Hansard has written: tests/formats/{name} is missing. "
        "Make it with `.venv/bin/python -m tests.formats.make_store`, and commit it"
    )


@every_release
def test_what_is_kept_is_small(kept: Path) -> None:
    for path in kept.iterdir():
        assert path.stat().st_size < FIXTURE_BYTES_MAX, path.name


@every_release
def test_a_store_of_any_release_is_opened_and_proved(kept: Path, tmp_path: Path) -> None:
    with unpacked(kept, tmp_path) as app:
        at_first = verify(app.store, quick=True, receipts=receipts(kept))
        then = expected(kept)
        differing = [
            name
            for (name, _), now, before in zip(
                make_store.ANSWERS, answers(app), then["answers"], strict=True
            )
            if not holds(now, before)
        ]
        found_now = found(app)
        upgraded = verify(app.store, receipts=receipts(kept))

    assert (at_first.exit_code, at_first.findings) == (0, ())
    assert differing == []
    assert found_now == then["found"]
    assert (upgraded.exit_code, upgraded.findings) == (0, ())


@every_release
def test_a_store_of_any_release_goes_on(kept: Path, tmp_path: Path) -> None:
    with unpacked(kept, tmp_path) as app:
        write_some(app)
        # Each project's views are derived by the first look at it.
        app.call("list_projects", {}, a_caller())

        report = verify(app.store, receipts=receipts(kept))

    assert (report.exit_code, report.findings) == (0, ())


@every_release
def test_a_bundle_of_any_release_is_taken_in_by_every_engine(kept: Path, open_app: OpenApp) -> None:
    app = open_app()
    seq, hashed = expected(kept)["heads"][PROJECT]

    done = import_project(app.store, kept / BUNDLE, STAMP)
    write_some(app)
    report = verify(app.store, receipts=[Receipt(seq, Digest(hashed))])

    assert done.head.seq >= seq
    assert (report.exit_code, report.findings) == (0, ())
    assert found(app) == expected(kept)["found"]
