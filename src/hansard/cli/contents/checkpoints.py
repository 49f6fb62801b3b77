"""`hansard checkpoints`: show saved contexts, compare them, export and import them, prune them."""

from collections.abc import Iterator
from functools import partial
from typing import Annotated, Any

import orjson
import typer

from hansard.checkpoints.answers import (
    CheckpointLoadedAnswer,
    CheckpointMarkedAnswer,
    ContextsComparedAnswer,
)
from hansard.checkpoints.json_diff import Difference
from hansard.checkpoints.reading import newest
from hansard.checkpoints.views import CHECKPOINTS, CONTEXTS
from hansard.cli.contents.checkpoint_files import export, import_
from hansard.cli.contents.checkpoint_pages import (
    DryRun,
    Session,
    about,
    checkpoints_of,
    chosen_session,
    needless_of,
    show_step,
)
from hansard.cli.desk import Desk, desk, told
from hansard.cli.flags import Flags
from hansard.cli.naming import resolving
from hansard.cli.options import Json, settings_flags
from hansard.cli.terminal.layout import Cell, room, table
from hansard.cli.terminal.text import painter, print_json, print_told, printable
from hansard.kernel import paging
from hansard.kernel.engine import ReadTx, Row
from hansard.kernel.text import counted

WHOLE_TOKENS = 1_000_000
"""A person's terminal has room: pages are for models."""

VALUE_CHARS_MAX = 200
"""How much of a value a diff shows."""

NONE_YET = "No checkpoints yet. Agents save what they work with, and go on from it later."

FOR_PROGRAMS = {
    "id", "sessionId", "contextHash", "contextSizeBytes", "blobPath", "seq", "tick", "parentId",
}  # fmt: skip
"""Metadata of a checkpoint that people do not read."""

_SIGNS = {"added": ("+", "green"), "removed": ("-", "red"), "changed": ("~", "yellow")}


@settings_flags
def alone(flags: Flags, *, context: typer.Context, json: Json = False) -> int:
    """List the sessions that have checkpoints, with the newest of each."""
    if context.invoked_subcommand is None:
        with desk(flags, is_anyones=False) as at:
            _print_sessions(at, json=json)
    return 0


@settings_flags
def list_checkpoints(
    flags: Flags,
    *,
    named: Session = None,
    json: Json = False,
    tag: Annotated[
        list[str] | None, typer.Option(metavar="TAG", help="Only with this tag; may be repeated.")
    ] = None,
    query: Annotated[str | None, typer.Option(help="Only with this in id, name or tags.")] = None,
) -> int:
    """List a session's checkpoints, newest first; without one, the sessions that have any."""
    with desk(flags, is_anyones=False) as at:
        if named is None and not at.settings.session:
            _print_sessions(at, json=json)
            return 0
        for one in checkpoints_of(at, chosen_session(at, named), tags=tag, query=query):
            if json:
                print_json(one.model_dump(mode="json"))
            else:
                print(printable(one.text()))
    return 0


@settings_flags
def show(
    flags: Flags,
    *,
    checkpoint: Annotated[
        str | None,
        typer.Argument(
            metavar="[CHECKPOINT]", help="The checkpoint's id, or a session's; else the newest."
        ),
    ] = None,
    json: Json = False,
    key: Annotated[
        list[str] | None, typer.Option(metavar="KEY", help="Only this key; may be repeated.")
    ] = None,
    budget: Annotated[
        int | None, typer.Option(min=1, metavar="TOKENS", help="As a model with so much room.")
    ] = None,
) -> int:
    """Show a checkpoint's context and what has changed since; of a session, its latest."""
    with desk(flags, is_anyones=False) as at:
        which = "sessionId" if checkpoint and _is_session(at, checkpoint) else "checkpointId"
        arguments: dict[str, Any] = {which: checkpoint, "keys": key, "budget_tokens": budget}
        loaded = at.look(CheckpointLoadedAnswer, "workflow_checkpoint_load", **arguments)
    if json:
        print_json(loaded.model_dump(mode="json", exclude_none=True))
        return 0
    paint = painter()
    print(paint(f"{loaded.checkpointId} of session {printable(loaded.sessionId)}", "yellow"))
    for line in _facts(loaded.metadata):
        print(printable(line))
    for line in loaded.since.text().splitlines():
        print(paint(printable(line), "cyan"))
    if loaded.warning:
        print(paint(loaded.warning, "red"))
    print(orjson.dumps(loaded.context, option=orjson.OPT_INDENT_2).decode())
    return 0


@settings_flags
def diff(
    flags: Flags,
    *,
    old: Annotated[str, typer.Argument(help="A checkpoint.")],
    new: Annotated[
        str | None, typer.Argument(metavar="[NEW]", help="Another; else the session's latest.")
    ] = None,
    json: Json = False,
) -> int:
    """Compare two contexts, place by place."""
    with desk(flags, is_anyones=False) as at:
        compared = _compared(at, old, new)
    if json:
        print_json(compared.model_dump(mode="json"))
        return 0
    paint = painter()
    for one in compared.differences:
        sign, colour = _SIGNS[one.change]
        print(paint(f"{sign} {printable(one.path)}: {_difference(one)}", colour))
    print(f"{counted(compared.total, 'difference')}, {compared.from_} → {compared.to}")
    return 0


