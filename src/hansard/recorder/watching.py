"""Watches the workspace's files for changes by others.

A change is recorded exactly as file_op records one it finds: under the file's lock, after its open
intents are settled. So a change made through Hansard is never mistaken for somebody else's.
"""

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from hansard.kernel.blob import Blob
from hansard.kernel.engine import ReadTx, WriteTx
from hansard.kernel.event import Event
from hansard.kernel.model import AnswerPart
from hansard.kernel.operation import Capability, Context, Operation, Request, Written
from hansard.kernel.problem import Problem, StorageUnavailable
from hansard.recorder import limits, renames
from hansard.recorder.contents.content_before import GitBlob
from hansard.recorder.contents.diffs import line_counts
from hansard.recorder.contents.git_objects import kept_in_git
from hansard.recorder.contract import PathText
from hansard.recorder.events import Action, ExternalChangeSeen, FileFound
from hansard.recorder.gateway import Gateway
from hansard.recorder.history.copies import entering
from hansard.recorder.intents import IntentWriter, Planned, step_of
from hansard.recorder.problems import PathProtected
from hansard.recorder.rules import Plan
from hansard.recorder.settling import settle
from hansard.recorder.tables import FILES
from hansard.recorder.workspace.paths import FilePath
from hansard.recorder.workspace.states import FileState

IGNORED = (
    # Version control has a memory of its own.
    *(".git", ".hg", ".jj", ".svn"),
    # What is fetched or made, and can be again.
    *("node_modules", ".venv", "venv", "__pycache__", "*.pyc", ".tox", ".nox", ".eggs"),
    *(".mypy_cache", ".pytest_cache", ".ruff_cache", ".hypothesis", ".cache", ".gradle"),
    *(".next", ".nuxt", ".parcel-cache", ".terraform", ".direnv"),
    # What editors and systems leave beside files.
    *("*.swp", "*.swo", "*.swx", "*~", ".#*", "4913", ".DS_Store", "Thumbs.db"),
)
"""Names that are not watched, at any depth and with all that lies beneath them."""

What = Literal["found", "created", "changed", "deleted", "moved", "left", "skipped"]
"""A file that was moved is shown at the path it came to, not at the one it left."""

SEEN: dict[Action, What] = {
    "create": "created",
    "edit": "changed",
    "delete": "deleted",
    "move": "moved",
}


class SeeFiles(Request):
    """Files to look at, and those of them that were seen coming into being or changing."""

    paths: Annotated[list[PathText], Field(min_length=1, max_length=limits.OPS_MAX)]
    new: list[PathText] = Field(default_factory=list)
    changed: list[PathText] = Field(default_factory=list)


class FileSeen(AnswerPart):
    """A newly seen state of a file."""

    path: str
    what: What
    seq: int | None = None
    summary: str
    added: int | None = None
    removed: int | None = None
    redacted: list[str] | None = None
    code: str | None = None
    """Why it was skipped."""


class FilesSeenAnswer(Written):
    """What was new at some files."""

    session_id: str | None
    files: list[FileSeen]

    def text(self) -> str:
        """Give a line each."""
        return "\n".join(file.summary for file in self.files) or "Nothing new"


@dataclass(frozen=True, slots=True)
class Ignoring:
    """What is not to be watched: patterns for a name, or with a slash for a path."""

    patterns: tuple[str, ...]

    def leaves_out(self, path: str) -> bool:
        """Whether a path, or a folder it lies in, is left out."""
        names = path.split("/")
        above = ["/".join(names[: place + 1]) for place in range(len(names))]
        return any(
            fnmatchcase(each, pattern)
            for pattern in self.patterns
            for each in (above if "/" in pattern else names)
        )

    def files_below(self, root: Path, start: str = "") -> Iterator[str]:
        """Name the files below a folder of the root that are not left out; follows no link."""
        for folder, names, files in os.walk(root / start):
            place = Path(folder).relative_to(root).as_posix()
            prefix = "" if place == "." else f"{place}/"
            names[:] = [name for name in names if not self.leaves_out(prefix + name)]
            yield from (prefix + name for name in files if not self.leaves_out(prefix + name))


def capability(gateway: Gateway) -> Capability:
    """Make the capability for watching a workspace; agents do not get it."""
    see = Operation(
        "see_files",
        "Record what others did to files.",
        SeeFiles,
        FilesSeenAnswer,
        entering(gateway, see_files),
        writes=True,
        role="agent",
        session="begins",
    )
    return Capability("watching", (see,), close=gateway.close)


