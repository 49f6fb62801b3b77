"""The context bundle: a record with its surroundings, within a budget."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from operator import itemgetter

from hansard.kernel.engine import ReadTx, Row
from hansard.records import answers, limits, reading
from hansard.records.budget import Budget, brief, size_of
from hansard.records.next_page import onwards
from hansard.records.shapes import STATES, Json, Omitted, Record, RecordRef, Warned
from hansard.records.views import BENEATH, RECORDS, children_in, subtree

AROUND_SHARE = 0.25
"""A target's surroundings get at least this part of the budget, however long the target is."""

REFS_SHARE = 0.3
"""At most this part of what target and parent leave is reserved for references."""

REF_CHARS = 300
"""The approximate cost of a reference."""

OMITTED_CHARS = 100
"""The cost of naming the call that gets what a reference stands for."""

OPEN_CHARS_MIN = 400
"""The least cost of a complete record."""

NOT_OPEN = tuple(state for state in STATES if state != "OPEN")


@dataclass(slots=True)
class Bundler:
    """Puts one bundle together, remembering what was left out."""

    tx: ReadTx
    row: Row
    budget: Budget
    as_of: int | None = None
    omitted: list[Omitted] = field(default_factory=list)

    def bundle(self, warnings: list[Warned]) -> answers.ContextBundle:
        """Gather the context by the rules of 000, the most needed first."""
        least = int(self.budget.chars * AROUND_SHARE)
        for warning in warnings:
            self.budget.take(warning)
        target, parent = reading.whole(self.tx, self.row), self._parent()
        for record in filter(None, [target, parent]):
            self.budget.spend(record)
        self.budget.keep(least)
        open_rows = self._in_state("OPEN", limits.CHILDREN_MAX)
        other_rows = self._not_open(limits.CHILDREN_MAX - len(open_rows))
        count = self._grandchildren_count()
        full = self._full(open_rows, others=len(other_rows) + count)
        reduced = [row for row in open_rows if row["id"] not in full]
        open_refs, other, grandchildren = self.budget.take_in_turn(
            self._refs(reduced),
            self._refs(other_rows),
            self._grandchildren(),
            first_extra=OMITTED_CHARS,
        )
        self.omitted += map(self._reduced, open_refs)
        children = self._children(open_rows, full, open_refs, other)
        missing = count - len(grandchildren)
        cursor = self._rest("grandchildren", {"depth": 2}, _last(grandchildren), missing)
        return answers.ContextBundle(
            target=target,
            parent=parent,
            children=children,
            grandchildren=grandchildren,
            grandchildren_count=count,
            grandchildren_cursor=cursor,
            warnings=warnings or None,
            omitted=self.omitted or None,
        )

    def _parent(self) -> Record | None:
        if self.row["parent_id"] is None:
            return None
        row = reading.require(self.tx, self.row["parent_id"], as_of=self.as_of)
        return reading.whole(self.tx, row)

    def _full(self, rows: list[Row], *, others: int) -> dict[str, Record]:
        """Take open children in full, those changed last first, and leave room for references."""
        refs_chars = min(int(self.budget.chars * REFS_SHARE), (len(rows) + others) * REF_CHARS)
        taken: dict[str, Record] = {}
        for row in sorted(rows, key=itemgetter("modified_seq"), reverse=True):
            room = self.budget.chars - refs_chars
            if room < OPEN_CHARS_MIN:
                break
            # A character takes at most four bytes, so what is longer than this need not be read.
            if reading.body_bytes(self.tx, row) > room * 4:
                continue
            record = reading.whole(self.tx, row)
            if size_of(record) <= room:
                self.budget.spend(record)
                taken[record.id] = record
        return taken

    def _reduced(self, ref: RecordRef) -> Omitted:
        """Say how to get what a reference stands for."""
        how = f'activate {{"id": "{ref.id}"{self._then()}}}'
        return Omitted(what=f"body of {ref.id}", count=1, how=how)

    def _then(self) -> str:
        """Give the argument that asks the same of the past."""
        return f', "as_of": "s:{self.as_of}"' if self.as_of is not None else ""

    def _children(
        self,
        rows: list[Row],
        full: Mapping[str, Record],
        open_refs: list[RecordRef],
        other: list[RecordRef],
    ) -> answers.Children:
        counts = reading.counts(self.tx, self.row["id"], as_of=self.as_of)
        open_count = counts.get("OPEN", 0)
        other_count = children_in(counts) - open_count
        shown = {*full, *(ref.id for ref in open_refs)}
        # In the order of the list, up to where something is missing: from there it goes on.
        leading = [row["id"] for row in takewhile(lambda row: row["id"] in shown, rows)]
        return answers.Children(
            open=[full[row["id"]] for row in rows if row["id"] in full],
            open_refs=open_refs or None,
            other=other,
            open_count=open_count,
            other_count=other_count,
            open_cursor=self._rest(
                "open children",
                {"states": ["OPEN"]},
                leading[-1] if leading else None,
                open_count - len(shown),
            ),
            other_cursor=self._rest(
                "other children",
                {"states": [*NOT_OPEN]},
                _last(other),
                other_count - len(other),
            ),
        )

    def _refs(self, rows: list[Row]) -> Iterator[RecordRef]:
        return (brief(reading.ref(self.tx, row, as_of=self.as_of)) for row in rows)

    def _rest(self, what: str, chosen: Json, last: str | None, missing: int) -> str | None:
        """Note how many of something are not shown; gives the cursor that goes on after `last`."""
        if not missing:
            return None
        row = reading.require(self.tx, last, as_of=self.as_of) if last else None
        asked = {"parent_id": self.row["id"], **chosen}
        cursor, how = onwards(self.tx, asked, row, as_of=self.as_of)
        self.omitted.append(Omitted(what=what, count=missing, how=how))
        return cursor

    def _in_state(self, state: str, limit: int) -> list[Row]:
        where = {"parent_id": self.row["id"], "state": state}
        found = self.tx.scan(RECORDS, where, order="path", limit=limit, as_of=self.as_of)
        return [one.row for one in found]

    def _not_open(self, limit: int) -> list[Row]:
        if limit <= 0:
            return []
        # A scan for each state ends where the limit is reached; one for all would sort them first.
        rows = [row for state in NOT_OPEN for row in self._in_state(state, limit)]
        return sorted(rows, key=itemgetter("path"))[:limit]

    def _grandchildren(self) -> Iterator[RecordRef]:
        rows: list[Row] = []
        for child in self._below(self.row["id"], limits.CHILDREN_MAX):
            left = limits.GRANDCHILDREN_MAX - len(rows)
            has_children = self.as_of is not None or self.tx.get(BENEATH, child["id"])
            if left and has_children:
                rows += self._below(child["id"], left)
        return self._refs(rows)

    def _below(self, parent_id: str, limit: int) -> list[Row]:
        where = {"parent_id": parent_id}
        found = self.tx.scan(RECORDS, where, order="path", limit=limit, as_of=self.as_of)
        return [one.row for one in found]

    def _grandchildren_count(self) -> int:
        if self.as_of is None:
            return reading.counts(self.tx, self.row["id"]).get("grandchildren", 0)
        where = {"path": subtree(self.row["path"]), "depth": self.row["depth"] + 2}
        return self.tx.tally(RECORDS, where, as_of=self.as_of).get(None, 0)


def _last(refs: Sequence[RecordRef]) -> str | None:
    return refs[-1].id if refs else None
