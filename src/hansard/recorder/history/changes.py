"""Changes of files that an entry, a batch, a restore, a step or a session made."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hansard.kernel import as_of, paging
from hansard.kernel.effect import Outcome
from hansard.kernel.engine import Range, ReadTx, Row, Where
from hansard.kernel.event import Entry, Event
from hansard.kernel.operation import Context
from hansard.kernel.problem import InvalidInput
from hansard.kernel.reply import Attempted
from hansard.recorder import prompts, rules
from hansard.recorder.events import (
    ExternalChangeSeen,
    FileOpIntended,
    FileRef,
    FileReported,
    RestoreBegun,
)
from hansard.recorder.history.standing import taken_back_by
from hansard.recorder.tables import REVISIONS, SITTINGS, file_id

Changing = FileOpIntended | FileReported | ExternalChangeSeen
"""The events by which files change."""


@dataclass(frozen=True, slots=True)
class Made:
    """A change that was made to a file, and what it was before and after."""

    seq: int
    session: str | None
    workspace: str
    path: str
    to: str | None
    before: FileRef | None
    after: FileRef | None
    """With the permissions it then had."""
    step: tuple[int | None, int | None]
    """Of the plan: its revision, and its number."""
    is_before_known: bool = True
    restore: int | None = None
    batch: int | None = None
    partner: str | None = None
    """Of a move that somebody made from outside, the other path: an entry of its own tells it."""
    made_in: str | None = None
    """The place that it was made in, if that is one this copy goes on from."""
    taken_by: int | None = None
    """What took it back there, before this copy went on."""

    @property
    def paths(self) -> tuple[str, ...]:
        """Every path that it concerns."""
        return (self.path, self.to) if self.to else (self.path,)

    def files(self) -> dict[str, str]:
        """Give the ids of its files, by path."""
        return {path: file_id(self.workspace, path) for path in self.paths}


@dataclass(frozen=True, slots=True)
class Changes:
    """Some changes, in order, and what they are called together."""

    name: str
    made: list[Made]

    @property
    def seqs(self) -> frozenset[int]:
        """The seqs of all of them."""
        return frozenset(one.seq for one in self.made)


def changes_of_entry(tx: ReadTx, context: Context, named: str) -> Changes:
    """Find what an entry changed; one of a batch or a restore stands for all of it."""
    seq = as_of.resolve(tx, named, argument="entry")
    entry, event = look_up(tx, context, seq)
    if isinstance(event, Attempted) and event.intents:
        entry, event = look_up(tx, context, event.intents[0])
    if isinstance(event, Outcome):
        entry, event = look_up(tx, context, event.intent)
    if isinstance(event, RestoreBegun):
        return _of_restore(tx, context, entry)
    if isinstance(event, FileOpIntended) and event.restore:
        begun, _ = look_up(tx, context, event.restore)
        return _of_restore(tx, context, begun)
    if not isinstance(event, Changing):
        raise InvalidInput(f"entry: {named} changed no file", argument="entry")
    if isinstance(event, FileOpIntended) and event.batch:
        return _of_batch(tx, context, entry.session, event.batch)
    made = _made(tx, entry, event)
    if made is None:
        raise InvalidInput(f"entry: what {named} announced was not done", argument="entry")
    both = sorted([made, *_other_side(tx, context, entry, event)], key=lambda one: one.seq)
    return Changes(f"entry s:{entry.seq}", both)


def changes_of_step(tx: ReadTx, context: Context, session: str, step: int) -> Changes:
    """Find what was changed under a step of a session's current plan."""
    revision = required_plan(tx, session, step)["revision"]
    made = changes_of_session(tx, context, session).made
    return Changes(
        f"step {step} of {session}", [one for one in made if one.step == (revision, step)]
    )


def changes_of_session(tx: ReadTx, context: Context, session: str, *, after: int = 0) -> Changes:
    """Find what a session changed itself; what it only met changed is of others."""
    kinds = [FileOpIntended.kind, FileReported.kind]
    made = list(_changes(tx, context, kinds, session, after=after))
    return Changes(f"session {session}", made)


def changes_since_prompt(tx: ReadTx, context: Context, session: str, named: str) -> Changes:
    """Find what a session has changed since the user said something."""
    seq = prompts.find(tx, session, named)
    made = changes_of_session(tx, context, session, after=seq).made
    return Changes(f"session {session} since the prompt s:{seq}", made)


def required_plan(tx: ReadTx, session: str, step: int) -> Row:
    """Give what is known about a session whose plan has this step."""
    sitting = tx.get(SITTINGS, session)
    rules.require_step(step, sitting["steps"] if sitting else 0)
    assert sitting is not None, "a plan has steps in a session that nothing is known of"
    return sitting


