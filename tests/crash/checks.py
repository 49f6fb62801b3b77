"""What must hold of a store after any crash. Each check returns what it found amiss, in words."""

import fcntl
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from hansard.app.application import Application
from hansard.app.verify import verify
from hansard.kernel import paging
from hansard.kernel.event import Entry, Event, genesis
from hansard.kernel.store import Store
from hansard.sessions.events import ProjectCreated
from tests import toy
from tests.crash import toys

OWN_FILES = re.compile(
    r"hansard\.db(-wal|-shm)?|write\.lock|reserve|locks|locks/[\w-]+|blobs(/incoming|/[0-9a-f]{2}(/[0-9a-f]{62})?)?"
    r"|hooks(/(spool|chats|seen|looks)\b.*)?"
)
"""What a store's folder may hold while it is open."""


@dataclass(frozen=True, slots=True)
class Ack:
    """A write that its caller was told is durable."""

    project: str
    token: str
    seq: int
    hash: str


def findings(app: Application, acks: Iterable[Ack] = ()) -> list[str]:
    """Look at the journals with eyes of our own, and have `verify` look at all the rest."""
    store = app.store
    found = [fault for project in store.engine.heads() for fault in _journal_faults(store, project)]
    return found or [*_ack_faults(store, acks), *_verify_faults(store)]


def leftovers(folder: Path) -> list[str]:
    """Find files that do not belong in a store's folder, and locks that nobody holds."""
    paths = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*")}
    strange = [f"{name} is left over" for name in paths if not OWN_FILES.fullmatch(name)]
    dead = [f"{name} is a dead lock" for name, path in paths.items() if _is_dead_lock(path)]
    return strange + dead


def takes_new_work(app: Application, token: str) -> list[str]:
    """Write once more, in each of the ways the tests write."""
    before = app.store.engine.heads().get(app.default_project)
    result = app.call("toy_note", {"text": token}, toys.a_caller())
    receipt = result.model_dump()["receipt"]
    if receipt is None or (before and receipt["seq"] <= before.seq):
        return [f"a new write got the receipt {receipt} after {before}"]
    return []


def tokens(store: Store, project: str) -> Iterator[tuple[str, Entry]]:
    """Give each entry that carries a token, with it."""
    for entry in store.read(project, lambda tx: list(paging.entries(tx))):
        token = _token(store.kinds.decode(entry))
        if token is not None:
            yield token, entry


def _token(event: Event | None) -> str | None:
    match event:
        case toys.BodyKept():
            return event.token
        case toy.Noted():
            return event.text
        case ProjectCreated():
            return event.id
    return None


def _journal_faults(store: Store, project: str) -> list[str]:
    entries = store.read(project, lambda tx: list(paging.entries(tx)))
    ticking = {event.kind for event in store.kinds if event.advances_tick}
    faults, before, tick = [], genesis(project).hash, 0
    for place, entry in enumerate(entries, start=1):
        tick += entry.kind in ticking
        if entry.seq != place:
            return [f"{project}: entry {entry.seq} stands at place {place}"]
        if entry.hash != entry.hash_after(before):
            faults.append(f"{project}: entry {entry.seq} does not follow the one before")
        if entry.tick != tick:
            faults.append(f"{project}: entry {entry.seq} has tick {entry.tick}, not {tick}")
        if not entry.payload_is_sound():
            faults.append(f"{project}: the payload of entry {entry.seq} is not what was recorded")
        before = entry.hash
    head = store.engine.heads()[project]
    if (head.seq, head.tick, head.hash) != (len(entries), tick, before):
        faults.append(f"{project}: the head {head} is not the end of the journal")
    return faults


def _ack_faults(store: Store, acks: Iterable[Ack]) -> Iterator[str]:
    known = {project: dict[str, list[Entry]]() for project in store.engine.heads()}
    for project, by_token in known.items():
        for token, entry in tokens(store, project):
            by_token.setdefault(token, []).append(entry)
        counts = Counter({token: len(entries) for token, entries in by_token.items()})
        yield from (
            f"{project}: {token} is there {n} times" for token, n in counts.items() if n > 1
        )
    for ack in acks:
        entries = known.get(ack.project, {}).get(ack.token, [])
        if [(entry.seq, entry.hash) for entry in entries] != [(ack.seq, ack.hash)]:
            seqs = [entry.seq for entry in entries]
            yield f"{ack.token} was acknowledged as {ack.seq} and is found as {seqs}"


def _verify_faults(store: Store) -> list[str]:
    report = verify(store)
    said = [f"{one.project} {one.check}: {one.message}" for one in report.findings]
    if report.exit_code and not said:
        said = [f"{one.project}: intent {one.seq} is open" for one in report.open_intents]
    return [f"verify says {line}" for line in said]


def _is_dead_lock(path: Path) -> bool:
    if path.parent.name != "locks":
        return False
    with path.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True
