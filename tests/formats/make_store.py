"""Makes the store that a release leaves behind: `python -m tests.formats.make_store`.

Every release keeps one, and every later Hansard must open it. What is in it is the same each time
but for the names that are drawn at random. One that is kept already is never made again: the
program refuses, since a fixture is what an older program wrote.
"""

import io
import random
import shutil
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any

import orjson

from hansard import __version__
from hansard.app.application import Application
from hansard.app.keeping import bundle
from hansard.app.keeping.exporting import export_project
from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.engines.sqlite import schema
from hansard.kernel.operation import Caller
from tests.conftest import SteppingClock, a_caller

KEPT = Path(__file__).parent
PROJECT = "default"
STORE, BUNDLE, EXPECTED = "store.tar.xz", "project.bundle", "expected.json"
LARGE = 66_000
"""Bytes of a text that is kept in a file of its own."""

WHY = "It was measured twice, on both machines."

Call = tuple[str, dict[str, Any]]
Json = dict[str, Any]

WRITES: list[Call] = [
    ("record_session_start", {"session_id": "voyage", "title": "Everything", "user_message": "Go"}),
    ("record_plan", {"steps": ["first", "second"]}),
    ("record_step", {"index": 1}),
    ("create_record", {"type": "task", "title": "Sail north", "summary": "s", "body": "Lantern."}),
    (
        "create_record",
        {"type": "note", "title": "Beneath", "summary": "s", "body": "雪", "parent_id": "R001"},
    ),
    ("update_record", {"id": "R001", "body": "Lantern and anchor.\nA second line."}),
    ("transition", {"id": "R002", "to_state": "LATER", "reason": "ice"}),
    ("save_session", {}),
    ("file_op", {"action": "create", "path": "a.txt", "content": "one\n"}),
    ("file_op", {"action": "edit", "path": "a.txt", "content": "one\ntwo\n"}),
    ("audit_event", {"type": "note", "description": "looked around"}),
    ("workflow_checkpoint_save", {"context": {"step": 1, "notes": ["a", "b"]}, "sessionId": "w"}),
    ("workflow_checkpoint_save", {"context": {"step": 2, "notes": ["a", "c"]}, "sessionId": "w"}),
    ("workflow_mark_critical", {"sessionId": "w", "contextKey": "notes"}),
    ("record_decision", {"title": "Go by sea", "target": "route", "rationale": WHY}),
    (
        "supersede_decision",
        {"old_decision_ids": ["D001"], "title": "By land", "target": "route", "rationale": WHY},
    ),
    ("propose_decision", {"title": "Fly", "target": "speed", "rationale": WHY}),
    ("metric_record", {"samples": [{"name": "speed", "value": 4.5, "dimensions": {"unit": "kn"}}]}),
    ("create_project", {"id": "other", "name": "Other"}),
    (
        "create_record",
        {"type": "note", "title": "T", "summary": "s", "body": "b", "project_id": "other"},
    ),
]

ANSWERS: list[Call] = [
    ("list_projects", {}),
    ("list_records", {}),
    ("get_record_ref", {"id": "R001"}),
    ("get_record_history", {"id": "R001"}),
    ("workflow_checkpoint_load", {"sessionId": "w"}),
    ("workflow_checkpoint_list", {"sessionId": "w"}),
    ("get_decision", {"decision_id": "D001"}),
    ("get_timeline", {"session_id": "voyage"}),
    ("metric_query", {"name": "speed"}),
    ("entity_list", {"type": "textDocument"}),
    ("entity_list", {"type": "chatThread"}),
    ("entity_list", {"type": "messageThread"}),
]
"""What is asked of every store that was kept; an answer must hold all that it held then."""

SEARCHES: list[Call] = [
    ("search_records", {"query": "anchor"}),
    ("search_decisions", {"query": "sea"}),
    ("search", {"query": "lantern"}),
]
"""Of these, only what is found must be the same: how well may change."""


def fill(app: Application) -> None:
    """Write something of every capability."""
    caller = a_caller()
    for name, arguments in WRITES:
        app.call(name, arguments, caller)
    large = random.Random(1).randbytes(LARGE).hex()
    app.call("create_record", {"type": "note", "title": "L", "summary": "s", "body": large}, caller)
    document = _made(app, caller, "textDocument", {"title": "Log", "content": "Day one."})
    app.call("document_revise", {"id": document, "content": "Day one.\nDay two."}, caller)
    thread = _made(app, caller, "messageThread", {})
    chat = _made(
        app, caller, "chatThread", {"name": "Talk", "participantId": "ada", "threadId": thread}
    )
    said = {"type": "text", "payload": {"content": "Ahoy"}}
    app.call("thread_append", {"chat_id": chat, "sender": "ada", "partials": [said]}, caller)


def _made(app: Application, caller: Caller, kind: str, data: Json) -> str:
    made = app.call("entity_create", {"type": kind, "data": data}, caller)
    return str(made.model_dump(mode="json")["entity"]["id"])


def answers(app: Application) -> list[Json]:
    """Ask what a kept store is asked."""
    caller = a_caller()
    return [app.call(name, given, caller).model_dump(mode="json") for name, given in ANSWERS]


def found(app: Application) -> list[list[str]]:
    """Search as a kept store is searched; gives the ids that were found."""
    caller = a_caller()
    results = [app.call(name, given, caller).model_dump(mode="json") for name, given in SEARCHES]
    return [[str(hit["id"]) for hit in result["results"]] for result in results]


def heads(app: Application) -> dict[str, list[object]]:
    """Give where each journal ends."""
    return {name: [head.seq, head.hash] for name, head in app.store.engine.heads().items()}


def make(kept: Path) -> None:
    """Write a store and keep it, its bundle and its answers in a new folder."""
    kept.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as scratch:
        store, workspace = Path(scratch) / "store", Path(scratch) / "workspace"
        workspace.mkdir()
        app = start(Settings(store=str(store), workspace=str(workspace)), clock=SteppingClock())
        fill(app)
        expected = {
            "hansard": __version__,
            "formats": {"sqlite": schema.FORMAT, "bundle": bundle.FORMAT},
            "heads": heads(app),
            "answers": answers(app),
            "found": found(app),
        }
        export_project(app.store, PROJECT, kept / BUNDLE)
        app.close()
        _pack(store, kept / STORE)
    (kept / EXPECTED).write_bytes(orjson.dumps(expected, option=orjson.OPT_INDENT_2) + b"\n")


def _pack(store: Path, archive: Path) -> None:
    with tarfile.open(archive, "w:xz") as packed:
        for path in [store / "hansard.db", *sorted((store / "blobs").glob("??/*"))]:
            content = path.read_bytes()
            member = tarfile.TarInfo(str(path.relative_to(store)))
            member.size = len(content)
            packed.addfile(member, io.BytesIO(content))


def name_of(version: str, sqlite: int, portable: int) -> str:
    """Name the folder of what a version of these formats left."""
    return f"{version}-store{sqlite}-bundle{portable}"


CURRENT = KEPT / name_of(__version__, schema.FORMAT, bundle.FORMAT)


def main() -> None:
    """Keep a store of this version, unless there is one."""
    if CURRENT.exists():
        sys.exit(f"{CURRENT.name} is kept already. A release's store is never made again.")
    try:
        make(CURRENT)
    except BaseException:
        shutil.rmtree(CURRENT)
        raise


if __name__ == "__main__":
    main()
