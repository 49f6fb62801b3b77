"""Drills of what capabilities write: each operation is wholly in the journal, or not at all."""

import tempfile
from collections.abc import Callable
from functools import cache, partial, wraps
from pathlib import Path
from typing import Any

from hansard.app import start, tokens
from hansard.app.application import Application
from hansard.app.settings import Settings
from hansard.kernel import paging
from hansard.kernel.event import Actor, Stamp
from hansard.kernel.operation import Caller, Seat
from tests.crash import checks
from tests.crash.harness import Aftermath
from tests.crash.scenes import LARGE_BODY, STORE
from tests.crash.stage import Scene, Stage
from tests.crash.sweep import Drill

WHY = "It was agreed upon in the meeting."
AGENT = Caller(Actor("agent", "struck", "agent"), session="the-session", seat=Seat())
PERSON = Stamp(Actor("human", "ada", "admin"), "2026-01-02T03:04:05.000000Z")

Deed = Callable[[Application], Any]

_DEEDS: dict[Scene, Deed] = {}


def opened(folder: Path) -> Application:
    """Open the store of a folder with all that Hansard can do."""
    workspace = folder / "ws"
    workspace.mkdir(exist_ok=True)
    return start.start(Settings(store=str(folder / STORE), workspace=str(workspace)))


def call(app: Application, operation: str, **arguments: Any) -> Any:
    """Ask as an agent."""
    return app.call(operation, arguments, AGENT)


def prepare(folder: Path) -> None:
    """Start from a store in which there is something to change."""
    app = opened(folder)
    call(app, "record_session_start", title="Before the fault")
    call(app, "create_record", type="task", title="There", summary="s", body="b")
    call(app, "record_decision", title="First", target="database", rationale=WHY)
    call(app, "propose_decision", title="Second", target="cache", rationale=WHY)
    call(app, "entity_create", type="messageThread", data={})
    app.close()


def scene(deed: Deed) -> Scene:
    """Make a scene of a deed: it is done once, and its receipt is told."""

    @wraps(deed)
    def played(stage: Stage) -> None:
        app = opened(stage.folder)
        stage.tell(heads=heads(app))
        stage.gate("write")
        result = deed(app)
        receipt = getattr(result, "receipt", None)
        stage.tell(done=True, receipt=[receipt.seq, receipt.hash] if receipt else None)
        stage.gate("close")
        app.close()

    _DEEDS[played] = deed
    return played


@scene
def create_record(app: Application) -> Any:
    given = {"type": "task", "title": "Struck", "summary": "s", "body": LARGE_BODY}
    return call(app, "create_record", **given)


@scene
def update_record(app: Application) -> Any:
    return call(app, "update_record", id="R001", body="changed", force=True)


@scene
def transition(app: Application) -> Any:
    return call(app, "transition", id="R001", to_state="DISCARDED", reason="done elsewhere")


@scene
def create_project(app: Application) -> Any:
    return call(app, "create_project", id="another", name="Another")


@scene
def plan(app: Application) -> Any:
    return call(app, "record_plan", steps=["one", "two"])


@scene
def supersede(app: Application) -> Any:
    given = {"title": "Better", "target": "database", "rationale": WHY}
    return call(app, "supersede_decision", old_decision_ids=["D001"], **given)


@scene
def reject(app: Application) -> Any:
    return call(app, "reject_proposal", proposal_id="P001")


@scene
def create_document(app: Application) -> Any:
    document = {"title": "Struck", "content": LARGE_BODY}
    return call(app, "entity_create", type="textDocument", data=document)


@scene
def append_turn(app: Application) -> Any:
    [thread] = call(app, "entity_list", type="messageThread").entities
    said = {"type": "text", "payload": {"content": "hello"}}
    return call(app, "thread_append", thread_id=thread["id"], sender="me", partials=[said])


@scene
def record_metric(app: Application) -> Any:
    samples = [{"name": "speed", "value": number / 3, "dimensions": {}} for number in range(50)]
    return call(app, "metric_record", samples=samples)


@scene
def create_token(app: Application) -> None:
    tokens.create(app.store, tokens.WantedToken(role="agent"), PERSON)


def heads(app: Application) -> dict[str, int]:
    return {project: head.seq for project, head in app.store.engine.heads().items()}


@cache
def entries_written(scene: Scene) -> dict[str, int]:
    """Count the entries that a deed adds to each project when nothing befalls it."""
    with tempfile.TemporaryDirectory() as space:
        prepare(Path(space))
        app = opened(Path(space))
        before = heads(app)
        _DEEDS[scene](app)
        after = heads(app)
        app.close()
    return {project: seq - before.get(project, 0) for project, seq in after.items()}


def faults(scene: Scene, after: Aftermath) -> list[str]:
    """Look at the journals as the next process finds them: all of it is there, or nothing."""
    told = {key: value for words in after.told for key, value in words.items()}
    app = opened(after.folder)
    now, before = heads(app), told["heads"]
    added = {project: seq - before.get(project, 0) for project, seq in now.items()}
    wanted = entries_written(scene)
    found = checks.findings(app)
    if any(added.values()) and added != wanted:
        found.append(f"it added {added} entries, and not {wanted}")
    if "done" in told and added != wanted:
        found.append("it was acknowledged and is not there")
    if told.get("receipt") and tuple(told["receipt"]) not in receipts(app):
        found.append(f"the receipt {told['receipt']} is of nothing in the journal")
    call(app, "create_record", type="note", title="Afterwards", summary="s", body="b")
    app.close()
    return found + checks.leftovers(after.folder / STORE)


def receipts(app: Application) -> set[tuple[int, str]]:
    """Give what every entry is known by."""
    return {
        (entry.seq, entry.hash)
        for project in app.store.engine.heads()
        for entry in app.store.read(project, lambda tx: list(paging.entries(tx)))
    }


@scene
def in_halves(app: Application) -> Any:
    """Write in two steps what is one deed: broken on purpose, to be found out."""
    _DEEDS[update_record](app)
    return _DEEDS[create_record](app)


SCENES = {
    "sessions": (create_project,),
    "records": (create_record, update_record, transition),
    "recorder": (plan,),
    "decisions": (supersede, reject),
    "entities": (create_document, append_turn, record_metric),
    "tokens": (create_token,),
}
DRILLS = [
    Drill(scene, partial(faults, scene), ("write", "close"), prepare, drills=capability)
    for capability, scenes in SCENES.items()
    for scene in scenes
]
