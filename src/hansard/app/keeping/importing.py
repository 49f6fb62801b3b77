"""Imports a bundle: verifies all of it, then writes it page by page and rebuilds the views."""

import re
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from pydantic import ValidationError

from hansard.app import copies, unfinished_imports
from hansard.app.keeping.blob_lock import StillAlone, alone
from hansard.app.keeping.blob_staging import spooling
from hansard.app.keeping.bundle import BundleDamaged, FileState, Opening, reading, said_by
from hansard.app.keeping.exporting import Progress
from hansard.kernel import ids, paging
from hansard.kernel.blob import Blob, Digest
from hansard.kernel.clock import from_text
from hansard.kernel.content import content
from hansard.kernel.effect import Intent, Owner
from hansard.kernel.engine import ReadTx, WriteTx
from hansard.kernel.event import Entry, Event, Head, Kinds, Stamp, genesis
from hansard.kernel.problem import BlobRedacted, InvalidInput, StorageUnavailable
from hansard.kernel.store import CATALOG, Store
from hansard.sessions import projects
from hansard.sessions.contract import CreateProject, ProjectExists
from hansard.sessions.events import ProjectCreated
from hansard.sessions.project_views import PROJECTS

RENAME = "Import it under another name with --as"

_OWNER = re.compile(rf"{Owner.PREFIX}[0-9A-Za-z-]{{1,100}}")
"""An intent's owner names a lock, and so a file."""

PROVED_PAGE = 100
"""Blobs that are proved in one transaction."""

_NUMBER_MAX = 2**53
"""No id comes near this; above it a store could not continue counting."""


@dataclass(slots=True)
class BundleContents:
    """What a look through a whole bundle found."""

    opening: Opening
    file: FileState
    entries: int = 0
    blobs: int = 0
    goes_on: bool = True
    """Whether the project in the store, if it has one, is how this one begins."""
    blocks: list[tuple[int, ids.IdBlockGranted]] = field(default_factory=list)
    """The blocks of ids it was granted, each with its seq."""


@dataclass(frozen=True, slots=True)
class Imported:
    """How an import went."""

    project: str
    head: Head
    entries: int
    """How many entries were taken in: none if all were there."""
    blobs: int
    is_renamed: bool = False


def import_project(
    store: Store,
    path: Path,
    stamp: Stamp,
    *,
    name: str | None = None,
    progress: Progress = lambda *_: None,
) -> Imported:
    """Take a bundle in, as the project it is of or under another name.

    Under its own name it keeps every hash. Under another one its entries are chained anew, since
    the chain begins with the project's name. Either way it goes on where an earlier import ended.
    """
    with alone(store.engine) as still_alone:
        contents = _proved_to_fit(store, path, name)
        project = name or contents.opening.project
        unfinished_imports.begin(store, project, contents.opening.seq)
        enter(store, contents, project, stamp)
        foreign = reserve(store, contents, project, stamp)
        # First: an import that is interrupted later finds the blocks entered, and asks no more.
        store.write(project, partial(withhold, contents, foreign))
        if project == contents.opening.project:
            copies.note(store, project, contents.opening.seq)
        try:
            taken = take_in(
                store, path, contents, project, progress=progress, still_alone=still_alone
            )
        except BundleDamaged:
            unfinished_imports.end(store, project)  # there is nothing to continue
            raise
        unfinished_imports.end(store, project)
    return replace(taken, head=store.engine.heads()[project])


def look_through(
    path: Path, kinds: Kinds, *, heads: Mapping[str, Head] | None = None, name: str | None = None
) -> BundleContents:
    """Prove that a bundle is whole, its chain sound and each blob true, without keeping any of it.

    `heads` are those of the store it is to go into, where it may have another name.
    """
    with spooling() as spool, reading(path) as bundle:
        found = BundleContents(bundle.opening, bundle.file)
        if found.opening.is_part:
            raise BundleDamaged("This is a part of a project, which only push and pull take in")
        project = name or found.opening.project
        reached, ours = genesis(found.opening.project), genesis(project)
        there = (heads or {}).get(project, ours)
        found.goes_on = there.seq == 0
        for page in bundle.pages():
            for thing in page:
                if isinstance(thing, Blob):
                    found.blobs += 1
                    spool.add(thing)
                    continue
                reached = next_head(reached, thing, kinds)
                event = event_of(thing, kinds)
                if isinstance(event, ids.IdBlockGranted):
                    found.blocks.append((thing.seq, event))
                ours = renamed(thing, project, ours).as_head() if name else reached
                if (thing.seq, ours.hash) == (there.seq, there.hash):
                    found.goes_on = True
        if (reached.seq, reached.hash) != (found.opening.seq, found.opening.hash):
            raise BundleDamaged("The bundle's journal does not end where it says")
        spool.prove()
        found.entries = reached.seq
        return found


