"""Answers that fit a model's budget, and say what they left out."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hansard.app.application import Application
from hansard.kernel.blob import Blob, Digest, seal
from hansard.kernel.engine import WriteTx
from hansard.kernel.event import SYSTEM, Event, Stamp
from hansard.kernel.ids import IdBlockGranted
from hansard.records import limits
from hansard.records.budget import Budget, clip, size_of
from hansard.records.events import RecordCreated
from hansard.records.shapes import Record, RecordRef
from hansard.sessions.events import SessionStarted
from tests.records.chats import Chat

BATCH = 100
"""Records that are written in one transaction."""


def fill(app: Application, count: int, **fields: Callable[[int], Any]) -> None:
    """Put many records into the default project, many in a transaction."""
    app.call("get_project", {}, Chat(app).caller)
    body = seal(b"A body of some length, as bodies are. " * 10)
    record_all(
        app, [IdBlockGranted(prefix="R", first=1, size=count + 1), SessionStarted(id="filler")]
    )
    for first in range(1, count + 1, BATCH):
        numbers = range(first, min(first + BATCH, count + 1))
        made = [a_record(number, body.digest, fields) for number in numbers]
        record_all(app, made, blobs=[body])


def record_all(app: Application, events: Sequence[Event], blobs: Sequence[Blob] = ()) -> None:
    stamp = Stamp(SYSTEM, "2026-01-01T00:00:00.000000Z", "filler")

    def work(tx: WriteTx) -> None:
        for event in events:
            app.store.record(tx, event, stamp)

    app.store.write("default", work, blobs=blobs)


def a_record(
    number: int, body: Digest, fields: Mapping[str, Callable[[int], Any]]
) -> RecordCreated:
    shape: dict[str, Any] = {
        "parent_id": None,
        "type": "note",
        "title": f"Record number {number}, whose title says something",
        "summary_text": "One sentence that says what it is about. Another one follows.",
        "state": "OPEN",
        "reason": None,
        "resolved_by": None,
        "related": [],
        "metadata": {},
        "cites": [],
    }
    varied = {name: value(number) for name, value in fields.items()}
    return RecordCreated(id=f"R{number:03d}", body=body, **shape | varied)


def tokens(answer: Any) -> int:
    """Count the dearer of an answer's two forms."""
    shown = json.dumps(
        answer.model_dump(mode="json", exclude_none=True),
        ensure_ascii=False,
        separators=(",", ":"),
    )
    return max(len(shown), len(answer.text())) // limits.CHARS_PER_TOKEN


BUDGETS = [
    1_000,
    *(
        pytest.param(budget, marks=pytest.mark.slow("makes a thousand records for each budget"))
        for budget in (None, 20_000)
    ),
]


@pytest.mark.holds("ALL-08.7")
@pytest.mark.parametrize("budget", BUDGETS)
def test_the_overview_of_a_thousand_records_fits_and_says_what_is_missing(
    app: Application, budget: int | None
) -> None:
    states = ("OPEN", "LATER", "RESOLVED", "DISCARDED")
    fill(
        app,
        1_000,
        state=lambda number: states[number % 4],
        parent_id=lambda number: f"R{number // 10:03d}" if number >= 10 else None,
    )
    arguments = {} if budget is None else {"budget_tokens": budget}

    overview: Any = app.call("get_project_overview", arguments, Chat(app).caller)

    assert tokens(overview) <= (budget or limits.OVERVIEW_BUDGET_TOKENS)
    assert overview.open_records
    assert overview.later_records
    assert overview.root_records
    missing = {one.what: one.count for one in overview.omitted}
    assert missing["open_records"] == 250 - len(overview.open_records)
    assert missing["later_records"] == 250 - len(overview.later_records)
    for left_out in overview.omitted:
        assert "list_records" in left_out.how
        assert f"{left_out.count}" in overview.text()


@pytest.mark.holds("ALL-08.6")
@pytest.mark.parametrize("budget", BUDGETS)
def test_a_record_with_two_hundred_children_fits_and_says_what_is_missing(
    app: Application, budget: int | None
) -> None:
    fill(
        app,
        1_001,
        parent_id=lambda number: (
            None if number == 1 else "R001" if number <= 201 else f"R{number % 200 + 2:03d}"
        ),
        state=lambda number: "OPEN" if number % 2 else "LATER",
    )
    arguments = {} if budget is None else {"budget_tokens": budget}

    activation: Any = app.call("activate", {"id": "R001"} | arguments, Chat(app).caller)

    assert tokens(activation) <= (budget or limits.ACTIVATE_BUDGET_TOKENS)
    bundle = activation.context
    children = bundle.children
    assert (children.open_count, children.other_count) == (100, 100)
    assert bundle.grandchildren_count == 800
    missing = {one.what: one.count for one in bundle.omitted or ()}
    shown = len(children.open) + len(children.open_refs or ())
    assert missing.get("open children", 0) == 100 - shown
    assert missing.get("other children", 0) == 100 - len(children.other)
    assert missing["grandchildren"] == 800 - len(bundle.grandchildren)
    assert children.open or children.open_refs
    assert children.other
    assert bundle.grandchildren
    for left_out in bundle.omitted:
        assert left_out.how in activation.text()


