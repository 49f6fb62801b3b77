"""`hansard checkpoints export` and `import`: contexts as lines of JSON, proved by their hashes.

The first line names the session and its marked keys; each line after it is a checkpoint, oldest
first.
"""

from dataclasses import replace
from typing import Annotated, Any

import typer

from hansard.checkpoints.contract import Loaded, Marked, Saved
from hansard.cli.checkpoint_desk import Desk, DryRun, Session, desk, show_step
from hansard.cli.flags import Flags
from hansard.cli.json_lines import STANDARD, lines_of, parse_line, writing
from hansard.cli.options import settings_flags
from hansard.kernel.blob import canonical_json, digest_of
from hansard.kernel.problem import InvalidInput

FORMAT = "hansard-checkpoints-1"


@settings_flags
def export(
    flags: Flags,
    *,
    context: typer.Context,
    named: Session = None,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="Where to; - is stdout.")
    ] = STANDARD,
) -> int:
    """Write a session's checkpoints as lines of JSON, oldest first."""
    with desk(flags, context) as at:
        session = at.session(named)
        listed = list(at.checkpoints(session))[::-1]
        with writing(output) as write:
            write({"format": FORMAT, "session": session, "marks": at.marks(session)})
            for done, one in enumerate(listed, start=1):
                arguments = {"checkpointId": one.checkpointId}
                loaded = at.look(Loaded, "workflow_checkpoint_load", **arguments)
                write({"context": loaded.context, **one.model_dump(mode="json")})
                show_step("exported", done, len(listed))
    return 0


@settings_flags
def import_(
    flags: Flags,
    *,
    context: typer.Context,
    file: Annotated[str, typer.Argument(help="What `export` wrote; - is stdin.")],
    session: Annotated[
        str | None, typer.Option(metavar="ID", help="Into this session, not that of the export.")
    ] = None,
    dry_run: DryRun = False,
) -> int:
    """Save what was exported, checkpoint by checkpoint; a repetition saves nothing twice."""
    lines = lines_of(file)
    with desk(flags, context) as at:
        head = _head(next(iter(lines), b""))
        target = session or head["session"]
        count = 0
        for number, line in enumerate(lines, start=2):
            checkpoint = _checkpoint(line, number)
            if not dry_run:
                _save(at, target, checkpoint, line)
            count += 1
            show_step("imported", count, count + 1)
        for key in () if dry_run else head["marks"]:
            at.ask(Marked, "workflow_mark_critical", sessionId=target, contextKey=key)
    would = "would be imported" if dry_run else "imported"
    print(f"{count:,} checkpoints {would} into session {target}")
    return 0


def _save(at: Desk, session: str, checkpoint: dict[str, Any], line: bytes) -> None:
    metadata = checkpoint["metadata"]
    known = {name: metadata[name] for name in ("name", "tags", "classes") if name in metadata}
    origin = {name: checkpoint[name] for name in ("checkpointId", "createdAt")}
    # The same line into the same session again is the same request, and has the same answer.
    key = f"import-{digest_of(session.encode() + line)}"
    once = replace(at, caller=replace(at.caller, idempotency_key=key))
    once.ask(
        Saved,
        "workflow_checkpoint_save",
        sessionId=session,
        context=checkpoint["context"],
        metadata=metadata.get("extra", {}) | known | {"imported": origin},
        cites=metadata.get("cites"),
        force=True,
    )


def _head(line: bytes) -> dict[str, Any]:
    head = parse_line(line, 1)
    if head.get("format") != FORMAT or not isinstance(head.get("session"), str):
        raise InvalidInput("line 1: not the head of what `hansard checkpoints export` writes")
    return head


def _checkpoint(line: bytes, number: int) -> dict[str, Any]:
    """Read a line and prove that its context is the one that was exported."""
    checkpoint = parse_line(line, number)
    needed = {"context", "contextHash", "checkpointId", "createdAt", "metadata"}
    if missing := needed - checkpoint.keys():
        raise InvalidInput(f"line {number}: has no {', '.join(sorted(missing))}")
    if digest_of(canonical_json(checkpoint["context"])) != checkpoint["contextHash"]:
        raise InvalidInput(f"line {number}: the context is not what its hash says")
    return checkpoint
