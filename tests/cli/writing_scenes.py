"""Every command that writes a file or folder for a person, each to be struck while it writes."""

from pathlib import Path
from typing import Any

from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.kernel.operation import Caller, Seat
from tests.cli.running import AGENT, Hansard
from tests.crash.stage import Stage

SESSION = "told"
BACKUPS = "backups"

COMMANDS = {
    "export": ("export", "default", "{out}/a.bundle"),
    "backup": ("backup", "{out}"),
    "restore-backup": ("restore-backup", "{folder}/backups", "--store", "{out}/store"),
    "push": ("push", "{out}/store"),
    "replay": ("replay", SESSION, "{out}/a.html"),
    "export-to-vault": ("export-to", "vault", "{out}/vault"),
    "export-to-agent-trace": ("export-to", "agent-trace", "{out}/a.jsonl"),
    "export-to-jsonl": ("export-to", "jsonl", "{out}/a.jsonl"),
    "entities-export": ("entities", "export", "--output", "{out}/a.jsonl"),
    "checkpoints-export": ("checkpoints", "export", SESSION, "--output", "{out}/a.jsonl"),
}


def prepare(folder: Path) -> None:
    """Make a store with a session, a checkpoint and an entity, and a backup of it."""
    workspace = folder / "workspace"
    workspace.mkdir(parents=True)
    hansard = Hansard(folder)
    app = start(Settings(store=str(hansard.store), workspace=str(workspace)))
    caller = Caller(AGENT, session=SESSION, seat=Seat())
    calls: list[tuple[str, dict[str, Any]]] = [
        ("file_op", {"action": "create", "path": "a.py", "content": "one\n"}),
        ("file_op", {"action": "edit", "path": "a.py", "content": "two\n"}),
        ("create_record", {"type": "note", "title": "T", "summary": "s", "body": "b" * 90_000}),
        ("record_decision", {"title": "D", "target": "x", "rationale": "because it is so"}),
        ("workflow_checkpoint_save", {"context": {"at": "work"}}),
        ("entity_create", {"type": "textDocument", "data": {"title": "T", "content": "c"}}),
    ]
    try:
        for name, arguments in calls:
            app.call(name, arguments, caller)
    finally:
        app.close()
    hansard("backup", str(folder / BACKUPS))


def hansard_in(folder: Path) -> Hansard:
    """Give the command for what was prepared."""
    hansard = Hansard(folder)
    hansard.environment["HANSARD_WORKSPACE"] = str(folder / "workspace")
    return hansard


def arguments(name: str, folder: Path, out: Path) -> list[str]:
    """Write out a command that writes into a folder."""
    return [part.format(out=out, folder=folder) for part in COMMANDS[name]]


def write(stage: Stage) -> None:
    """Run the command that the test has named, into a folder that is struck, and tell how it went.

    The store lies elsewhere, so that nothing but what is written for a person is struck.
    """
    name, prepared = (stage.folder.parent / "command").read_text().split("\n")
    hansard = hansard_in(Path(prepared))
    stage.gate("write")
    ran = hansard(*arguments(name, Path(prepared), stage.folder))
    stage.gate("done")
    stage.tell(code=ran.code, out=ran.out, err=ran.err)
