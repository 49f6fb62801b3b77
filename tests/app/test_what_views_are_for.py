"""A view that says which events it is for does nothing with any other that there is."""

from typing import Any

import pytest

from hansard.app.start import catalog
from hansard.kernel.event import SYSTEM, Entry, Event, Stamp, genesis
from hansard.kernel.view import DeclaredView, View

AT = "2026-01-02T03:04:05.000000Z"
SAMPLES = {"string": "D001", "integer": 1, "number": 0.5, "boolean": True, "null": None}


def selective() -> list[View]:
    """Give each view that leaves out events by their class, as it is itself."""
    views = [
        view.load() if isinstance(view, DeclaredView) and view.load else view
        for view in catalog().views
    ]
    return [view for view in views if view.on_any and view.for_any]


def left_out(view: View) -> list[type[Event]]:
    assert view.for_any
    return [event for event in catalog().kinds if not view.for_any(event)]


def an_event(kind: type[Event]) -> Event:
    """Make one that says something in every field."""
    schema = kind.model_json_schema()
    parts = schema.get("properties", {})
    return kind.model_construct(
        **{name: a_value(part, schema.get("$defs", {})) for name, part in parts.items()}
    )


def a_value(schema: dict[str, Any], named: dict[str, Any]) -> Any:
    """Make a value of a type, with something in it if it can have anything in it."""
    if "$ref" in schema:
        return a_value(named[schema["$ref"].rpartition("/")[2]], named)
    if "enum" in schema or "const" in schema:
        return schema.get("const", next(iter(schema.get("enum", ())), None))
    choices = schema.get("anyOf", schema.get("oneOf", schema.get("allOf")))
    if choices:
        return a_value(choices[0], named)
    if schema.get("type") == "array":
        items = schema.get("items") or schema.get("prefixItems", [{}])[0]
        return (a_value(items, named),)
    if schema.get("type") == "object":
        return {name: a_value(part, named) for name, part in schema.get("properties", {}).items()}
    return SAMPLES[schema.get("type", "string")]


class Untouched:
    """A derivation of which nothing may be used but the entry."""

    def __init__(self, event: Event) -> None:
        empty = type(event).model_construct()
        self.entry = Entry.following(genesis("p"), "p", empty, Stamp(SYSTEM, AT, "session"))

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"an event that the view is not for came to {name}")


@pytest.mark.parametrize("view", selective(), ids=lambda view: view.name)
def test_a_view_does_nothing_with_the_events_that_it_says_it_is_not_for(view: View) -> None:
    assert view.on_any
    assert left_out(view)

    for kind in left_out(view):
        event = an_event(kind)
        derivation: Any = Untouched(event)
        view.on_any(event, derivation)


def test_all_views_that_leave_out_events_are_looked_at() -> None:
    assert {view.name for view in selective()} >= {"effects", "citations", "sessions", "recorder"}
