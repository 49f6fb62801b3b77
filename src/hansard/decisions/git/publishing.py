"""Writes a decisions repository's commits from the journal, with libgit2.

The writer holds the followers' lock. `decision_log` says when to write; here is how.
"""

import logging
import re
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import orjson
import pygit2
from pygit2.enums import ConfigLevel, FileMode, ObjectType, RepositoryOpenFlag

from hansard.decisions.events import DecisionMade, ProposalAccepted
from hansard.decisions.git import decision_page, readme_page
from hansard.decisions.git.decision_page import DecisionPage
from hansard.decisions.git.folders import SYNCED, SYNCED_FILE, lay_out, set_aside, sync_file_system
from hansard.decisions.git.objects import (
    UnsoundError,
    loose_file,
    read_body,
    read_commit,
    read_tree,
    require_sound,
)
from hansard.decisions.git.refs import (
    BRANCH,
    OWN,
    find_reference,
    keep_foreign,
    point,
    put_branch_right,
    remove_stale_locks,
    target_of,
)
from hansard.decisions.reasons import unpack
from hansard.kernel.content import content
from hansard.kernel.engine import ReadTx
from hansard.kernel.event import Entry
from hansard.kernel.follow import NotNow
from hansard.kernel.private_files import FILE_MODE, restrict
from hansard.kernel.problem import BlobDamaged, StorageUnavailable
from hansard.kernel.store import Store
from hansard.kernel.temporary_files import temporary_root

logger = logging.getLogger(__name__)

BATCH = 100
"""Commits after which our reference moves."""

SEQ = re.compile("[1-9][0-9]{0,17}")


def publish(store: Store, project: str, path: Path, until: int | None) -> int:
    """Commit what the repository at a path lacks; returns how many commits that took."""
    publishing = _Publishing(store, project, path)
    with _refusals_as_not_now(path):
        try:
            return publishing.run(until)
        except UnsoundError as fault:
            aside = set_aside(path)
            logger.warning("%s is damaged (%s): kept as %s, made again", path, fault, aside.name)
            return publishing.run(until)


def faults(store: Store, project: str, path: Path, *, lock: str, noted: int = 0) -> list[str]:
    """Compare a repository with one made afresh from the journal; says in words what differs.

    The holder of the follower's lock may write it meanwhile: it is compared with the journal as of
    when it was read. `noted` is the entry up to which it was published before.
    """
    publishing = _Publishing(store, project, path)
    try:
        # In this order, as the branch is moved last: so it is never ahead of our reference.
        branch, published = publishing.branch(), publishing.look()
    except (OSError, pygit2.GitError) as error:
        raise StorageUnavailable(f"{path.name} cannot be opened: {error}") from error
    if published is None:
        return [f"{path.name} does not end with an entry of this journal"]
    if published == _BARE:
        return [f"{path.name} does not say which commit is its last"]
    with tempfile.TemporaryDirectory(prefix="hansard-git-", dir=temporary_root()) as scratch:
        fresh = Path(scratch) / path.name
        try:
            publish(store, project, fresh, published.seq)
            expected = _open(fresh)
            moved = _moved(expected, published, branch, is_followed=_is_held(store, lock))
            behind = publishing.skipped(published.seq, noted)
            return moved + behind + _unreadable(_open(path), expected)
        except (NotNow, UnsoundError) as refusal:
            return [f"{path.name} cannot be compared: {refusal}"]


@dataclass(frozen=True, slots=True)
class _Tip:
    """How far the repository is."""

    commit: pygit2.Oid | None
    seq: int


_BARE = _Tip(None, 0)


