"""The chain: every entry is there, linked to the one before, with its payload and clocks intact."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

import orjson

from hansard.app.erasure_events import Collected, Redacted
from hansard.app.verify.missing import Missing
from hansard.app.verify.report import Check, Findings, Progress
from hansard.kernel.blob import Digest, digest_of
from hansard.kernel.engine import ReadTx
from hansard.kernel.event import Entry, Head, genesis
from hansard.kernel.limits import ENTRIES_PAGE
from hansard.kernel.named_blobs import Finder, finders
from hansard.kernel.store import Store

_ERASING: dict[str, type[Redacted | Collected]] = {
    event.kind: event for event in (Redacted, Collected)
}
"""The entries that say what content is gone for good."""

DAMAGED = (ValueError, TypeError, OverflowError)
"""What an engine raises when a row holds something that it never wrote."""


_HEAD_TYPES = (int, int, str, str, str)
_ENTRY_TYPES = (int, str, str, str, str | None, bytes | None, str, str)


@dataclass(slots=True)
class Journal:
    """What is known of a project's journal so far."""

    project: str
    entries: int = 0
    reached: Head = field(init=False)
    """Where the walk along the entries stands; its hash is what the next entry must follow."""
    is_sound: bool = True
    is_known: bool = True
    """Whether every entry is of a kind that this Hansard can read."""
    missing: Missing = field(default_factory=Missing)
    """The blobs that entries name and that are not kept."""
    erased: dict[int, Digest | None] = field(default_factory=dict)
    """The redacted entries, each with the digest of what stands in for its payload."""
    erased_by_word: dict[int, str] = field(default_factory=dict)
    """The same, as entries record that a person did it."""
    blobs_erased_by_word: dict[str, str | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.reached = genesis(self.project)


def check_journal(store: Store, journal: Journal, findings: Findings, progress: Progress) -> None:
    """Walk a project's journal from its first entry to its head."""
    chain = _Chain(store, journal, findings)
    try:
        head, beyond = store.engine.read(journal.project, _end)
    except DAMAGED:
        chain.damage("head", "The head cannot be read: its row is damaged", 0)
        return
    if beyond:
        chain.damage("head", f"There are entries beyond the head, s:{head.seq}", beyond)
    for page in chain.pages(head.seq):
        chain.follow(page)
        progress(journal.project, "chain", journal.reached.seq, head.seq)
    chain.compare(head)
    chain.check_redactions()
    chain.forgive_later()


def _end(tx: ReadTx) -> tuple[Head, int | None]:
    head = tx.head()
    if not _is_head(head):
        raise ValueError("a head of other types than any that was written")
    try:
        beyond = tx.entries(after=head.seq, limit=1)
    except DAMAGED:
        return head, head.seq + 1
    return head, beyond[0].seq if beyond else None


def _is_head(head: Head) -> bool:
    row = (head.seq, head.tick, head.hash, head.clock, head.views)
    return all(map(isinstance, row, _HEAD_TYPES))


def _is_typed(entry: Entry) -> bool:
    """Whether a row has the types that were written, as a database does not see to that."""
    row = (
        *(entry.tick, entry.at, entry.clock, entry.kind, entry.session),
        *(entry.payload, entry.payload_digest, entry.hash),
    )
    return all(map(isinstance, row, _ENTRY_TYPES))


class _Chain:
    """Follows one journal, entry by entry."""

    def __init__(self, store: Store, journal: Journal, findings: Findings) -> None:
        self._store = store
        self._journal = journal
        self._findings = findings
        self._finders = finders(store.kinds)
        self._unread: set[int] = set()
        self._doubt: tuple[int, Digest] | None = None
        """An entry whose stored hash is wrong, and the hash that it should have."""

    def pages(self, last: int) -> Iterator[list[Entry]]:
        """Read the entries up to `last`; around a damaged row, one by one."""
        after = 0
        while after < last:
            try:
                page = self._read(after, last + 1, ENTRIES_PAGE)
                after = page[-1].seq if page else last
            except DAMAGED:
                until = min(after + ENTRIES_PAGE, last)
                page = [entry for seq in range(after, until) for entry in self._read_one(seq + 1)]
                after = until
            yield page

    def follow(self, entries: Sequence[Entry]) -> None:
        """Continue along these entries; they nearly always follow, and if not, it is asked why."""
        head, kinds, finders_by_kind = self._journal.reached, self._store.kinds, self._finders
        for entry in entries:
            advances = kinds.advances(entry.kind)
            if advances is None or not entry.follows(head, advances=advances):
                self._explain(entry, head)
            if entry.is_redacted or entry.kind in _ERASING:
                self._note_redaction(entry)
            if entry.kind in finders_by_kind and entry.body is not None:
                self._note_named(entry, entry.body, finders_by_kind[entry.kind])
            head = entry.as_head()
        self._journal.reached = head
        self._journal.entries += len(entries)
        self._journal.missing.look_up(self._kept)

    def compare(self, head: Head) -> None:
        """Compare the head with the last entry."""
        reached = self._journal.reached
        if reached.seq < head.seq:
            self._report_missing(reached.seq + 1, head.seq)
            return
        said, found = (
            {"tick": one.tick, "hash": one.hash, "clock": one.clock} for one in (head, reached)
        )
        for name in said:
            if said[name] != found[name]:
                self.damage("head", f"The head's {name} is not that of the last entry", head.seq)

    def check_redactions(self) -> None:
        """Compare what was erased with what entries say was erased: nothing else may be."""
        said = self._journal.erased_by_word
        for seq, stand_in in self._journal.erased.items():
            if seq not in said or said[seq] != stand_in:
                message = f"s:{seq} lost its payload, and no entry says that it was redacted so"
                self.damage("chain", message, seq)

    def forgive_later(self) -> None:
        """Forgive what was collected while this verification was running."""
        after = self._journal.reached.seq
        while self._journal.missing.by and (page := self._collected(after)):
            for entry in page:
                self._note_redaction(entry)
            self._journal.missing.look_up(self._kept)
            after = page[-1].seq

    def _collected(self, after: int) -> list[Entry]:
        def work(tx: ReadTx) -> list[Entry]:
            return tx.entries(after=after, limit=ENTRIES_PAGE, kinds={Collected.kind})

        try:
            return self._store.engine.read(self._journal.project, work)
        except DAMAGED:
            return []

    def damage(self, check: Check, message: str, seq: int) -> None:
        """Note that the journal is broken."""
        self._journal.is_sound = False
        self._findings.broken(check, self._journal.project, message, seq=seq)

    def _read(self, after: int, before: int, limit: int) -> list[Entry]:
        def work(tx: ReadTx) -> list[Entry]:
            return tx.entries(after=after, before=before, limit=limit)

        page = self._store.engine.read(self._journal.project, work)
        if not all(map(_is_typed, page)):
            raise ValueError("a row of other types than any that was written")
        return page

    def _read_one(self, seq: int) -> list[Entry]:
        try:
            return self._read(seq - 1, seq + 1, 1)
        except DAMAGED:
            self._unread.add(seq)
            self.damage("chain", f"s:{seq} cannot be read: its row is damaged", seq)
            return []

    def _explain(self, entry: Entry, before: Head) -> None:
        """Say what is wrong with an entry that does not simply follow."""
        seq = entry.seq
        if seq != before.seq + 1:
            self._report_missing(before.seq + 1, seq - 1)
        else:
            self._check_link(entry, before)
            self._check_clocks(entry, before)
        if not entry.payload_is_sound():
            self.damage("chain", f"The payload of s:{seq} was altered", seq)
        if not self._store.kinds.knows(entry.kind) and self._journal.is_sound:
            self._report_unknown(entry)

    def _report_unknown(self, entry: Entry) -> None:
        """Report once that there are unreadable entries; the chain is checked all the same."""
        if self._journal.is_known:
            self._journal.is_known = False
            message = f"From s:{entry.seq} on there are kinds this Hansard does not know"
            project, kind = self._journal.project, entry.kind
            self._findings.unreadable("chain", project, f"{message}: {kind}", seq=entry.seq)

    def _report_missing(self, first: int, last: int) -> None:
        # A forged head may claim more entries than can be counted one by one.
        while first <= last and first in self._unread:
            first += 1
        while first < last and last in self._unread:
            last -= 1
        if first <= last:
            through = f" to s:{last} are" if first < last else " is"
            self.damage("chain", f"s:{first}{through} missing", first)

    def _check_link(self, entry: Entry, before: Head) -> None:
        computed = entry.hash_after(before.hash)
        if entry.hash == computed:
            return
        if self._doubt and self._doubt[0] == before.seq:
            # Only the stored hash of the entry before was altered, which has been reported.
            computed = entry.hash_after(self._doubt[1])
        if entry.hash != computed:
            self._doubt = (entry.seq, computed)
            self.damage(
                "chain", f"s:{entry.seq} was altered: its hash is not that of its header", entry.seq
            )

    def _check_clocks(self, entry: Entry, before: Head) -> None:
        rises, advances = entry.tick - before.tick, self._store.kinds.advances(entry.kind)
        if rises not in ((0, 1) if advances is None else (advances,)):
            self.damage("chain", f"The tick of s:{entry.seq} does not follow", entry.seq)
        if entry.clock != max(before.clock, entry.at):
            self.damage("chain", f"The running clock of s:{entry.seq} does not follow", entry.seq)

    def _note_redaction(self, entry: Entry) -> None:
        if entry.is_redacted:
            self._journal.erased[entry.seq] = digest_of(entry.body) if entry.body else None
            return
        try:
            said = _ERASING[entry.kind].model_validate_json(entry.body or b"")
        except ValueError:
            return  # an altered payload, which has been reported
        if isinstance(said, Collected):
            # Only until an entry names them again: from then on they must be there.
            self._journal.missing.let_go(one.digest for one in said.blobs)
            return
        self._journal.erased_by_word |= {one.seq: one.stand_in for one in said.payloads}
        self._journal.blobs_erased_by_word |= {one.digest: one.stand_in for one in said.blobs}

    def _note_named(self, entry: Entry, payload: bytes, find: Finder) -> None:
        try:
            fields = orjson.loads(payload)
        except ValueError:
            if entry.payload_is_sound():
                self.damage("chain", f"The payload of s:{entry.seq} is not JSON", entry.seq)
            return
        self._journal.missing.name(find(fields), entry.seq)

    def _kept(self, digests: Collection[Digest]) -> Collection[Digest]:
        """Say which blobs are kept; a row that cannot be read is reported with the blobs."""
        try:
            return self._store.engine.read(self._journal.project, lambda tx: tx.kept(digests))
        except DAMAGED:
            return digests
