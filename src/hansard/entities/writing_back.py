"""Accepts entities written back as they were read: unchanged parts are no change."""

from collections.abc import Mapping
from typing import Any

from hansard.entities import rules
from hansard.entities.reading import Look, events_before, show
from hansard.entities.types.agent_graph_execution import AGENT_GRAPH_EXECUTION
from hansard.entities.types.entity import EntityType
from hansard.kernel.engine import ReadTx, Row
from hansard.kernel.problem import InvalidInput

Json = dict[str, Any]

TOTALS = ("turnsTotal", "eventsTotal")
"""What is read with an entity of which a part is shown."""


def set_anew(tx: ReadTx, declared: EntityType, row: Row, given: Mapping[str, Any]) -> Json:
    """Give what a change sets, or refuse to set what is set here.

    Who gives `updatedAt` back has read that version, so another one is a conflict.
    """
    if "updatedAt" in given:
        rules.check_expected(row, given["updatedAt"])
    derived = {*rules.derived(declared), *TOTALS}
    back = {name: value for name, value in given.items() if name in derived}
    if back:
        _check_unchanged(tx, declared, row, back)
    rest = {name: value for name, value in given.items() if name not in back}
    if declared is AGENT_GRAPH_EXECUTION and "updatedAt" in given:
        rest = {name: value for name, value in rest.items() if row[name] != value}
    return rules.given_only(declared, rest)


def _check_unchanged(tx: ReadTx, declared: EntityType, row: Row, back: Json) -> None:
    shown, _ = show(tx, declared, row, Look(limit=1))
    for name, value in back.items():
        if name == "events":
            is_same = _are_events(tx, row, value)
        elif name in TOTALS:
            is_same = name == "eventsTotal" and value == row.get("events")
        else:
            is_same = value == shown[name]
        if not is_same:
            raise InvalidInput(
                f"data.{name}: is set here; give it back as it stands, or leave it out",
                argument=f"data.{name}",
            )


def _are_events(tx: ReadTx, row: Row, given: Any) -> bool:
    """Whether these are events of the run, as they are read; only as many are read as are given."""
    if not isinstance(given, list) or not all(isinstance(one, dict) for one in given):
        return False
    places = [one.get("index") for one in given]
    if not all(isinstance(place, int) and 0 <= place < row["events"] for place in places):
        return False
    known = {}
    for event in events_before(tx, row["id"], max(places, default=-1) + 1):
        if event["index"] < min(places):
            break
        known[event["index"]] = event
    return all(known[one["index"]] == one for one in given)
