"""A process that dies between taking a file away and looking at it: what it took is given back.

What others wrote in the moment before lies then in its temporary file, and nowhere else.
"""

import errno
import os
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from hansard.app.application import Application
from hansard.app.verify import verify
from hansard.kernel.engine import WriteTx
from hansard.kernel.event import SYSTEM, Stamp
from hansard.kernel.operation import Caller
from hansard.kernel.problem import StorageUnavailable
from hansard.recorder import rules
from hansard.recorder.events import FileOpIntended
from hansard.recorder.gateway import Gateway
from hansard.recorder.workspace import linux
from hansard.recorder.workspace.folder import Folder
from hansard.recorder.workspace.temporaries import PREFIX, new_name
from tests.conftest import OpenApp, a_caller
from tests.recorder.asking import contents, create, edit, evolution, sha256, sources, timeline

ONE, TWO, OTHERS = "one\n", "one\ntwo\n", "one\nand a person's\n"
DEAD = "owner-0123456789abcdef"


class Crashed(BaseException):
    """Stands for the end of the process: nobody catches it, so nothing more is recorded."""


def die_taking(app: Application, caller: Caller, file: Path, **change: Any) -> None:
    """Die right after a file was taken away that somebody had saved right before."""
    real = linux.renameat2

    def renameat2(*arguments: Any) -> None:
        mine = file.with_name("editors-own")
        mine.write_text(OTHERS)
        mine.rename(file)
        real(*arguments)
        raise Crashed

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(linux, "renameat2", renameat2)
        patch.setattr(Folder, "unlink", lambda *_: None)  # the dead clean nothing up
        with pytest.raises(Crashed):
            app.call("file_op", {"path": file.name, **change}, caller)
    die(app)


def die(app: Application) -> None:
    """Let go of what the process held, as the system does when it ends."""
    for capability in app.catalog.capabilities:
        if capability.close:
            capability.close()


def held(app: Application, caller: Caller, path: str) -> list[str | None]:
    """Give the digests of what a file has held, oldest first."""
    return [one.sha256 for one in (evolution(app, caller, path=path).revisions or ())[::-1]]


EDIT = {"action": "edit", "content": TWO}
DELETE = {"action": "delete"}

either = pytest.mark.parametrize("change", [EDIT, DELETE], ids=["edit", "delete"])


@pytest.mark.fault("hand edit")
@either
def test_what_somebody_saved_just_before_is_given_back(
    open_app: OpenApp, files: Path, change: dict[str, Any]
) -> None:
    first, agent = open_app(), a_caller()
    create(first, agent, "a", ONE)
    die_taking(first, agent, files / "a", **change)

    second = open_app()

    assert contents(files) == {"a": OTHERS.encode()}
    last = timeline(second, agent, path="a")[-1]
    assert (last.kind, last.status) == (f"file_{change['action']}", "conflict")
    edit(second, agent, "a", "three\n")
    assert sources(second, agent, "a") == ["executed", "external", "executed"]
    assert held(second, agent, "a")[1] == sha256(OTHERS)
    assert verify(second.store).findings == ()


@pytest.mark.fault("hand edit")
@either
def test_who_dies_once_more_while_giving_it_back_leaves_it_to_the_next(
    open_app: OpenApp, files: Path, change: dict[str, Any]
) -> None:
    first, second, agent = open_app(), open_app(), a_caller()
    create(first, agent, "a", ONE)
    die_taking(first, agent, files / "a", **change)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Folder, "unlink", crash)
        with pytest.raises(Crashed):
            second.recover()

    third = open_app()

    assert timeline(third, agent, path="a")[-1].status == "conflict"
    assert contents(files) == {"a": OTHERS.encode()}


def crash(*_: object) -> None:
    raise Crashed


@pytest.mark.fault("hand edit")
@either
def test_what_cannot_be_given_back_is_recorded(
    open_app: OpenApp, files: Path, change: dict[str, Any]
) -> None:
    first, agent = open_app(), a_caller()
    create(first, agent, "a", ONE)
    die_taking(first, agent, files / "a", **change)
    (files / "a").write_text("a person's last\n")

    second = open_app()

    assert contents(files) == {"a": b"a person's last\n"}
    assert "conflict" in [one.status for one in timeline(second, agent, path="a")]
    assert held(second, agent, "a") == [sha256(ONE), sha256(OTHERS)]
    assert sources(second, agent, "a") == ["executed", "external"]
    assert verify(second.store).findings == ()