def test_a_body_too_long_for_the_budget_is_cut_and_can_be_had_whole(app: Application) -> None:
    chat = Chat(app)
    parent = chat.create("Parent", body="p\n" * 40_000)["id"]
    record = chat.create("Long", parent, body="a \x01 line\n" * 20_000)["id"]

    short: Any = app.call("activate", {"id": record}, chat.caller)

    assert tokens(short) <= limits.ACTIVATE_BUDGET_TOKENS
    missing = {one.what: one.count for one in short.context.omitted}
    assert set(missing) == {"target.body", "parent.body"}
    shown = short.context.target.body.removesuffix("…")
    assert len(shown) + missing["target.body"] == 180_000
    assert missing["parent.body"] < 80_000
    assert ("a \x01 line\n" * 20_000).startswith(shown)
    whole = chat.activate(record, budget_tokens=500_000)["context"]
    assert whole["target"]["body"] == "a \x01 line\n" * 20_000
    assert whole["parent"]["body"] == "p\n" * 40_000


def test_what_changed_since_is_within_the_budget_too(app: Application) -> None:
    mine, other = Chat(app), Chat(app)
    record = mine.create("Shared", body="a line\n" * 5_000, metadata={"k": "v" * 30_000})["id"]
    other.activate(record)
    other.update(record, body="another line\n" * 5_000, summary="New " * 400, metadata={"k": None})

    for budget in (limits.BUDGET_TOKENS_MIN, limits.ACTIVATE_BUDGET_TOKENS):
        answer: Any = app.call("activate", {"id": record, "budget_tokens": budget}, mine.caller)
        assert set(answer.changed_since_load.diffs) == {"summary", "body", "metadata"}
        assert tokens(answer) <= budget
        mine.update(record, body="a line\n" * 5_000, metadata={"k": "v" * 30_000})
        other.activate(record)
        other.update(
            record, body="a new line\n" * 5_000, summary=f"{budget} " * 300, metadata={"k": None}
        )


def test_even_the_largest_record_fits_the_smallest_budget(app: Application) -> None:
    chat = Chat(app)
    related = [chat.create(str(number))["id"] for number in range(100)]
    record = chat.create(
        "é" * 500,
        summary="ü" * 2_000,
        body="x" * 100_000,
        metadata={"k": "v" * 60_000},
        related=related,
        state="LATER",
        reason="r" * 2_000,
    )["id"]

    answer: Any = app.call(
        "activate", {"id": record, "budget_tokens": limits.BUDGET_TOKENS_MIN}, chat.caller
    )

    assert tokens(answer) <= limits.BUDGET_TOKENS_MIN


def a_ref(number: int, chars: int) -> RecordRef:
    return RecordRef(
        id=f"R{number:03d}", type="t", title="x" * chars, summary="", state="OPEN",
        parent_id=None, children_count=0, open_children_count=0,
    )  # fmt: skip


SIZES = st.lists(st.integers(1, 400), max_size=30)


@given(first=SIZES, second=SIZES, spent=st.integers(0, 8_000))
@settings(deadline=None)
def test_a_budget_is_never_overspent_and_no_list_starves(
    first: list[int], second: list[int], spent: int
) -> None:
    budget = Budget(limits.BUDGET_TOKENS_MIN * 2)
    budget.chars = spent
    lists = [[a_ref(n, chars) for n, chars in enumerate(sizes)] for sizes in (first, second)]

    taken = budget.take_in_turn(*lists)

    assert sum(size_of(part) for kept in taken for part in kept) == spent - budget.chars
    assert budget.chars >= 0
    for kept, parts in zip(taken, lists, strict=True):
        assert kept == parts[: len(kept)]
        if len(kept) < len(parts):
            assert size_of(parts[len(kept)]) > budget.chars


@given(body=st.text(max_size=3_000), chars_max=st.integers(300, 4_000))
@settings(deadline=None)
def test_a_cut_record_keeps_to_its_size_and_counts_what_it_lost(body: str, chars_max: int) -> None:
    record = Record(
        id="R001", type="t", title="T", summary="S", body=body, state="OPEN", parent_id=None,
        created="2026", modified="2026", version=1, author="agent:x",
    )  # fmt: skip
    budget = Budget(limits.BUDGET_TOKENS_MAX)

    taken, lost = budget.take_record(record, chars_max=chars_max)

    assert size_of(taken) <= chars_max
    kept = taken.body if not lost else taken.body.removesuffix("…")
    assert body.startswith(kept)
    assert len(kept) + lost == len(body)


def test_a_clipped_text_shows_that_it_was_clipped() -> None:
    assert clip("abcdef", 6) == "abcdef"
    assert clip("abcdef", 4) == "abc…"
