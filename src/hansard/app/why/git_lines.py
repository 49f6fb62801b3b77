"""Asks Git who committed a line that the recorder does not know."""

from datetime import UTC, datetime
from pathlib import Path

from hansard.app import repositories
from hansard.app.why.answers import Commit
from hansard.kernel.clock import to_text
from hansard.recorder.contents.blame import LineSpan, through
from hansard.recorder.contents.diffs import changed_regions, lines_of


def commit_of(workspace: Path, path: str, content: bytes, line: int) -> Commit | None:
    """Find the commit that a line came with; `None` where Git has it not, or there is no Git.

    The line, counted from 0, is one of `content`; what Git has may differ elsewhere.
    """
    folder = workspace.expanduser().resolve()
    found = repositories.find(folder)
    if found is None:
        return None
    import pygit2

    try:
        repository = pygit2.Repository(str(found.top))
        within = (folder / path).relative_to(found.top).as_posix()
        head = repository.revparse_single("HEAD").peel(pygit2.Commit)
        committed = head.tree / within
        if not isinstance(committed, pygit2.Blob):
            return None
        regions = changed_regions(lines_of(committed.data), lines_of(content))
        kept, _ = through([LineSpan(line, line, 1)], regions)
        if not kept:
            return None
        number = kept[0].here + 1
        blame = repository.blame(within, newest_commit=head.id, min_line=number, max_line=number)
        commit = repository[blame.for_line(number).final_commit_id].peel(pygit2.Commit)
    # A repository that is not ours to read, or is damaged, has nothing to say.
    except (pygit2.GitError, KeyError, ValueError, OSError):
        return None
    return Commit(
        id=str(commit.id),
        author=commit.author.name,
        at=to_text(datetime.fromtimestamp(commit.commit_time, UTC)),
        summary=commit.message.partition("\n")[0][:200],
    )
