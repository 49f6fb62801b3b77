"""`hansard checkpoints export` and `import`: contexts as lines of JSON, proved by their hashes.

The first line names the session and its marked keys; each line after it is a checkpoint, oldest
first.
"""

from contextlib import suppress
from typing import Annotated, Any

import typer

from hansard.app.settings import load
from hansard.app.start import start
from hansard.checkpoints.answers import CheckpointLoadedAnswer, CheckpointMarkedAnswer
from hansard.cli.contents.checkpoint_pages import (
    DryRun,
    Session,
    about,
    checkpoints_of,
    chosen_session,
    show_step,
)
from hansard.cli.contents.json_lines import STANDARD, lines_of, parse_line, writing
from hansard.cli.desk import Desk, desk, told
from hansard.cli.flags import Flags
from hansard.cli.opened_store import store_exists
from hansard.cli.options import Json, settings_flags
from hansard.cli.terminal.stderr import say
from hansard.cli.terminal.text import print_told, printable
from hansard.kernel.blob import canonical_json, digest_of
from hansard.kernel.problem import InvalidInput
from hansard.sessions.contract import SessionNotFound

FORMAT = "hansard-checkpoints-1"

Save = tuple[str, str, str]
"""The id, time and content of a save: the same wherever it was moved."""


@settings_flags
def export(
    flags: Flags,
    *,
    named: Session = None,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="Where to; - is stdout.")
    ] = STANDARD,
) -> int:
    """Write a session's checkpoints as lines of JSON, oldest first."""
    with desk(flags, is_anyones=False) as at:
        session = chosen_session(at, named)
        listed = list(checkpoints_of(at, session))[::-1]
        with writing(output) as write:
            known = about(at, session)
            head = {"format": FORMAT, "session": session, "marks": known.critical}
            write(head | {"tags": known.ownTags})
            for done, one in enumerate(listed, start=1):
                arguments = {"checkpointId": one.checkpointId}
                loaded = at.look(CheckpointLoadedAnswer, "workflow_checkpoint_load", **arguments)
                write({"context": loaded.context, **one.model_dump(mode="json")})
                show_step("exported", done, len(listed))
    return 0


@settings_flags
def import_(
    flags: Flags,
    *,
    file: Annotated[str, typer.Argument(help="What `export` wrote; - is stdin.")],
    session: Annotated[
        str | None, typer.Option(metavar="ID", help="Into this session, not that of the export.")
    ] = None,
    dry_run: DryRun = False,
    json: Json = False,
) -> int:
    """Save what was exported, checkpoint by checkpoint; what is there already is not saved again.

    A missing store is created.
    """
    lines = lines_of(file)
    head = _head(next(iter(lines), b""))
    settings = load(flags)
    if not store_exists(settings):
        if dry_run:
            count = sum(1 for number, line in enumerate(lines, 2) if _checkpoint(line, number))
            told_of = f"{count:,} checkpoints would be imported into a new store"
            print_told(told_of, {"imported": count, "there": 0, "dry_run": True}, json=json)
            return 0
        start(settings).close()
    with desk(flags, is_anyones=False) as at:
        into = Import(at, session or head["session"], head, dry_run=dry_run)
        for number, line in enumerate(lines, start=2):
            into.take(_checkpoint(line, number))
            show_step("imported", number - 1, number)
    would = "would be imported" if dry_run else "imported"
    there = f", {into.there:,} were there already" if into.there else ""
    counts = {"imported": into.saved, "there": into.there, "dry_run": dry_run}
    text = f"{into.saved:,} checkpoints {would} into session {into.session}{there}"
    print_told(text, {"session": into.session, **counts}, json=json)
    for key in sorted(into.marks):
        say(f"No context has the key {printable(key)}, so it is not marked")
    return 0


class Import:
    """Imports checkpoints of another session, or of this one."""

    def __init__(self, at: Desk, session: str, head: dict[str, Any], *, dry_run: bool) -> None:
        """Read what the session has already."""
        self.session = session
        self.saved = 0
        self.there = 0
        self.marks: set[str] = {*head.get("marks", ())}
        """Keys that are yet to be marked."""
        self._at = at
        self._dry_run = dry_run
        self._tags: list[str] = head.get("tags") or []
        self._known: set[Save] = set()
        with suppress(SessionNotFound):
            self.marks -= {*about(at, session).critical}
            for one in checkpoints_of(at, session):
                self._known |= _saves(one.model_dump(mode="json"))

    def take(self, checkpoint: dict[str, Any]) -> None:
        """Save a checkpoint, unless the session has it, even under another id."""
        if _saves(checkpoint) & self._known:
            self.there += 1
        else:
            self.saved += 1
            self._known |= _saves(checkpoint)
            if not self._dry_run:
                self._save(checkpoint)
        self._mark({*checkpoint["context"]})

    def _mark(self, keys: set[str]) -> None:
        """Mark what is to be marked while the context that has it is the one last saved."""
        for key in sorted(self.marks & keys):
            if self._dry_run or self._is_marked(key):
                self.marks.discard(key)

    def _is_marked(self, key: str) -> bool:
        asked = {"sessionId": self.session, "contextKey": key}
        marked = told(CheckpointMarkedAnswer, self._at.ask("workflow_mark_critical", **asked))
        return marked.status == "SUCCESS"

    def _save(self, checkpoint: dict[str, Any]) -> None:
        metadata = checkpoint["metadata"]
        known = {name: metadata[name] for name in ("name", "tags", "classes") if name in metadata}
        origin = {name: checkpoint[name] for name in ("checkpointId", "createdAt")}
        extra = {"imported": origin} | metadata.get("extra", {})
        tags = {"sessionTags": self._tags} if self._tags else {}
        self._at.ask(
            "workflow_checkpoint_save",
            sessionId=self.session,
            context=checkpoint["context"],
            metadata=extra | known | tags,
            cites=metadata.get("cites"),
            force=True,
        )


def _saves(checkpoint: dict[str, Any]) -> set[Save]:
    """Say which saves identify a checkpoint: its own, and the one that it was imported from."""
    extra = checkpoint["metadata"].get("extra", {})
    imported = extra.get("imported") if isinstance(extra, dict) else None
    saves = [checkpoint, imported] if isinstance(imported, dict) else [checkpoint]
    hashed = str(checkpoint["contextHash"])
    return {(str(one.get("checkpointId")), str(one.get("createdAt")), hashed) for one in saves}


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
