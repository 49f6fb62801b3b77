"""An import that was cut off is told as such, and the same import once more finishes it."""

from pathlib import Path

import pytest

from hansard.app import unfinished_imports
from hansard.app.application import Application
from hansard.app.keeping import importing
from hansard.app.keeping.exporting import export_project
from hansard.app.keeping.importing import import_project
from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.app.unfinished_imports import unfinished
from hansard.app.verify import verify
from hansard.sessions.contract import ProjectExists
from tests.app import kept
from tests.app.kept import PROJECT, STAMP, opened
from tests.cli.running import Hansard

COPY = "copy"


class _KilledError(BaseException):
    """Stands for a kill: nobody catches it."""


@pytest.fixture
def bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A bundle whose journal comes in several pages."""
    monkeypatch.setattr("hansard.app.keeping.bundle.ENTRIES_PAGE", 4)
    path = tmp_path / "a.bundle"
    with opened(tmp_path / "origin") as origin:
        kept.fill(origin, notes=8)
        export_project(origin.store, PROJECT, path)
    return path


STEPS = ("begin", "enter", "reserve", "withhold", "keep_blobs", "_append", "_append", "end")
"""What an import does, in order: it is killed right after each. Entries come in several pages."""


def killed(app: Application, bundle: Path, name: str | None, nth: int) -> None:
    """Import, and die right after a step."""
    step = STEPS[nth]
    where = unfinished_imports if step in ("begin", "end") else importing
    done = getattr(where, step)
    before = STEPS[:nth].count(step)
    calls = []

    def last(*given: object, **named: object) -> object:
        result = done(*given, **named)
        calls.append(step)
        if len(calls) > before:
            raise _KilledError
        return result

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(where, step, last)
        with pytest.raises(_KilledError):
            import_project(app.store, bundle, STAMP, name=name)


@pytest.mark.fault("import cut off")
@pytest.mark.parametrize("nth", range(len(STEPS)), ids=[f"{n}-{s}" for n, s in enumerate(STEPS)])
@pytest.mark.parametrize("name", [COPY, None])
def test_asked_for_again_it_ends_as_if_it_had_never_been_cut_off(
    app: Application, bundle: Path, tmp_path: Path, name: str | None, nth: int
) -> None:
    # Other ids are taken here, so that the blocks of the bundle are another project's.
    app.call("create_project", {"id": "mine", "name": "mine"}, kept.caller())
    app.call("toy_note", {"text": "mine", "project_id": "mine"}, kept.caller())
    project = name or PROJECT
    killed(app, bundle, name, nth)
    half = dict(unfinished(app.store))

    done = import_project(app.store, bundle, STAMP, name=name)
    again = import_project(app.store, bundle, STAMP, name=name)

    assert (project in half) == (STEPS[nth] != "end")
    assert unfinished(app.store) == {}
    assert again.entries == 0
    assert again.head == done.head
    with opened(tmp_path / "whole") as whole:
        at_once = import_project(whole.store, bundle, STAMP, name=name)
    assert (done.head.seq, done.head.hash) == (at_once.head.seq, at_once.head.hash)
    noted = app.call("toy_note", {"text": "x", "project_id": project}, kept.caller())
    assert noted.model_dump()["id"] != "T002"
    assert verify(app.store).findings == ()


def test_a_half_project_is_told_by_verify_doctor_and_the_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hansard.app.keeping.bundle.ENTRIES_PAGE", 4)
    hansard, bundle = Hansard(tmp_path), tmp_path / "a.bundle"
    app = start(Settings(store=str(hansard.store)))
    for _ in range(8):
        app.call("create_record", kept.RECORD, kept.caller())
    export_project(app.store, PROJECT, bundle)
    killed(app, bundle, COPY, STEPS.index("_append"))
    app.close()

    verified, listed, doctor = hansard("verify"), hansard("projects"), hansard("doctor")

    assert verified.code == 1
    for ran in (verified, listed, doctor):
        assert "copy has 4 of" in " ".join(ran.out.split())


def test_a_half_project_that_somebody_wrote_to_is_not_overwritten(
    app: Application, bundle: Path
) -> None:
    killed(app, bundle, COPY, STEPS.index("_append"))
    app.call("toy_note", {"text": "mine", "project_id": COPY}, kept.caller())
    head = app.store.engine.heads()[COPY]

    with pytest.raises(ProjectExists):
        import_project(app.store, bundle, STAMP, name=COPY)

    assert app.store.engine.heads()[COPY] == head


def test_an_empty_project_of_somebody_is_not_taken(app: Application, bundle: Path) -> None:
    app.call("create_project", {"id": COPY, "name": COPY}, kept.caller())

    with pytest.raises(ProjectExists):
        import_project(app.store, bundle, STAMP, name=COPY)