def see_files(gateway: Gateway, request: SeeFiles, context: Context) -> FilesSeenAnswer:
    """Record of each file what is not as it was last recorded."""
    paths, skipped = _resolved(gateway, request.paths)
    new = frozenset(_resolved(gateway, request.new)[0])
    changed = frozenset(_resolved(gateway, request.changed)[0])
    files = [gateway.file(path) for path in paths]
    with gateway.alone_at(context.store.engine, files) as locks:
        settle(gateway, context.store, context.project, locks, context.stamp)
        states, unread = _states(gateway, paths)
        moved = [_shown(*one) for one in renames.notice(gateway, context, states.items())]
        known = [*skipped, *unread, *moved]
        strange = context.read(lambda tx: [one for one in states if not _is_met(gateway, tx, one)])
        in_git = _in_git(gateway, {one: states[one] for one in strange if one in changed})

        def describe(tx: ReadTx) -> tuple[list[Event], list[Blob]]:
            writer = IntentWriter(gateway, tx, step_of(tx, context.session, None))
            unseen, blobs = _unseen(writer, states, new, in_git)
            return renames.paired(unseen), blobs

        unseen, blobs = context.read(describe)
        if not unseen:
            return FilesSeenAnswer(session_id=context.session, files=known)

        def work(tx: WriteTx) -> FilesSeenAnswer:
            seen = [_shown(context.record(tx, event).seq, event) for event in unseen]
            told = [one for one in seen if one.what != "left"]
            return FilesSeenAnswer(session_id=context.session, files=[*known, *told])

        return context.write(work, blobs=blobs)


def _resolved(
    gateway: Gateway, paths: Iterable[str]
) -> tuple[Sequence[FilePath], Sequence[FileSeen]]:
    """Apply the path rule, as to an agent: protected files are not watched."""
    resolved: dict[FilePath, None] = {}
    skipped = []
    for path in paths:
        try:
            resolved[gateway.workspace.resolve(path, for_agent=True)] = None
        except PathProtected:
            continue
        except StorageUnavailable:
            raise
        except Problem as problem:
            skipped.append(_skipped(path, problem))
    return list(resolved), skipped


def _states(
    gateway: Gateway, paths: Sequence[FilePath]
) -> tuple[dict[FilePath, FileState | None], Sequence[FileSeen]]:
    """Read the files; what is no plain file, or too large, is skipped."""
    states: dict[FilePath, FileState | None] = {}
    skipped = []
    for path in paths:
        try:
            states[path] = gateway.workspace.read(path)
        except StorageUnavailable:
            raise
        except Problem as problem:
            skipped.append(_skipped(str(path), problem))
    return states, skipped


def _is_met(gateway: Gateway, tx: ReadTx, path: FilePath) -> bool:
    return tx.get(FILES, gateway.file(path)) is not None


def _in_git(
    gateway: Gateway, states: Mapping[FilePath, FileState | None]
) -> dict[FilePath, GitBlob]:
    """Find what Git has of files that have changed and of which nothing is recorded."""
    found: dict[FilePath, GitBlob] = {}
    for path, state in states.items():
        kept = kept_in_git(gateway.root, str(path), state.content) if state else ()
        blob = next((one for one in kept if state and one.content != state.content), None)
        if blob is not None:
            found[path] = blob
    return found


def _unseen(
    writer: IntentWriter,
    states: dict[FilePath, FileState | None],
    new: Collection[FilePath],
    in_git: Mapping[FilePath, GitBlob],
) -> tuple[list[Event], list[Blob]]:
    """Say what of these files is not recorded: what would be lost if they were deleted now."""
    unseen: list[Event] = []
    blobs: list[Blob] = []
    for path, state in states.items():
        announced = writer.describe(Planned(path, None, Plan("delete", state, None)))
        for event in announced.seen:
            if state and path in new and isinstance(event, FileFound):
                unseen.append(_created(writer, event, state))
            elif state and path in in_git and isinstance(event, FileFound):
                was = in_git[path].content
                ref = writer.named(was, None)
                found = event.model_copy(update={"content": ref, "git": in_git[path].id})
                blobs += writer.pack(None, [(ref, was)])
                unseen += [found, writer.external(path, ref, state, event.content, was=was)]
            else:
                unseen.append(event)
            blobs += announced.blobs
    return unseen, blobs


def _created(writer: IntentWriter, event: FileFound, state: FileState) -> ExternalChangeSeen:
    """Show a file that was seen being created as created, not as there already."""
    added, _ = line_counts(None, state.content)
    return ExternalChangeSeen(
        workspace=event.workspace,
        path=event.path,
        before=None,
        after=event.content,
        added=added,
        removed=0,
        revision=writer.under.revision,
        step=writer.under.step,
    )


def _shown(seq: int, event: Event) -> FileSeen:
    if isinstance(event, FileFound):
        redacted = list(event.content.redacted) or None
        summary = f"{event.path} was found"
        return FileSeen(path=event.path, what="found", seq=seq, summary=summary, redacted=redacted)
    assert isinstance(event, ExternalChangeSeen), f"{event.kind} was seen"
    return FileSeen(
        path=event.path,
        what="left" if event.moved_to else SEEN[event.action],
        seq=seq,
        summary=event.summary(),
        added=event.added,
        removed=event.removed,
        redacted=list(event.after.redacted) or None if event.after else None,
    )


def _skipped(path: str, problem: Problem) -> FileSeen:
    return FileSeen(path=path, what="skipped", summary=problem.message, code=problem.code)
