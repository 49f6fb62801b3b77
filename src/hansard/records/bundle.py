"""The context bundle: a record with what is needed to reason with it, within a budget."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from operator import itemgetter

from hansard.kernel.engine import Position, ReadTx, Row
from hansard.kernel.page import to_cursor
from hansard.records import answers, limits, reading
from hansard.records.budget import Budget, brief, size_of
from hansard.records.shapes import STATES, Omitted, Record, RecordRef, Warned
from hansard.records.views import BENEATH, RECORDS, children_in, subtree

TARGET_SHARE = 0.75
"""A target that does not fit is cut to this part of the budget, so that something else fits too."""

PARENT_SHARE = 0.25
"""The parent may take this part of what the target leaves."""

OPEN_SHARE = 0.4
"""The bodies of open children may take this part of what is then left; the rest is for refs."""

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
        for warning in warnings:
            self.budget.take(warning)
        target = self._target()
        parent = self._parent()
        open_rows = self._in_state("OPEN", limits.CHILDREN_MAX)
        full = self._full(open_rows)
        other_rows = self._not_open(limits.CHILDREN_MAX - len(open_rows))
        open_refs, other, grandchildren = self.budget.take_in_turn(
            self._refs(open_rows[len(full) :]), self._refs(other_rows), self._grandchildren()
        )
        children = self._children(full, open_refs, other)
        count = self._grandchildren_count()
        cursor = self._rest("grandchildren", '"depth": 2', grandchildren, count)
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

    def _target(self) -> Record:
        whole = reading.whole(self.tx, self.row)
        fits = size_of(whole) <= self.budget.chars
        return self._cut(whole, "target", 1 if fits else TARGET_SHARE)

    def _parent(self) -> Record | None:
        if self.row["parent_id"] is None:
            return None
        row = reading.require(self.tx, self.row["parent_id"], as_of=self.as_of)
        return self._cut(reading.whole(self.tx, row), "parent", PARENT_SHARE)

    def _cut(self, whole: Record, name: str, share: float) -> Record:
        """Take a record in full, or with its body cut, and say so."""
        record, lost = self.budget.take_record(whole, chars_max=int(self.budget.chars * share))
        if lost:
            how = f'activate {{"id": "{whole.id}"}} with a larger budget_tokens'
            self.omitted.append(Omitted(what=f"{name}.body", count=lost, how=how))
        return record

    def _children(
        self, full: list[Record], open_refs: list[RecordRef], other: list[RecordRef]
    ) -> answers.Children:
        counts = reading.counts(self.tx, self.row["id"], as_of=self.as_of)
        open_count = counts.get("OPEN", 0)
        other_count = children_in(counts) - open_count
        not_open = ", ".join(f'"{state}"' for state in NOT_OPEN)
        return answers.Children(
            open=full,
            open_refs=open_refs or None,
            other=other,
            open_count=open_count,
            other_count=other_count,
            open_cursor=self._rest(
                "open children", '"states": ["OPEN"]', [*full, *open_refs], open_count
            ),
            other_cursor=self._rest(
                "other children", f'"states": [{not_open}]', other, other_count
            ),
        )

    def _full(self, rows: list[Row]) -> list[Record]:
        """Take open children in full, for as long as their share of the budget lasts."""
        records = (reading.whole(self.tx, row) for row in rows)
        chars_max = int(self.budget.chars * OPEN_SHARE)
        return list(self.budget.take_while(records, chars_max=chars_max))

    def _refs(self, rows: list[Row]) -> Iterator[RecordRef]:
        return (brief(reading.ref(self.tx, row, as_of=self.as_of)) for row in rows)

    def _rest(
        self, what: str, argument: str, shown: Sequence[Record | RecordRef], count: int
    ) -> str | None:
        """Note how many of something are not shown; gives the cursor from which to go on."""
        missing = count - len(shown)
        if not missing:
            return None
        cursor = self._cursor(shown[-1].id) if shown else None
        onwards = f', "cursor": "{cursor}"' if cursor else ""
        how = f'list_records {{"parent_id": "{self.row["id"]}", {argument}{onwards}}}'
        self.omitted.append(Omitted(what=what, count=missing, how=how))
        return cursor

    def _cursor(self, identifier: str) -> str:
        row = reading.require(self.tx, identifier, as_of=self.as_of)
        return to_cursor(Position(row["path"], identifier))

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
