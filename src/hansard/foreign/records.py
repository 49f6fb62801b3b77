"""Imports records first, then their relations, which may form cycles."""

from collections.abc import Sequence
from typing import Any

from hansard.foreign.import_run import ImportRun, in_order
from hansard.foreign.items import ForeignRecord, Skipped
from hansard.foreign.wording import as_body, as_label, as_summary, as_title
from hansard.kernel.problem import Problem
from hansard.records.history_answers import HistoryEntry, RecordHistoryAnswer
from hansard.records.limits import RELATED_MAX

UPDATED = ("title", "summary", "body", "metadata")
"""What a record that has changed where it came from is given anew."""


def take_records(importing: ImportRun, records: Sequence[ForeignRecord]) -> None:
    """Take records over, those above before those below."""
    for one in in_order(records, lambda record: record.parent):
        _take(importing, one)
    for one in records:
        _relate(importing, one)


def _take(importing: ImportRun, record: ForeignRecord) -> None:
    told, key = _told(importing, record), _key(importing, record.key)
    content = told | {"parent_id": record.parent}
    before = importing.taken(key)
    if not importing.is_new("records", key, content) or importing.is_dry:
        return
    try:
        if before is None:
            _create(importing, record, told, key, content)
        else:
            _update(importing, str(before["made"]), told, key, content)
    except Problem as problem:
        importing.require_going(problem)
        importing.report.skip(Skipped(record.title[:80], f"refused: {problem.code}"))


def _told(importing: ImportRun, record: ForeignRecord) -> dict[str, Any]:
    origin = {"source": importing.source.format, "source_id": record.key[:500]}
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
    importing: ImportRun,
    record: ForeignRecord,
    told: dict[str, Any],
    key: str,
    content: dict[str, Any],
) -> None:
    above = importing.taken(_key(importing, record.parent)) if record.parent else None
    knows: dict[str, int] = {}
    if above:
        told["parent_id"] = above["made"]
        knows = _knowing(importing, above["made"])
    if record.state == "RESOLVED":
        told["resolved_by"] = _import_record(importing)
    importing.write("create_record", told, key, content, at=record.at, activating=knows)


def _import_record(importing: ImportRun) -> str:
    """Give the record that stands for this source: what was resolved there is resolved by it."""
    key = _key(importing, "@import")
    if importing.taken(key) is None:
        title = f"Taken over from {importing.source.format}: {importing.source.label}"
        told = {
            "type": "import",
            "title": as_title(title),
            "summary": "Stands for what was resolved before it was taken over from there",
            "body": "",
        }
        importing.write("create_record", told, key, told)
    row = importing.taken(key)
    assert row is not None, "it was just taken over, here or by another import"
    return str(row["made"])


def _update(
    importing: ImportRun, identifier: str, told: dict[str, Any], key: str, content: dict[str, Any]
) -> None:
    """Give a record what has changed, unless somebody has changed it here."""
    newest, ours = (
        _newest(importing, identifier),
        importing.application.judged(importing.caller).actor,
    )
    if newest.author != str(ours):
        importing.report.skip(Skipped(identifier, "it has changed there, and here too"))
        return
    changed = {name: told[name] for name in UPDATED}
    knows = {identifier: newest.tick}
    importing.write("update_record", {"id": identifier} | changed, key, content, activating=knows)


def _relate(importing: ImportRun, record: ForeignRecord) -> None:
    """Say what a record is related to, as far as that was taken over."""
    found = (
        importing.taken(_key(importing, other)) for other in record.related if other != record.key
    )
    ids = [row["made"] for row in found if row][:RELATED_MAX]
    row = importing.taken(_key(importing, record.key))
    key = f"{_key(importing, record.key)}/@related"
    if not ids or row is None or importing.is_dry:
        return
    known = importing.taken(key)
    told = {"id": row["made"], "related": ids}
    if known is None or importing.is_new("relations", key, told):
        importing.report.new["relations"] += known is None
        knows = _knowing(importing, row["made"])
        importing.write("update_record", told, key, told, activating=knows)


def _knowing(importing: ImportRun, identifier: str) -> dict[str, int]:
    """Say which version of a record is gone by, as a write to it or below it needs."""
    return {identifier: _newest(importing, identifier).tick}


def _newest(importing: ImportRun, identifier: str) -> HistoryEntry:
    asked = {"id": identifier, "limit": 1}
    found = importing.application.call("get_record_history", asked, importing.caller)
    assert isinstance(found, RecordHistoryAnswer), "get_record_history answers with a history"
    return found.history[0]


def _key(importing: ImportRun, key: str) -> str:
    return f"{importing.source.format}:{importing.source.label}:{key}"
