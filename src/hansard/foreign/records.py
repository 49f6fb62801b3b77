"""Taking over records: each one first, then what they are related to, since that may lead back."""

from collections.abc import Sequence
from typing import Any

from hansard.foreign.items import ForeignRecord, Skipped
from hansard.foreign.taking import Taking, in_order
from hansard.foreign.wording import as_body, as_label, as_summary, as_title
from hansard.kernel.problem import Problem
from hansard.records.history_answers import HistoryEntry, RecordHistoryAnswer
from hansard.records.limits import RELATED_MAX

UPDATED = ("title", "summary", "body", "metadata")
"""What a record that has changed where it came from is given anew."""


def take_records(taking: Taking, records: Sequence[ForeignRecord]) -> None:
    """Take records over, those above before those below."""
    for one in in_order(records, lambda record: record.parent):
        _take(taking, one)
    for one in records:
        _relate(taking, one)


def _take(taking: Taking, record: ForeignRecord) -> None:
    told, key = _told(taking, record), _key(taking, record.key)
    content = told | {"parent_id": record.parent}
    before = taking.taken(key)
    if not taking.is_new("records", key, content) or taking.is_dry:
        return
    try:
        if before is None:
            _create(taking, record, told, key, content)
        else:
            _update(taking, str(before["made"]), told, key, content)
    except Problem as problem:
        taking.require_going(problem)
        taking.report.skip(Skipped(record.title[:80], f"refused: {problem.code}"))


def _told(taking: Taking, record: ForeignRecord) -> dict[str, Any]:
    origin = {"source": taking.source.format, "source_id": record.key[:500]}
    origin |= {"source_time": record.at} if record.at else {}
    told: dict[str, Any] = {
        "type": as_label(record.type),
        "title": as_title(record.title),
        "summary": as_summary(record.summary),
        "body": as_body(record.body),
        "state": record.state,
        "metadata": dict(record.metadata) | origin,
    }
    return told | ({"reason": as_summary(record.reason)} if record.reason else {})


def _create(
    taking: Taking, record: ForeignRecord, told: dict[str, Any], key: str, content: dict[str, Any]
) -> None:
    above = taking.taken(_key(taking, record.parent)) if record.parent else None
    knows: dict[str, int] = {}
    if above:
        told["parent_id"] = above["made"]
        knows = _knowing(taking, above["made"])
    if record.state == "RESOLVED":
        told["resolved_by"] = _import_record(taking)
    taking.write("create_record", told, key, content, at=record.at, activating=knows)


def _import_record(taking: Taking) -> str:
    """Give the record that stands for this source: what was resolved there is resolved by it."""
    key = _key(taking, "@import")
    if taking.taken(key) is None:
        title = f"Taken over from {taking.source.format}: {taking.source.label}"
        told = {
            "type": "import",
            "title": as_title(title),
            "summary": "Stands for what was resolved before it was taken over from there",
            "body": "",
        }
        taking.write("create_record", told, key, told)
    row = taking.taken(key)
    assert row is not None, "it was just taken over, here or by another import"
    return str(row["made"])


def _update(
    taking: Taking, identifier: str, told: dict[str, Any], key: str, content: dict[str, Any]
) -> None:
    """Give a record what has changed, unless somebody has changed it here."""
    newest, ours = _newest(taking, identifier), taking.application.judged(taking.caller).actor
    if newest.author != str(ours):
        taking.report.skip(Skipped(identifier, "it has changed there, and here too"))
        return
    changed = {name: told[name] for name in UPDATED}
    knows = {identifier: newest.tick}
    taking.write("update_record", {"id": identifier} | changed, key, content, activating=knows)


def _relate(taking: Taking, record: ForeignRecord) -> None:
    """Say what a record is related to, as far as that was taken over."""
    found = (taking.taken(_key(taking, other)) for other in record.related if other != record.key)
    ids = [row["made"] for row in found if row][:RELATED_MAX]
    row = taking.taken(_key(taking, record.key))
    key = f"{_key(taking, record.key)}/@related"
    if not ids or row is None or taking.is_dry:
        return
    known = taking.taken(key)
    told = {"id": row["made"], "related": ids}
    if known is None or taking.is_new("relations", key, told):
        taking.report.new["relations"] += known is None
        knows = _knowing(taking, row["made"])
        taking.write("update_record", told, key, told, activating=knows)


def _knowing(taking: Taking, identifier: str) -> dict[str, int]:
    """Say which version of a record is gone by, as a write to it or below it needs."""
    return {identifier: _newest(taking, identifier).tick}


def _newest(taking: Taking, identifier: str) -> HistoryEntry:
    asked = {"id": identifier, "limit": 1}
    found = taking.application.call("get_record_history", asked, taking.caller)
    assert isinstance(found, RecordHistoryAnswer), "get_record_history answers with a history"
    return found.history[0]


def _key(taking: Taking, key: str) -> str:
    return f"{taking.source.format}:{taking.source.label}:{key}"
