"""Random operations on the engine and on a model too simple to be wrong: both must agree."""

from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hansard.kernel.engine import (
    AnyOf,
    Engine,
    Found,
    Position,
    Range,
    ReadTx,
    Row,
    Table,
    Version,
    Where,
    WriteTx,
)
from hansard.testing.suite.base import DATED, THINGS, Noted, SuiteBase, record

EXAMPLES = 30
MANY = 1_000

keys = st.sampled_from(["a", "b", "é", "Z", "😀", "ﬀ"])
sizes = st.one_of(st.integers(-2, 2), st.sampled_from([2**63 - 1, -(2**63)]))
texts = st.sampled_from(["", "a", "B", "é", "😀", "ﬀ", "%", "'"])
rows = st.fixed_dictionaries({"size": sizes}, optional={"color": texts, "state": texts})
steps = st.lists(st.tuples(keys, st.one_of(rows, rows, st.none())), min_size=1, max_size=4)
"""What one entry does: some rows put, some deleted (`None`)."""


@st.composite
def filters(draw: st.DrawFn, text_field: str) -> Where:
    """Make a filter of any form on a text field, an integer field or both."""
    where: dict[str, Any] = {}
    fields: dict[str, st.SearchStrategy[Any]] = {text_field: texts, "size": sizes}
    for name, values in fields.items():
        form = draw(st.sampled_from(["free", "equal", "null", "any", "range"]))
        if form == "equal":
            where[name] = draw(values)
        elif form == "null":
            where[name] = None
        elif form == "any":
            where[name] = AnyOf(draw(st.lists(values, max_size=3)))
        elif form == "range":
            where[name] = Range(*draw(st.tuples(st.none() | values, st.none() | values)))
    return where


@dataclass
class EngineModel:
    """A table as the list of all that was ever done to it."""

    changes: list[tuple[int, str, Row | None]] = field(default_factory=list)

    def rows(self, as_of: int) -> dict[str, Row]:
        """Replay what was done up to an entry."""
        standing: dict[str, Row] = {}
        for seq, key, row in self.changes:
            if seq > as_of:
                break
            standing.pop(key, None)
            if row is not None:
                standing[key] = row
        return standing

    def scan(self, where: Where, as_of: int, *, order: str | None) -> list[Found]:
        """Give the rows that match, in order."""
        matching = {
            key: row
            for key, row in self.rows(as_of).items()
            if all(fits(row.get(name), wanted) for name, wanted in where.items())
        }
        ordered = sorted(matching, key=lambda key: (matching[key][order] if order else 0, key))
        return [Found(key, matching[key]) for key in ordered]

    def versions(self, key: str, last: int) -> list[Version]:
        """Give the stretches over which a row stood unchanged by any entry."""
        touched = [
            seq for seq in range(1, last + 1) if any(c[:2] == (seq, key) for c in self.changes)
        ]
        ends = [*touched[1:], None]
        standing = [
            (self.rows(seq).get(key), seq, end) for seq, end in zip(touched, ends, strict=True)
        ]
        return [Version(row, seq, end) for row, seq, end in standing if row is not None]


def fits(value: Any, wanted: Any) -> bool:
    """Whether a value is what a filter wants."""
    if isinstance(wanted, AnyOf):
        return value in wanted.values
    if isinstance(wanted, Range):
        above = value is not None and (wanted.at_least is None or value >= wanted.at_least)
        return above and (wanted.below is None or value < wanted.below)
    return bool(value == wanted)


class ModelSuite(SuiteBase):
    """Whatever is done, the engine answers like the model."""

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        suppress_health_check=[
            HealthCheck.function_scoped_fixture,
            HealthCheck.differing_executors,
            HealthCheck.too_slow,
        ],
    )
    @given(
        history=st.lists(steps, min_size=1, max_size=6),
        plain=filters("color"),
        dated=filters("state"),
        page=st.tuples(st.integers(1, 4), sizes, keys),
    )
    def test_the_engine_agrees_with_a_simple_model(
        self,
        engine: Engine,
        history: list[list[tuple[str, Row | None]]],
        plain: Where,
        dated: Where,
        page: tuple[int, int, str],
    ) -> None:
        """Any sequence of puts and deletes, any filter, any instant, any page."""
        project = f"project-{next(_numbers)}"
        model = EngineModel()
        for step in history:
            engine.write(project, partial(apply, step=step))
            seq = engine.read(project, lambda tx: tx.head().seq)
            model.changes += [(seq, key, row) for key, row in step]

        def agree(tx: ReadTx) -> None:
            check_table(tx, THINGS, model, plain, page)
            check_table(tx, DATED, model, dated, page)
            for seq in range(len(history) + 1):
                found = tx.scan(DATED, dated, order="size", limit=MANY, as_of=seq)
                assert found == model.scan(dated, seq, order="size")
            for key in model.rows(MANY):
                assert tx.versions(DATED, key) == model.versions(key, len(history))

        engine.read(project, agree)


_numbers = count()


def apply(tx: WriteTx, step: list[tuple[str, Row | None]]) -> None:
    """Do what one entry does, to both tables alike."""
    seq = record(tx, Noted()).seq
    for key, row in step:
        for table in (THINGS, DATED):
            if row is None:
                tx.delete(table, key, seq=seq)
            else:
                tx.put(table, key, row, seq=seq)


def check_table(
    tx: ReadTx, table: Table, model: EngineModel, where: Where, page: tuple[int, int, str]
) -> None:
    """Compare rows, order, pages and counts of one table with the model."""
    limit, place = page[0], Position(*page[1:])
    by_key = model.scan(where, MANY, order=None)
    by_size = model.scan(where, MANY, order="size")
    beyond = [found for found in by_size if (found.row["size"], found.key) > page[1:]]
    before = [found for found in by_size if (found.row["size"], found.key) < page[1:]]

    assert tx.scan(table, where, limit=MANY) == by_key
    assert tx.scan(table, where, order="size", limit=limit) == by_size[:limit]
    assert tx.scan(table, where, order="size", after=place, limit=MANY) == beyond
    assert (
        tx.scan(table, where, order="size", after=place, descending=True, limit=MANY)
        == before[::-1]
    )
    assert tx.tally(table, where).get(None, 0) == len(by_key)
    assert sum(tx.tally(table, where, by="size").values()) == len(by_key)