@settings_flags
def mark(
    flags: Flags,
    *,
    session: Annotated[str, typer.Argument(help="The session.")],
    key: Annotated[
        str | None, typer.Argument(metavar="[KEY]", help="A key of its context; else list them.")
    ] = None,
    remove: Annotated[bool, typer.Option("--remove", help="Take the mark back.")] = False,
    json: Json = False,
) -> int:
    """Mark a key as critical, so that no budget shortens it; without a key, list what is marked."""
    with desk(flags, is_anyones=False) as at:
        if key is None:
            for one in about(at, session).critical:
                print_told(one, {"contextKey": one}, json=json)
            return 0
        asked: dict[str, Any] = {"sessionId": session, "contextKey": key, "critical": not remove}
        marked = told(CheckpointMarkedAnswer, at.ask("workflow_mark_critical", **asked))
    print_told(marked.message, marked.model_dump(mode="json", exclude_none=True), json=json)
    return 0 if marked.status == "SUCCESS" else 1


@settings_flags
def prune(
    flags: Flags,
    *,
    named: Session = None,
    keep: Annotated[int, typer.Option(min=1, metavar="N", help="How many of the newest stay.")],
    dry_run: DryRun = False,
    json: Json = False,
) -> int:
    """Delete all but the newest checkpoints of a session.

    Of a marked key, whatever it has been stays: the last checkpoint that had it so.
    """
    with desk(flags, is_anyones=False) as at:
        session = chosen_session(at, named)
        older = [one.checkpointId for one in checkpoints_of(at, session)][keep:]
        gone = needless_of(at, session, keep)
        marked = [one for one in older if one not in {*gone}]
        for done, one in enumerate(() if dry_run else gone, start=1):
            at.ask("workflow_checkpoint_delete", checkpointId=one)
            show_step("deleted", done, len(gone))
    if json:
        print_json({"deleted": gone, "kept_for_marks": marked, "dry_run": dry_run})
        return 0
    would = "would be deleted" if dry_run else "deleted"
    print(f"{len(gone):,} {would}, {len(marked):,} older ones kept for a marked key")
    return 0


def register(app: typer.Typer) -> None:
    """Add the group."""
    group = typer.Typer(
        help="Look at saved contexts, compare them, carry them elsewhere, prune them.",
        rich_markup_mode=None,
    )
    group.callback(invoke_without_command=True)(alone)
    commands = {"list": list_checkpoints, "show": show, "diff": diff, "mark": mark}
    files = {"export": export, "import": import_, "prune": prune}
    for name, command in (commands | files).items():
        group.command(name)(command)
    app.add_typer(group, name="checkpoints")


def _print_sessions(at: Desk, *, json: bool) -> None:
    rows = at.application.store.read(at.application.own_project(), _sessions)
    if json:
        for row in rows:
            print_json(row)
        return
    print("\n".join(table(list(map(_saved, rows)), painter(), room()) or [NONE_YET]))


def _saved(row: Row) -> list[Cell]:
    """Say what a session saved last; one without a title is shown by its id."""
    size = (f"{row['bytes']:,} bytes", "grey")
    return [(row["session"], "grey"), (row["latest"], "yellow"), size, (row["title"], None)]


def _sessions(tx: ReadTx) -> list[Row]:
    latest = ((found, newest(tx, found.key)) for found in paging.rows(tx, CONTEXTS))
    return [
        {
            "session": found.key,
            "title": _title(tx, found.key),
            "latest": row["id"],
            "bytes": found.row["bytes"],
        }
        for found, row in latest
        if row
    ]


def _title(tx: ReadTx, session: str) -> str:
    row = tx.get(resolving.SESSION.table, session)
    return (row and row.get(resolving.SESSION.title)) or ""


def _facts(metadata: dict[str, Any]) -> Iterator[str]:
    """Describe a checkpoint for a person; digests and sizes are for programs, with --json."""
    known = {name: metadata.get(name) for name in ("name", "agentId", "createdAt", "tags")}
    by = f" by {known['agentId']}" if known["agentId"] else ""
    at = str(known["createdAt"] or "")[:16].replace("T", " ")
    yield f"{known['name'] or 'Unnamed'}, saved {at}{by}"
    if known["tags"]:
        yield f"Tags: {', '.join(known['tags'])}"
    own = {key: value for key, value in metadata.items() if key not in {*known, *FOR_PROGRAMS}}
    yield from (f"{key}: {_json(value)}" for key, value in own.items())


def _is_session(at: Desk, named: str) -> bool:
    """Whether a name is a session's; otherwise it counts as a checkpoint's."""
    application = at.application
    checkpoint = resolving.meant_id(application, resolving.CHECKPOINT, named)
    session = resolving.meant_id(application, resolving.SESSION, named)

    def work(tx: ReadTx) -> bool:
        if tx.get(CONTEXTS, named) is not None:
            return True
        return tx.get(CHECKPOINTS, checkpoint) is None and tx.get(CONTEXTS, session) is not None

    return application.store.read(application.own_project(), work)


def _compared(at: Desk, old: str, new: str | None) -> ContextsComparedAnswer:
    """Compare two contexts, all pages of it."""
    asked: dict[str, Any] = {"from": old, "to": new, "budget_tokens": WHOLE_TOKENS}
    look = partial(at.look, ContextsComparedAnswer, "workflow_checkpoint_diff", **asked)
    first, *more = paging.answers(look)
    together = [*first.differences, *(one for page in more for one in page.differences)]
    return first.model_copy(update={"differences": together, "nextCursor": None})


def _difference(one: Difference) -> str:
    match one.change:
        case "added":
            return _cut(one.new)
        case "removed":
            return _cut(one.old)
        case _:
            return f"{_cut(one.old)} → {_cut(one.new)}"


def _cut(value: object) -> str:
    text = printable(_json(value))
    return text if len(text) <= VALUE_CHARS_MAX else text[:VALUE_CHARS_MAX] + "…"


def _json(value: object) -> str:
    return value if isinstance(value, str) else orjson.dumps(value).decode()
