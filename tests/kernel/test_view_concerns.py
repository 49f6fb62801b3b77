"""To which views an event goes: found out once for its class."""

from typing import ClassVar

import pytest

from hansard.kernel.event import Event
from hansard.kernel.view import DeclaredView, Derivation, View


class Named(Event):
    kind: ClassVar[str] = "concerns.named.v1"


class Loud(Event):
    kind: ClassVar[str] = "concerns.loud.v1"
    activity: ClassVar[str | None] = "loud"


class Quiet(Event):
    kind: ClassVar[str] = "concerns.quiet.v1"


def nothing(event: Event, derivation: Derivation) -> None:
    del event, derivation


def is_loud(event: type[Event]) -> bool:
    return event.activity is not None


SOME = View("some", 1, (), on={Named: nothing}, on_any=nothing, for_any=is_loud)
ALL = View("all", 1, (), on={Named: nothing}, on_any=nothing)
ONE = View("one", 1, (), on={Named: nothing})


@pytest.mark.parametrize(
    ("view", "expected"),
    [(SOME, [True, True, False]), (ALL, [True, True, True]), (ONE, [True, False, False])],
)
def test_a_view_is_for_what_it_names_and_for_what_it_says_of_the_rest(
    view: View, expected: list[bool]
) -> None:
    declared = DeclaredView(view.name, 1, (), load=lambda: view)

    for one in (view, declared):
        assert [one.concerns(event) for event in (Named, Loud, Quiet)] == expected


def test_a_view_that_names_its_kinds_is_not_loaded_to_be_asked() -> None:
    declared = DeclaredView("one", 1, (), kinds=frozenset({Named.kind}))

    assert [declared.concerns(event) for event in (Named, Loud)] == [True, False]