class _Publishing:
    """One attempt to bring a repository up to date."""

    def __init__(self, store: Store, project: str, path: Path) -> None:
        self._store = store
        self._project = project
        self._path = path

    def run(self, until: int | None) -> int:
        """Commit what is missing."""
        if not self._path.exists() and not self._unpublished(0, until):
            return 0
        lay_out(self._path)
        # Objects are synced all at once, references one by one, which is for each repository
        # handle to say.
        repo, references = _open(self._path), _open(self._path)
        _sync_writes(references)
        _remove_leftovers(repo)
        tip = self._tip(references)
        count, passed = 0, tip.seq
        while pages := self._unpublished(passed, until):
            for seq, page in pages.items():
                if page is not None:
                    tip = _Tip(_add(repo, tip, page), seq)
                    count += 1
            sync_file_system(self._path)
            if tip.commit:
                point(references, OWN, tip.commit)
            passed = seq
        if tip.commit:
            put_branch_right(references, tip.commit)
        return count

    def look(self) -> _Tip | None:
        """Say how far it is; `None` if not with this journal."""
        try:
            repo = _open(self._path)
            return self._recognise(repo, find_reference(repo, OWN))
        except UnsoundError:
            return None

    def branch(self) -> pygit2.Oid | bytes | None:
        """Say where the branch leads; `None` if it does not lead anywhere."""
        try:
            found = find_reference(_open(self._path), BRANCH)
        except UnsoundError:
            return None
        return found.raw_target if found else None

    def skipped(self, published: int, noted: int) -> list[str]:
        """Report what is noted as published and is not: nothing would publish it by itself."""
        after = published
        while pages := self._unpublished(after, noted):
            if missing := [seq for seq, page in pages.items() if page is not None]:
                remedy = "`hansard decisions git` brings it up to date"
                return [f"{self._path.name} lacks s:{missing[0]}, though it is noted; {remedy}"]
            after = max(pages)
        return []

    def _tip(self, repo: pygit2.Repository) -> _Tip:
        own = find_reference(repo, OWN)
        tip = self._recognise(repo, own)
        if tip is None:
            # The store is another one, or was restored to an older state.
            assert own is not None
            kept = keep_foreign(repo, own)
            logger.warning("%s is of another journal: kept as %s", self._path.name, kept)
            return _BARE
        return tip

    def _recognise(self, repo: pygit2.Repository, own: pygit2.Reference | None) -> _Tip | None:
        """Find the entry that our reference's commit was made of."""
        if own is None:
            return _BARE
        message = read_commit(repo, target_of(own)).raw_message
        named = decision_page.trailers(message.decode(errors="replace"))
        digits = named.get("Hansard-Seq", "")
        seq = int(digits) if SEQ.fullmatch(digits) else 0

        def work(tx: ReadTx) -> list[Entry]:
            return tx.entries(after=seq - 1, limit=1) if seq else []

        found = self._store.engine.read(self._project, work)
        is_ours = bool(found) and found[0].hash == named.get("Hansard-Hash")
        return _Tip(target_of(own), seq) if is_ours else None

    def _unpublished(self, after: int, until: int | None) -> dict[int, DecisionPage | None]:
        """Read the decisions that come next, by seq; `None` if the entry was redacted."""
        before = None if until is None else until + 1

        def work(tx: ReadTx) -> dict[int, DecisionPage | None]:
            entries = tx.entries(after=after, before=before, limit=BATCH, kinds=decision_page.KINDS)
            return {entry.seq: self._page(tx, entry) for entry in entries}

        # The journal alone says it, so that views of another version need not be derived again.
        return self._store.engine.read(self._project, work)

    def _page(self, tx: ReadTx, entry: Entry) -> DecisionPage | None:
        """Make the page of an entry."""
        event = self._store.kinds.decode(entry)
        if event is None:
            return None
        assert isinstance(event, DecisionMade), f"{entry.kind} makes no decision"
        reasons = unpack(content(tx, event.reasons))
        accepted = event if isinstance(event, ProposalAccepted) else None
        author_kind, author = _author(entry, accepted)
        return DecisionPage(
            id=event.id,
            title=event.title,
            target=event.target,
            rationale=reasons.rationale,
            consequences=tuple(reasons.consequences),
            cites=tuple(event.cites),
            supersedes=tuple(event.supersedes),
            enforcement=event.enforcement,
            proposal=accepted.proposal_id if accepted else None,
            proposed_by=accepted.author if accepted else None,
            accepted_by=accepted.accepted_by if accepted else None,
            # The first program that writes this field is also the first that writes a README, so
            # what is made again of an older journal is what was made of it then.
            is_listed="proof" in orjson.loads(entry.body or b"{}"),
            author_kind=author_kind,
            author=author,
            at=entry.at,
            clock=entry.clock,
            seq=entry.seq,
            hash=entry.hash,
        )


def _author(entry: Entry, accepted: ProposalAccepted | None) -> tuple[str, str]:
    """Say whose decision it is: who proposed it, not who accepted it.

    Commits of acceptances that do not name who accepted were made the other way and stay so.
    """
    if accepted is None or accepted.accepted_by is None:
        return entry.actor.kind, entry.actor.id
    kind, _, name = accepted.author.partition(":")
    return kind, name


def _add(repo: pygit2.Repository, tip: _Tip, page: DecisionPage) -> pygit2.Oid:
    """Write the objects of one commit. Only the folders on the way to what changes are written."""
    root = read_tree(repo, read_commit(repo, tip.commit).tree_id) if tip.commit else None
    changed: dict[str, dict[str, bytes]] = defaultdict(dict)
    for old in page.supersedes:
        shard, name = decision_page.place_of(old)
        # A decision whose entry was redacted has no page.
        if (body := _read_page(repo, root, shard, name)) is not None:
            changed[shard][name] = decision_page.mark_superseded(body, page.id)
    shard, name = decision_page.place_of(page.id)
    changed[shard][name] = decision_page.render(page)

    top = repo.TreeBuilder(root) if root else repo.TreeBuilder()
    for shard, files in changed.items():
        folder = _subtree(repo, root, shard)
        builder = repo.TreeBuilder(folder) if folder else repo.TreeBuilder()
        for name, body in files.items():
            blob = _written(repo, partial(repo.write, ObjectType.BLOB, body))
            builder.insert(name, blob, FileMode.BLOB)
        top.insert(shard, _written(repo, builder.write), FileMode.TREE)
    if page.is_listed:
        readme = readme_page.revised(_readme(repo, root), page)
        blob = _written(repo, partial(repo.write, ObjectType.BLOB, readme))
        top.insert(readme_page.NAME, blob, FileMode.BLOB)
    parent = str(tip.commit) if tip.commit else None
    commit = decision_page.commit(page, tree=str(_written(repo, top.write)), parent=parent)
    return _written(repo, partial(repo.write, ObjectType.COMMIT, commit))


