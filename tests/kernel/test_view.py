"""What a view is for, and what it does with an event."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

import pytest

from hansard.kernel.engine import Table, Topic
from hansard.kernel.event import Event
from hansard.kernel.view import PASSES, Apply, DeclaredView, View, fingerprint, schema_of

ROWS = Table("rows", version=2)
PAGES = Table("pages", version=2)
WORDS = Topic("words", ROWS, {"text": 1.0})


class Said(Event):
    kind: ClassVar[str] = "test.said.v1"


class Heard(Event):
    kind: ClassVar[str] = "test.heard.v1"


@pytest.fixture
def applied() -> list[str]:
    return []


def view(applied: list[str], *, any_too: bool) -> View:
    on: Mapping[type[Event], Apply] = {Said: lambda _event, _derivation: applied.append("said")}
    on_any: Apply = lambda event, _derivation: applied.append(f"any {event.kind}")  # noqa: E731
    return View("rows", 2, (ROWS,), on, on_any if any_too else None, topics=(WORDS,))


NOWHERE: Any = None
"""What is derived into; these views do not look."""


@pytest.mark.parametrize("any_too", [False, True])
def test_a_view_is_applied_to_its_events_and_then_to_any(
    applied: list[str], *, any_too: bool
) -> None:
    made = view(applied, any_too=any_too)

    made.apply(Said(), NOWHERE)
    made.apply(Heard(), NOWHERE)

    every = ["said", "any test.said.v1", "any test.heard.v1"]
    assert applied == (every if any_too else ["said"])
    assert made.concerns(Said)
    assert made.concerns(Heard) is any_too


@pytest.mark.parametrize(
    ("kinds", "is_for"),
    [(None, [Said, Heard]), (frozenset({Said.kind}), [Said]), (frozenset[str](), [])],
)
def test_a_view_that_is_written_down_is_loaded_by_the_first_event_that_it_is_for(
    applied: list[str], kinds: frozenset[str] | None, is_for: list[type[Event]]
) -> None:
    loads: list[View] = []

    def load() -> View:
        loads.append(view(applied, any_too=True))
        return loads[-1]

    declared = DeclaredView("rows", 2, (ROWS,), kinds=kinds, load=load)

    assert [event for event in (Said, Heard) if declared.concerns(event)] == is_for
    assert not loads or kinds is None
    loads.clear()
    for event in (Said(), Heard()):
        declared.apply(event, NOWHERE)
    assert len(loads) == len(is_for)


def test_tables_are_of_the_version_of_their_view() -> None:
    with pytest.raises(AssertionError):
        View("rows", 2, (ROWS, replace(PAGES, version=1)))


def test_a_schema_holds_what_all_views_derive_and_how_far_they_are(applied: list[str]) -> None:
    views = [view(applied, any_too=False), View("pages", 2, (PAGES,))]
    plain = Table("plain")

    schema = schema_of(views, [plain])

    assert list(schema.tables) == [ROWS, PAGES, PASSES, plain]
    assert schema.topics == (WORDS,)
    assert fingerprint(views) == fingerprint(views[::-1]) == "pages:2 rows:2"