@pytest.mark.fault("hand edit")
def test_it_is_recorded_once_though_whoever_records_it_dies(open_app: OpenApp, files: Path) -> None:
    first, second, agent = open_app(), open_app(), a_caller()
    create(first, agent, "a", ONE)
    die_taking(first, agent, files / "a", **EDIT)
    (files / "a").write_text("a person's last\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Folder, "unlink", crash)
        with pytest.raises(Crashed):
            second.recover()
    assert len(leftovers(files)) == 1

    third = open_app()

    assert sources(third, agent, "a") == ["executed", "external"]
    assert leftovers(files) == []


def leftovers(files: Path) -> list[Path]:
    return list(files.rglob(f"{PREFIX}*"))


def announced(app: Application, files: Path, path: str) -> None:
    """Record, as a process that is dead by now, that ONE is about to become TWO."""
    before, after = (rules.reference(text.encode(), 0o644, []) for text in (ONE, TWO))
    with closing(Gateway(files, store=None, redact=True)) as gateway:
        workspace = gateway.identity
    intent = FileOpIntended(
        owner=DEAD,
        workspace=workspace,
        path=path,
        action="edit",
        to=None,
        before=before,
        after=after,
        added=1,
        removed=0,
        revision=None,
        step=None,
        cites=[],
        restore=None,
    )

    def work(tx: WriteTx) -> None:
        app.store.record(tx, intent, Stamp(SYSTEM, "2026-01-01T00:00:00.000000Z"))

    app.store.write(app.default_project, work)


@pytest.mark.parametrize("found", [ONE, OTHERS, TWO], ids=["as it was", "another's", "as wanted"])
@pytest.mark.parametrize("half", ["", TWO[:5]], ids=["nothing", "half"])
def test_what_the_dead_had_only_begun_to_write_is_nobodys(
    open_app: OpenApp, files: Path, found: str, half: str
) -> None:
    app, agent = open_app(), a_caller()
    for path, content in (("a", ONE), ("b", TWO)):
        create(app, agent, path, content)
    announced(app, files, "a")
    (files / "a").write_text(found)
    (files / new_name(DEAD, "a")).write_text(half)

    second = open_app()

    assert contents(files) == {"a": found.encode(), "b": TWO.encode()}
    assert sources(second, agent, "a") == ["executed"] * (2 if found == TWO else 1)


def test_what_was_taken_from_several_files_at_once_is_told_apart(
    open_app: OpenApp, files: Path
) -> None:
    app, agent = open_app(), a_caller()
    create(app, agent, "c", TWO)
    for path in ("a", "b"):
        create(app, agent, path, ONE)
        announced(app, files, path)
        (files / path).write_text(TWO)
        (files / new_name(DEAD, path)).write_text(f"{path} of a person\n")

    open_app()

    of_a_person = {path: f"{path} of a person\n".encode() for path in ("a", "b")}
    assert contents(files) == {**of_a_person, "c": TWO.encode()}


def test_a_link_that_was_taken_away_is_given_back(open_app: OpenApp, files: Path) -> None:
    app, agent = open_app(), a_caller()
    for path, content in (("a", ONE), ("b", TWO)):
        create(app, agent, path, content)
    announced(app, files, "a")
    (files / "a").write_text(TWO)
    (files / new_name(DEAD, "a")).symlink_to("b")

    second = open_app()

    assert (files / "a").readlink() == Path("b")
    assert sources(second, agent, "a") == ["executed"]
    assert leftovers(files) == []


def test_a_file_that_somebody_still_writes_into_is_given_back(
    open_app: OpenApp, files: Path
) -> None:
    app, agent = open_app(), a_caller()
    for path, content in (("a", ONE), ("b", TWO)):
        create(app, agent, path, content)
    announced(app, files, "a")
    with (files / "a").open("a") as file:
        (files / "a").rename(files / new_name(DEAD, "a"))
        (files / "a").write_text(TWO)

        second = open_app()
        file.write("more of a person's\n")

    assert (files / "a").read_text() == ONE + "more of a person's\n"
    assert sources(second, agent, "a") == ["executed"]
    assert leftovers(files) == []


def test_what_no_intent_speaks_of_is_removed_with_the_last(open_app: OpenApp, files: Path) -> None:
    app, agent = open_app(), a_caller()
    create(app, agent, "c", TWO)
    for path in ("a", "b"):
        create(app, agent, path, ONE)
        announced(app, files, path)
    for name in (new_name(DEAD, "gone"), f"{PREFIX}{DEAD}-0123456789abcdef"):
        (files / name).write_text(OTHERS)

    second = open_app()

    assert leftovers(files) == []
    assert sources(second, agent, "a") == sources(second, agent, "b") == ["executed"]


@pytest.mark.parametrize("code", [errno.EROFS, errno.EIO], ids=["read-only", "failing"])
@pytest.mark.parametrize("step", ["unlink", "exchange"])
def test_where_nothing_can_be_cleaned_up_the_rest_is_served(
    open_app: OpenApp, files: Path, monkeypatch: pytest.MonkeyPatch, step: str, code: int
) -> None:
    first, agent = open_app(), a_caller()
    create(first, agent, "a", ONE)
    die_taking(first, agent, files / "a", **EDIT)

    def refuse(*_: object) -> None:
        raise OSError(code, os.strerror(code))

    with monkeypatch.context() as patch:
        patch.setattr(Folder, step, refuse)
        second = open_app()
        with pytest.raises(StorageUnavailable):
            edit(second, agent, "a", "three\n")
        assert timeline(second, agent, path="a")[-1].status == "open"

    third = open_app()
    assert timeline(third, agent, path="a")[-1].status == "conflict"
    assert (files / "a").read_text() == OTHERS
    assert leftovers(files) == []
