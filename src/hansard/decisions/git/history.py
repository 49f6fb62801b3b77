"""The history of the user's own repository as evidence, found by words and hash.

It is only read, through libgit2: no hook, filter or program that its configuration names is ever
run. What is read was written by others and is kept as text.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import orjson

from hansard.kernel.blob import Digest, canonical_json, seal
from hansard.kernel.engine import ReadTx, Table, Topic, WriteTx
from hansard.kernel.event import Event
from hansard.kernel.operation import Context, Operation, ProjectRequest, Written
from hansard.kernel.text import Limit, Summary, counted
from hansard.kernel.view import Derivation, View

if TYPE_CHECKING:
    from hansard.decisions.git.commits import CommitNoted

Mask = Callable[[str], str]
"""Puts `[redacted: RULE]` in place of each secret in a text."""

VERSION = 2

COMMITS = Table("commits", {"at": "text", "seq": "integer"}, (("at",), ("seq",)), version=VERSION)
"""By hash: the commits that were indexed."""

COMMIT_WORDS = Topic("commits", COMMITS, {"subject": 4.0, "author": 2.0, "paths": 1.0})

LIMIT_DEFAULT = 20
"""As in the public package that 004 describes."""

BATCH = 200
"""Commits in one event."""


class CommitsIndexed(Event):
    """Some commits of a repository became known. Their blob is a list of `CommitNoted`."""

    kind: ClassVar[str] = "decisions.commits_indexed.v1"
    activity: ClassVar[str | None] = "commits_indexed"

    repository: str
    """Where it lies in the workspace."""
    head: str
    count: int
    commits: Digest

    def summary(self) -> str:
        """Count them."""
        return f"{self.count} commits of {self.repository} indexed"

    def subject(self) -> str:
        """Give the repository."""
        return f"path:{self.repository}"


class SyncGitHistory(ProjectRequest):
    """Arguments of sync_git_history."""

    repo_path: Summary = "."
    limit: Limit = LIMIT_DEFAULT


class HistorySyncedAnswer(Written):
    """What a sync made known."""

    indexed: int
    known: int
    """How many of the latest commits had been indexed before."""
    head: str | None
    session_id: str | None = None

    def text(self) -> str:
        """Count the commits, and name the newest."""
        newest = f"; the newest is {self.head}" if self.head else ""
        return f"{counted(self.indexed, 'commit')} indexed, {self.known} known already{newest}."


@dataclass(frozen=True, slots=True)
class Syncing:
    """Reads the repositories in a workspace."""

    workspace: Path
    mask: Mask = str

    def sync(self, request: SyncGitHistory, context: Context) -> HistorySyncedAnswer:
        """Index the latest commits of a repository that are not indexed yet."""
        # Importing libgit2 takes a tenth of a second, which not every process should pay.
        from hansard.decisions.git.commits import Commits

        commits = Commits(self.workspace, request.repo_path)
        hashes = commits.latest(request.limit)
        unknown = context.read(lambda tx: _unknown(tx, hashes))
        noted = [self._masked(commits.note(name)) for name in hashes if name in unknown]
        batches = [noted[first : first + BATCH] for first in range(0, len(noted), BATCH)]
        blobs = [seal(canonical_json([one.model_dump() for one in batch])) for batch in batches]

        def work(tx: WriteTx) -> HistorySyncedAnswer:
            for batch, blob in zip(batches, blobs, strict=True):
                context.record(
                    tx,
                    CommitsIndexed(
                        repository=commits.place,
                        head=hashes[0],
                        count=len(batch),
                        commits=blob.digest,
                    ),
                )
            return HistorySyncedAnswer(
                indexed=len(noted),
                known=len(hashes) - len(noted),
                head=hashes[0] if hashes else None,
                session_id=context.session,
            )

        return context.write(work, blobs=blobs)

    def _masked(self, noted: "CommitNoted") -> "CommitNoted":
        return noted.model_copy(update={"subject": self.mask(noted.subject)})


def operations(workspace: Path, mask: Mask = str) -> tuple[Operation, ...]:
    """Make the operations for the repositories in one workspace."""
    return (
        Operation(
            "sync_git_history",
            "Index the latest commits of a Git repository in the workspace, as evidence to find "
            "and to cite as commit:HASH.",
            SyncGitHistory,
            HistorySyncedAnswer,
            Syncing(workspace, mask).sync,
            writes=True,
            role="agent",
            repeatable=True,
        ),
    )


def _unknown(tx: ReadTx, hashes: Sequence[str]) -> set[str]:
    return {name for name in hashes if tx.get(COMMITS, name) is None}


def _indexed(event: CommitsIndexed, derivation: Derivation) -> None:
    for noted in orjson.loads(derivation.content(event.commits)):
        key = noted["hash"]
        if derivation.get(COMMITS, key) is not None:
            continue  # two calls indexed it at the same time
        row = noted | {"repository": event.repository, "seq": derivation.entry.seq}
        derivation.put(COMMITS, key, row)
        texts = {"subject": noted["subject"], "author": noted["author"]}
        derivation.index(COMMIT_WORDS, key, texts | {"paths": "\n".join(noted["paths"])})


VIEW = View("commits", VERSION, (COMMITS,), on={CommitsIndexed: _indexed}, topics=(COMMIT_WORDS,))
