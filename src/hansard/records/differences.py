"""Differences between two versions of a record, field by field."""

from typing import Any

import orjson

from hansard.kernel.engine import ReadTx, Row
from hansard.records import reading, rules
from hansard.records.history_answers import RecordDiff
from hansard.records.shapes import OldNew
from hansard.records.text_merge import unified_diff


def field_diffs(tx: ReadTx, old: Row, new: Row) -> dict[str, str]:
    """Give a unified diff for each field that differs."""
    was, now = f"t:{old['tick']}", f"t:{new['tick']}"
    return {
        name: unified_diff(
            _text(tx, old, name),
            _text(tx, new, name),
            was=f"{name} at {was}",
            now=f"{name} at {now}",
        )
        for name in rules.changed_fields(old, new)
    }


def record_diff(tx: ReadTx, old: Row, new: Row) -> RecordDiff:
    """Give old and new of each field that differs, of the body a unified diff."""
    changed: dict[str, Any] = {
        name: OldNew(old=old[name], new=new[name])
        for name in rules.changed_fields(old, new)
        if name != "body"
    }
    return RecordDiff(**changed, body=body_diff(tx, old, new) or None)


def body_diff(tx: ReadTx, old: Row, new: Row) -> str:
    """Give the unified diff of the bodies; empty if they are the same."""
    if old["body"] == new["body"]:
        return ""
    was, now = f"body at t:{old['tick']}", f"body at t:{new['tick']}"
    return unified_diff(reading.body(tx, old), reading.body(tx, new), was=was, now=now)


def _text(tx: ReadTx, row: Row, name: str) -> str:
    if name == "body":
        return reading.body(tx, row)
    value = row[name]
    if value is None or isinstance(value, str):
        return value or ""
    return orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS).decode()
