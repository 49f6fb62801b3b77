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
from hansard.records.budget import Budget, size_of
from hansard.records.events import RecordCreated
from hansard.records.shapes import RecordRef
from hansard.sessions.events import SessionStarted
from hansard.sessions.projects import make as make_project
from tests.records.chats import Chat

BATCH = 100
"""Records that are written in one transaction."""


def fill(app: Application, count: int, **fields: Callable[[int], Any]) -> None:
    """Put many records into the default project, many in a transaction."""
    make_project(app.store, "default", Stamp(SYSTEM, "2026-01-01T00:00:00.000000Z"))
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


OTHERS = pytest.mark.slow("makes a thousand records once more")
BUDGETS = [[1_000], pytest.param([None, 20_000], marks=OTHERS)]


@pytest.mark.holds("ALL-08.7")
@pytest.mark.parametrize("budgets", BUDGETS)
def test_the_overview_of_a_thousand_records_fits_and_says_what_is_missing(
    app: Application, budgets: list[int | None]
) -> None:
    states = ("OPEN", "LATER", "RESOLVED", "DISCARDED")
    fill(
        app,
        1_000,
        state=lambda number: states[number % 4],
        parent_id=lambda number: f"R{number // 10:03d}" if number >= 10 else None,
    )

    for budget in budgets:
        require_overview_within(app, budget)


def require_overview_within(app: Application, budget: int | None) -> None:
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
@pytest.mark.parametrize("budgets", BUDGETS)
def test_a_record_with_two_hundred_children_fits_and_says_what_is_missing(
    app: Application, budgets: list[int | None]
) -> None:
    fill(
        app,
        1_001,
        parent_id=lambda number: (
            None if number == 1 else "R001" if number <= 201 else f"R{number % 200 + 2:03d}"
        ),
        state=lambda number: "OPEN" if number % 2 else "LATER",
    )

    for budget in budgets:
        require_activation_within(app, budget)


def require_activation_within(app: Application, budget: int | None) -> None:
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


@pytest.mark.holds("REC-whole-1")
@pytest.mark.parametrize("budget", [limits.BUDGET_TOKENS_MIN, limits.ACTIVATE_BUDGET_TOKENS])
def test_target_and_parent_are_whole_whatever_the_budget(app: Application, budget: int) -> None:
    chat = Chat(app)
    parent = chat.create("Parent", body="p\n" * 40_000, metadata={"k": "v" * 60_000})["id"]
    record = chat.create("Long", parent, body="a \x01 line\n" * 20_000)["id"]
    child = chat.create("Child", record)["id"]

    context = chat.activate(record, budget_tokens=budget)["context"]

    assert context["target"]["body"] == "a \x01 line\n" * 20_000
    assert context["parent"]["body"] == "p\n" * 40_000
    assert context["parent"]["metadata"] == {"k": "v" * 60_000}
    # And there is room for what lies around them all the same.
    shown = [*context["children"]["open"], *context["children"].get("open_refs", ())]
    assert [one["id"] for one in shown] == [child]


@pytest.mark.holds("REC-whole-2")
def test_open_children_are_whole_while_the_budget_lasts_and_the_rest_is_named(
    app: Application,
) -> None:
    chat = Chat(app)
    root = chat.create("Root")["id"]
    children = [chat.create(f"C{n}", root, body="c" * 5_000)["id"] for n in range(10)]
    chat.update(children[0], title="Changed last")

    answer: Any = app.call("activate", {"id": root}, chat.caller)

    assert tokens(answer) <= limits.ACTIVATE_BUDGET_TOKENS
    bundle = answer.context
    whole = [one.id for one in bundle.children.open]
    reduced = [one.id for one in bundle.children.open_refs]
    assert sorted([*whole, *reduced]) == children
    # Those changed last are the ones that are whole: the first, and the latest of the others.
    assert whole == [children[0], *children[-len(whole) + 1 :]]
    assert 3 <= len(whole) < 10
    assert all(one.body == "c" * 5_000 for one in bundle.children.open)
    named = {one.what: one.how for one in bundle.omitted}
    assert named == {f"body of {one}": f'activate {{"id": "{one}"}}' for one in reduced}
    for how in named.values():
        assert how in answer.text()


def test_one_long_child_does_not_keep_the_others_from_being_whole(app: Application) -> None:
    chat = Chat(app)
    root = chat.create("Root")["id"]
    short = [chat.create(f"S{n}", root, body="s" * 500)["id"] for n in range(4)]
    long = chat.create("Long", root, body="l" * 200_000)["id"]

    bundle = chat.activate(root)["context"]

    assert [one["id"] for one in bundle["children"]["open"]] == short
    assert [one["id"] for one in bundle["children"]["open_refs"]] == [long]


def test_a_diff_too_long_to_come_along_is_named_and_never_cut(app: Application) -> None:
    mine, other = Chat(app), Chat(app)
    record = mine.create("Shared", body="a line\n" * 5_000)["id"]
    other.activate(record)
    other.update(record, body="another line\n" * 5_000, summary="New")

    answer = mine.activate(record)

    changed = answer["changed_since_load"]
    assert changed["changed_fields"] == ["summary", "body"]
    assert set(changed["diffs"]) == {"summary"}
    assert {
        "what": "diff of body",
        "count": 1,
        "how": f'get_record_diff {{"id": "{record}", "from": "t:1"}}',
    } in answer["context"]["omitted"]


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
