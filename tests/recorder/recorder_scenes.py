"""What the crash tests kill: operations on files through the whole application."""

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hansard.app import start
from hansard.app.application import Application
from hansard.app.settings import Settings
from hansard.kernel.blob import digest_of
from hansard.kernel.event import Actor
from hansard.kernel.operation import Caller, Seat
from hansard.kernel.private_files import sync_folder
from hansard.recorder.going_back.answers import WentBackAnswer
from hansard.recorder.workspace.files import Workspace
from hansard.recorder.workspace.folder import Folder
from hansard.recorder.workspace.paths import FilePath
from hansard.recorder.workspace.states import FileState
from tests.crash.stage import Stage

STORE, WORKSPACE = "store", "ws"
SESSION = "the-session"
OLD, NEW = "the old text\n" * 20, "the new text\n" * 30
AGENT = Caller(Actor("agent", "killed", "agent"), session=SESSION, seat=Seat())


def open_recorder(folder: Path) -> Application:
    """Open the recorder of a folder, as the program does."""
    (folder / WORKSPACE).mkdir(exist_ok=True)
    return start.start(Settings(store=str(folder / STORE), workspace=str(folder / WORKSPACE)))


def call(app: Application, name: str, **arguments: Any) -> Any:
    """Ask as the agent of the scene."""
    return app.call(name, arguments, AGENT)


def create(stage: Stage) -> None:
    """Make a file in a folder that is not there."""
    play(stage, lambda app: call(app, "file_op", action="create", path="d/new", content=NEW))


def edit(stage: Stage) -> None:
    """Change a file."""
    play(stage, edit_a)


def delete(stage: Stage) -> None:
    """Remove a file."""
    play(stage, lambda app: call(app, "file_op", action="delete", path="a"))


def move(stage: Stage) -> None:
    """Move a file to a folder that is not there."""
    play(stage, lambda app: call(app, "file_op", action="move", path="a", to="d/moved"))


def batch(stage: Stage) -> None:
    """Change several files at once."""
    ops = [
        {"action": "edit", "path": "a", "content": NEW},
        {"action": "delete", "path": "b"},
        {"action": "create", "path": "new", "content": NEW},
    ]
    play(stage, lambda app: call(app, "file_op", ops=ops))


def restore(stage: Stage) -> None:
    """Bring everything back to where the session began."""
    play(stage, lambda app: call(app, "restore"))


OF_A_PERSON = "a line of a person\n"


def undo(stage: Stage) -> None:
    """Take back a batch, between whose lines a person has written since."""

    def deed(app: Application) -> Any:
        return call(app, "undo", entry=f"s:{changed}")

    app = prepared(stage.folder)
    ops = [
        {"action": "edit", "path": name, "content": f"changed\n{name}: {OLD}"}
        for name in ("a", "b")
    ]
    changed = call(app, "file_op", ops=ops).results[0].seq
    for name in ("a", "b"):
        write_as_a_person(stage.folder / WORKSPACE / name, "a")
    act(stage, app, deed)


def restore_over_outside(stage: Stage) -> None:
    """Bring everything back though a person has written into it, and changed permissions."""
    app = prepared(stage.folder)
    for name in ("a", "b"):
        write_as_a_person(stage.folder / WORKSPACE / name, "w")
    act(stage, app, lambda app: call(app, "restore"))


def write_as_a_person(path: Path, how: str) -> None:
    """Write into a file past Hansard, and change its permissions; it is on disk afterwards."""
    with path.open(how) as file:
        file.write(OF_A_PERSON)
        file.flush()
        path.chmod(0o640)
        os.fsync(file.fileno())


def settle_before(stage: Stage) -> None:
    """Start again after a process died before it changed a file, all but."""
    settle(stage, dying_at="exchange")


def settle_after(stage: Stage) -> None:
    """Start again after a process died when it had just changed a file."""
    settle(stage, dying_at="sync")


def settle_taken(stage: Stage) -> None:
    """Start again after a process died that had just taken away what a person wrote."""
    settle(stage, dying_at="sync", saved=True)


def settle(stage: Stage, *, dying_at: str, saved: bool = False) -> None:
    """Have a process die in the midst of an edit, and start again."""
    dying = os.fork()
    if not dying:
        app = prepared(stage.folder)
        if saved:
            die_taking(stage.folder / WORKSPACE / "a")
        setattr(Folder, dying_at, lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL))
        edit_a(app)
    os.waitpid(dying, 0)
    stage.gate("op")
    app = open_recorder(stage.folder)
    stage.gate("close")
    app.close()


def die_taking(path: Path) -> None:
    """Have a person save a file right before it is exchanged, and the process die right after."""
    real = Folder.exchange

    def exchange(folder: Folder, name: str, other: str) -> bool:
        saved = path.with_name("of-a-person")
        saved.touch()
        write_as_a_person(saved, "w")
        saved.rename(path)
        sync_folder(path.parent)
        real(folder, name, other)
        os.kill(os.getpid(), signal.SIGKILL)
        return True

    Folder.exchange = exchange  # type: ignore[method-assign,assignment]


def edit_a(app: Application) -> Any:
    return call(app, "file_op", action="edit", path="a", content=NEW)


def prepared(folder: Path) -> Application:
    """Start from some files, two of them changed before."""
    workspace = folder / WORKSPACE
    workspace.mkdir(exist_ok=True)
    for name in ("a", "b"):
        (workspace / name).write_text(OLD)
    app = open_recorder(folder)
    for name in ("a", "b"):
        call(app, "file_op", action="edit", path=name, content=f"{name}: {OLD}")
    return app


def play(stage: Stage, deed: Callable[[Application], Any]) -> None:
    """Do something to some files."""
    act(stage, prepared(stage.folder), deed)


def act(stage: Stage, app: Application, deed: Callable[[Application], Any]) -> None:
    """Stop before the deed, and tell if all of it was done."""
    stage.gate("op")
    result = deed(app)
    steps = result.files if isinstance(result, WentBackAnswer) else result.results
    if all(step.status in (None, "done") for step in steps):
        stage.tell(done=True)
    stage.gate("close")
    app.close()


# Broken on purpose: the checks must find these out.


def edit_in_place(stage: Stage) -> None:
    """Change a file by writing into it."""

    def replace(_: Workspace, path: FilePath, content: bytes, **__: Any) -> FileState:
        with (stage.folder / WORKSPACE / str(path)).open("wb", buffering=0) as file:
            for line in content.splitlines(keepends=True):
                file.write(line)
        return FileState(content, digest_of(content), 0o644)

    Workspace.replace = replace  # type: ignore[method-assign,assignment]
    edit(stage)


def edit_before_recording(stage: Stage) -> None:
    """Change a file first and record it afterwards."""

    def deed(app: Application) -> None:
        (stage.folder / WORKSPACE / "a").write_text(NEW)
        call(app, "record_file_edit", path="a", content=NEW)

    play(stage, deed)


def edit_without_sync(stage: Stage) -> None:
    """Change a file without making sure that the change is on disk."""
    Folder.sync = lambda self: None  # type: ignore[method-assign] # noqa: ARG005
    edit(stage)