def standing(
    tx: ReadTx, made: Sequence[Made], seqs: frozenset[int]
) -> tuple[list[Made], dict[str, tuple[str, int]]]:
    """Give the changes that can be taken back, and by path a file and change that was already.

    What was taken back by one of those that are taken back as well, `seqs`, counts: undone
    together, both are gone.
    """
    left: list[Made] = []
    gone: dict[str, tuple[str, int]] = {}
    for one in made:
        files = one.files()
        if one.made_in and one.taken_by is not None and one.taken_by not in seqs:
            gone |= {path: (file_id(one.made_in, path), one.seq) for path in one.paths}
            continue
        takers = {path: taken_back_by(tx, file, one.seq) for path, file in files.items()}
        by_others = {path for path, by in takers.items() if by is not None and by not in seqs}
        if len(by_others) == len(takers):
            gone |= {path: (file, one.seq) for path, file in files.items()}
        else:
            left.append(one)
    return left, gone


def connected(made: Sequence[Made]) -> list[list[Made]]:
    """Gather changes that concern one file, or files that one of them was moved between."""
    leads: dict[str, str] = {}

    def lead(file: str) -> str:
        while (above := leads.setdefault(file, file)) != file:
            leads[file] = file = leads[above]
        return file

    firsts: list[str] = []
    for one in made:
        first, *rest = one.files().values()
        firsts.append(first)
        other = [file_id(one.workspace, one.partner)] if one.partner else []
        for file in (first, *rest, *other):
            leads[lead(file)] = lead(first)
    groups: dict[str, list[Made]] = {}
    for one, first in zip(made, firsts, strict=True):
        groups.setdefault(lead(first), []).append(one)
    return sorted(groups.values(), key=lambda group: min(min(one.paths) for one in group))


def look_up(tx: ReadTx, context: Context, seq: int) -> tuple[Entry, Event | None]:
    """Read an entry and its event, or refuse one that is not there."""
    entries = tx.entries(after=seq - 1, limit=1) if seq else []
    if not entries:
        raise InvalidInput(f"s:{seq} is not in the journal", argument="entry")
    return entries[0], context.store.kinds.decode(entries[0])


def _other_side(tx: ReadTx, context: Context, entry: Entry, event: Changing) -> list[Made]:
    """Give the other half of a move from outside, which is the entry right beside it."""
    if not isinstance(event, ExternalChangeSeen) or not (event.moved_from or event.moved_to):
        return []
    beside, other = look_up(tx, context, entry.seq + (1 if event.moved_to else -1))
    if not isinstance(other, ExternalChangeSeen) or event.path not in _partners(other):
        return []
    return [one for one in [_made(tx, beside, other)] if one]


def _partners(event: ExternalChangeSeen) -> tuple[str | None, str | None]:
    return event.moved_from, event.moved_to


def _of_restore(tx: ReadTx, context: Context, begun: Entry) -> Changes:
    kinds = [FileOpIntended.kind]
    found = _changes(tx, context, kinds, begun.session, after=begun.seq)
    event = context.store.kinds.decode(begun)
    is_undo = isinstance(event, RestoreBegun) and event.is_undo
    name = f"{'undo' if is_undo else 'restore'} s:{begun.seq}"
    return Changes(name, [one for one in found if one.restore == begun.seq])


def _of_batch(tx: ReadTx, context: Context, session: str | None, batch: int) -> Changes:
    # To the end: what the disk kept from being done may have been done by a later repetition.
    found = _changes(tx, context, [FileOpIntended.kind], session, after=batch - 1)
    return Changes(f"batch s:{batch}", [one for one in found if one.batch == batch])


def _changes(
    tx: ReadTx, context: Context, kinds: Sequence[str], session: str | None, *, after: int
) -> Iterator[Made]:
    for entry in paging.entries(tx, after=after, kinds=kinds, session=session):
        event = context.store.kinds.decode(entry)
        if isinstance(event, Changing) and (made := _made(tx, entry, event)):
            yield made


def _before(event: Changing) -> FileRef | None:
    """Give what a file was, with its permissions as far as they are known."""
    if event.before and isinstance(event, FileReported) and not event.is_mode_known:
        return event.before.model_copy(update={"mode": None})
    return event.before


def _made(tx: ReadTx, entry: Entry, event: Changing) -> Made | None:
    """Say what an event made of a file; `None` if it was announced and not done."""
    to = event.to if isinstance(event, FileOpIntended | FileReported) else None
    seq = Range(at_least=entry.seq, below=entry.seq + 1)
    where: Where = {"file": file_id(event.workspace, to or event.path), "seq": seq}
    rows = tx.scan(REVISIONS, where, limit=1)
    if not rows:
        return None
    after = rows[0].row["after"]
    return Made(
        seq=entry.seq,
        session=entry.session,
        workspace=event.workspace,
        path=event.path,
        to=to,
        before=_before(event),
        after=FileRef.model_validate(after) if after else None,
        step=(event.revision, event.step),
        is_before_known=not (isinstance(event, FileReported) and event.before_unknown),
        restore=event.restore if isinstance(event, FileOpIntended) else None,
        batch=event.batch if isinstance(event, FileOpIntended) else None,
        partner=next(filter(None, _partners(event)), None)
        if isinstance(event, ExternalChangeSeen)
        else None,
    )