def take_in(
    store: Store,
    path: Path,
    contents: BundleContents,
    project: str,
    *,
    progress: Progress = lambda *_: None,
    still_alone: StillAlone = lambda: None,
) -> Imported:
    """Keep the blobs, then append the entries that are not there yet."""
    blobs = entries = 0
    is_mixed = bool(store.engine.read(project, lambda tx: tx.digests(limit=1)))
    with reading(path) as bundle:
        if bundle.file != contents.file:
            raise BundleDamaged("The bundle was changed while it was read", hint="Try again")
        for page in bundle.pages():
            still_alone()
            if packed := [thing for thing in page if isinstance(thing, Blob)]:
                keep_blobs(store, project, packed)
                blobs += len(packed)
                progress(project, "blobs", blobs, contents.blobs)
            if journal := [thing for thing in page if isinstance(thing, Entry)]:
                if is_mixed:
                    _prove_blobs(store, project)
                    is_mixed = False
                entries += _append(store, project, journal)
                progress(project, "entries", journal[-1].seq, contents.entries)
    head = store.engine.heads()[project]
    renamed = project != contents.opening.project
    return Imported(project, head, entries, contents.blobs, is_renamed=renamed)


def _proved_to_fit(store: Store, path: Path, name: str | None) -> BundleContents:
    """Look through a bundle, and refuse it if the store's project is not how it begins."""
    _require_name(name)
    heads = store.engine.heads()
    contents = look_through(path, store.kinds, heads=heads, name=name)
    if contents.opening.project == CATALOG:
        raise InvalidInput("This is the bundle of a store's catalog, which is no project")
    project, hint = name or contents.opening.project, "Choose a name that is free"
    found = projects.find(store, project)
    if found and found.key != project:
        message = f"A project of this store was once called {project}"
        raise ProjectExists(message, hint=hint if name else RENAME, project_id=project)
    # One that is empty may be somebody's who has just begun; under its own name it is the same.
    is_ours = (
        name is None
        or found is None
        or project in heads
        or unfinished_imports.is_begun(store, name)
    )
    if not (contents.goes_on and is_ours):
        _require_unknown(store, project, contents, name)
        message = f"There is a project {project} here, and it does not begin like the bundle's"
        raise ProjectExists(message, hint=hint if name else RENAME, project_id=project)
    return contents


def _require_unknown(
    store: Store, project: str, contents: BundleContents, name: str | None
) -> None:
    """Refuse an older bundle of the project itself: there is nothing to take in.

    Its blobs are not kept again either: some may have been erased since.
    """
    end, head = contents.opening, store.engine.heads().get(project)
    if name is not None or head is None:
        return
    last = store.engine.read(project, lambda tx: tx.entries(after=end.seq - 1, limit=1))
    if last and (last[0].seq, last[0].hash) == (end.seq, end.hash):
        more = head.seq - end.seq
        raise ProjectExists(
            f"{project} has all of this bundle, and {more} entries more: nothing was taken in",
            hint="To have it as it was then beside it, import it under another name with --as",
            project_id=project,
            entries_more=more,
        )


def _require_name(name: str | None) -> None:
    try:
        CreateProject(id=name, name=name or "x")
    except ValidationError as error:
        raise InvalidInput(f"--as: {error.errors()[0]['msg']}") from None


def next_head(before: Head, entry: Entry, kinds: Kinds) -> Head:
    """Prove that an entry follows."""
    place = f"s:{entry.seq}"
    if not entry.follows(before, advances=kinds.advances(entry.kind)):
        message = f"{place} was altered, or does not follow s:{before.seq}"
        raise BundleDamaged(message, seq=entry.seq)
    if not _is_time(entry.at):
        raise BundleDamaged(f"{place} has a time that none has", seq=entry.seq)
    if not kinds.knows(entry.kind):
        raise StorageUnavailable(
            f"{place} is of a kind that this Hansard does not know: {entry.kind[:100]!a}",
            hint="Upgrade Hansard; nothing was changed",
        )
    return entry.as_head()


def _is_time(text: str) -> bool:
    try:
        from_text(text)
    except ValueError:
        return False
    return True


def event_of(entry: Entry, kinds: Kinds) -> Event | None:
    """Read an entry's event, and refuse what this program would never have recorded."""
    place = f"s:{entry.seq}"
    try:
        event = kinds.decode(entry)
    except ValidationError as error:
        raise BundleDamaged(f"{place} is no event: {said_by(error)}", seq=entry.seq) from None
    except (ValueError, TypeError, LookupError, AttributeError) as error:
        # An upgrade takes the fields of its older shape for granted.
        raise BundleDamaged(f"{place} is no event of its kind", seq=entry.seq) from error
    if isinstance(event, Intent) and not _OWNER.fullmatch(event.owner):
        raise BundleDamaged(f"{place} names an owner that none can be", seq=entry.seq)
    if isinstance(event, ids.IdBlockGranted) and not (
        0 < event.first < _NUMBER_MAX and 0 < event.size < _NUMBER_MAX
    ):
        raise BundleDamaged(f"{place} grants ids that none can have", seq=entry.seq)
    return event