def _readme(repo: pygit2.Repository, root: pygit2.Tree | None) -> bytes:
    """Read the README before a commit; an older program made none, so make it of the pages."""
    if root and readme_page.NAME in root:
        return read_body(repo, root[readme_page.NAME].id)
    folders = [read_tree(repo, entry.id) for entry in root or ()]
    pages = (read_body(repo, page.id) for folder in folders for page in folder)
    return readme_page.of_pages(pages)


def _written(repo: pygit2.Repository, write: Callable[[], pygit2.Oid]) -> pygit2.Oid:
    """Write an object, once more if a crash had left a torn file where it belongs."""
    oid = write()
    try:
        require_sound(repo, oid)
    except UnsoundError:
        loose_file(repo, oid).unlink()
        write()
    _restrict_object(repo, oid)
    return oid


def _restrict_object(repo: pygit2.Repository, oid: pygit2.Oid) -> None:
    """Make private what libgit2 creates with the umask's permissions; packs hold nothing new."""
    file = loose_file(repo, oid)
    if file.exists():
        restrict(file.parent)
        restrict(file)


def _read_page(
    repo: pygit2.Repository, root: pygit2.Tree | None, shard: str, name: str
) -> bytes | None:
    folder = _subtree(repo, root, shard)
    if folder is None or name not in folder:
        return None
    return read_body(repo, folder[name].id)


def _subtree(repo: pygit2.Repository, root: pygit2.Tree | None, shard: str) -> pygit2.Tree | None:
    return read_tree(repo, root[shard].id) if root and shard in root else None


def _open(path: Path) -> pygit2.Repository:
    try:
        flags = RepositoryOpenFlag.NO_SEARCH | RepositoryOpenFlag.BARE
        return pygit2.Repository(str(path), flags)
    except pygit2.GitError as error:
        if all((path / name).exists() for name in ("HEAD", "objects", "refs")):
            raise  # it exists, and we may not open it
        raise UnsoundError("no repository") from error


def _sync_writes(repo: pygit2.Repository) -> None:
    """Make libgit2 sync what it writes through this handle."""
    synced = Path(repo.path, SYNCED_FILE)
    if not synced.exists():
        synced.touch(mode=FILE_MODE)
        synced.write_text(SYNCED)
    repo.config.add_file(str(synced), ConfigLevel.APP)


def _remove_leftovers(repo: pygit2.Repository) -> None:
    """Remove the temporary files and the locks of a process that was killed."""
    remove_stale_locks(repo)
    for left in Path(repo.path, "objects").glob("tmp_object_git2_*"):
        left.unlink(missing_ok=True)


def _moved(
    fresh: pygit2.Repository, tip: _Tip, branch: pygit2.Oid | bytes | None, *, is_followed: bool
) -> list[str]:
    """Say which references are not where the journal leads, or on the way there."""
    own = find_reference(fresh, OWN)
    if own is None:
        return []
    is_behind = branch is None or (isinstance(branch, pygit2.Oid) and branch in fresh)
    found = [] if own.raw_target == tip.commit else [OWN]
    if branch != own.raw_target and not (is_followed and is_behind):
        found.append(BRANCH)
    return [f"{name} is not where the journal leads" for name in found]


def _is_held(store: Store, lock: str) -> bool:
    """Whether a process is at work that will move the branch."""
    held = store.engine.hold(lock)
    if held is None:
        return True
    with held:
        return False


def _unreadable(ours: pygit2.Repository, fresh: pygit2.Repository) -> list[str]:
    found = []
    for oid in fresh.odb:
        try:
            read_body(ours, oid)
        except UnsoundError:
            found.append(f"object {oid} cannot be read")
    return found


@contextmanager
def _refusals_as_not_now(path: Path) -> Iterator[None]:
    """Translate refusals of a disk or a lock: the journal has the decision, Git can wait."""
    try:
        yield
    except (OSError, pygit2.GitError) as error:
        logger.warning("%s cannot be written for now: %s", path, error)
        raise NotNow(str(error)) from error
    except BlobDamaged as problem:
        logger.warning("%s cannot be written: %s (%s)", path, problem.message, problem.details)
        raise NotNow(problem.message) from problem