def enter(store: Store, contents: BundleContents, project: str, stamp: Stamp) -> None:
    """Enter the project in the catalog."""
    named, said = project == contents.opening.project, contents.opening
    created = ProjectCreated(
        id=project, name=said.name if named else project, description=said.description
    )

    def work(tx: WriteTx) -> None:
        if tx.get(PROJECTS, project) is None:
            store.record(tx, created, stamp)

    store.write(CATALOG, work)


def reserve(store: Store, contents: BundleContents, project: str, stamp: Stamp) -> list[str]:
    """Set the project's ids aside in this store's catalog.

    Returns the prefixes whose last block is another project's here: it must get a new one, or the
    same id would be given twice.
    """
    there = store.engine.heads().get(project)
    new = [block for seq, block in contents.blocks if there is None or seq > there.seq]

    def work(tx: WriteTx) -> dict[str, bool]:
        missing: dict[str, bool] = {}
        ours = _reserved(store, tx, project)
        for block in new:
            row = tx.get(ids.BLOCKS, block.prefix)
            if (block.prefix, block.first) in ours:
                missing[block.prefix] = False
            elif row is not None and row["next"] > block.first:
                missing[block.prefix] = True
            else:
                reserved = ids.IdBlockReserved(
                    prefix=block.prefix, first=block.first, size=block.size, for_project=project
                )
                store.record(tx, reserved, stamp)
                missing[block.prefix] = False
        return missing

    decided = store.write(CATALOG, work) if new else {}
    return [prefix for prefix, is_missing in decided.items() if is_missing]


def withhold(contents: BundleContents, prefixes: Collection[str], tx: WriteTx) -> None:
    """Retire blocks of ids that are another project's here; the journal stays the same."""
    for _, block in contents.blocks:
        if block.prefix in prefixes:
            ids.withhold(tx, block.prefix, block.first + block.size)


def _reserved(store: Store, tx: ReadTx, project: str) -> set[tuple[str, int]]:
    """Name the blocks that this catalog has set aside for a project."""
    reserved = paging.entries(tx, kinds={ids.IdBlockReserved.kind})
    return {
        (event.prefix, event.first)
        for event in map(store.kinds.decode, reserved)
        if isinstance(event, ids.IdBlockReserved) and event.for_project == project
    }


def keep_blobs(store: Store, project: str, blobs: Sequence[Blob]) -> None:
    """Keep blobs that were proved; until an entry names them, nobody sees them."""

    def work(tx: WriteTx) -> None:
        for blob in blobs:
            tx.keep(blob)

    for blob in blobs:
        # What stands in for redacted content is not what its name says: no file may hold it.
        if blob.codec != "redacted":
            store.engine.stage(blob)
    store.engine.write(project, work)


def _prove_blobs(store: Store, project: str) -> None:
    """Prove blobs that were packed elsewhere, now that they rest on the project's other blobs."""

    def proved(tx: ReadTx, after: str) -> list[Digest]:
        page = tx.digests(after=after, limit=PROVED_PAGE)
        for digest in page:
            with suppress(BlobRedacted):
                content(tx, digest)
        return page

    def read(after: str) -> list[Digest]:
        return store.engine.read(project, partial(proved, after=after))

    for _ in paging.pages(read, str, ""):
        pass


def _append(store: Store, project: str, entries: Sequence[Entry]) -> int:
    """Append the entries of a page that are not there yet; returns how many those were."""

    def work(tx: WriteTx) -> int:
        head = tx.head()
        new = [entry for entry in entries if entry.seq > head.seq]
        if new and head.seq == 0:
            tx.mark_views(store.fingerprint)
        for entry in new:
            placed = renamed(entry, project, tx.head())
            tx.append(placed)
            derive(store, tx, placed)
        return len(new)

    return store.write(project, work)


def derive(store: Store, tx: WriteTx, entry: Entry) -> None:
    """Derive what follows from an entry, or refuse one that nothing before it leads to."""
    event = store.kinds.decode(entry)
    try:
        if event is not None:
            store.derive(tx, entry, event)
    except (AssertionError, ArithmeticError, LookupError, TypeError, ValueError) as error:
        # Views rely on the checks of operations, which a forger has skipped.
        raise BundleDamaged(
            f"s:{entry.seq} cannot have happened after what came before it",
            hint=f"Do not trust this bundle; what came before is in {entry.project}",
            seq=entry.seq,
        ) from error


def renamed(entry: Entry, project: str, head: Head) -> Entry:
    """Give the entry as a project's journal has it after a head."""
    if entry.project != project:
        placed = replace(entry, project=project)
        return replace(placed, hash=placed.hash_after(head.hash))
    if entry.seq != head.seq + 1 or entry.hash != entry.hash_after(head.hash):
        raise ProjectExists(
            f"Someone else has written to {project} while it was imported", hint=RENAME
        )
    return entry
