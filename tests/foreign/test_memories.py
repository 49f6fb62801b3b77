"""Notes, memories and issues of other programs become records, once each."""

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hansard.app.application import Application
from hansard.foreign.formats import FORMATS, detected
from hansard.kernel.operation import Caller
from tests.foreign.taking_over import seq, take
from tests.foreign.test_stores import decisions, records, whole


def basic_memory(folder: Path) -> Path:
    """Notes as NOTE-FORMAT.md of that project has them."""
    notes = folder / "notes"
    (notes / "specs").mkdir(parents=True)
    (notes / "specs" / "Coffee.md").write_text(
        "---\ntitle: Coffee\ntype: guide\npermalink: specs/coffee\ntags:\n- brewing\n- home\n"
        "created: 2026-03-04T05:06:07\nowner: ada\n---\n# Coffee\n\n"
        "- [method] Pour over is clearer #taste (own trials)\n- [ ] buy filters\n"
        "- requires [[Grinder]]\n- see also [[Nothing There]]\n"
    )
    (notes / "Grinder.md").write_text(
        "---\ntitle: Grinder\npermalink: grinder\n---\nA burr grinder, used for [[Coffee]].\n"
    )
    return notes


def mem0_export(folder: Path) -> Path:
    path = folder / "mem0.json"
    memories = [
        {"id": "m1", "memory": "Prefers tabs", "hash": "h1", "metadata": {"k": "v"},
         "created_at": "2026-01-02T03:04:05-08:00", "updated_at": None, "user_id": "ada"},
        {"id": "m2", "memory": "Lives in Turin", "hash": "h2", "metadata": None},
        {"id": "m3", "hash": "h3"},
    ]  # fmt: skip
    path.write_text(json.dumps({"results": memories}))
    return path


def mem0_history(folder: Path) -> Path:
    path = folder / "history.db"
    database = sqlite3.connect(path)
    database.execute(
        "create table history (id, memory_id, old_memory, new_memory, event, created_at, "
        "updated_at, is_deleted, actor_id, role)"
    )
    rows = [
        ("1", "m1", None, "Uses spaces", "ADD", "2026-01-01", None, 0, None, None),
        ("2", "m2", None, "Gone soon", "ADD", "2026-01-02", None, 0, None, None),
        ("3", "m1", "Uses spaces", "Uses tabs", "UPDATE", "2026-01-03", None, 0, None, None),
        ("4", "m2", "Gone soon", None, "DELETE", "2026-01-04", None, 1, None, None),
    ]
    database.executemany("insert into history values (?,?,?,?,?,?,?,?,?,?)", rows)
    database.commit()
    database.close()
    return path


def beads(folder: Path) -> Path:
    path = folder / "issues.jsonl"
    issues: list[dict[str, Any]] = [
        {"_type": "issue", "id": "bd-1", "title": "Checkout", "issue_type": "epic",
         "status": "open", "priority": 1},
        {"_type": "issue", "id": "bd-2", "title": "Rounding is off", "issue_type": "bug",
         "status": "closed", "close_reason": "fixed in 1.2", "description": "By a cent.",
         "dependencies": [
             {"issue_id": "bd-2", "depends_on_id": "bd-1", "type": "parent-child"},
             {"issue_id": "bd-2", "depends_on_id": "bd-3", "type": "blocks"}]},
        {"_type": "issue", "id": "bd-3", "title": "Later on", "issue_type": "task",
         "status": "deferred"},
        {"_type": "issue", "id": "bd-4", "title": "Never", "issue_type": "task",
         "status": "closed", "close_reason": "wontfix: too dear"},
        {"_type": "issue", "id": "bd-5", "title": "Round half to even", "issue_type": "decision",
         "status": "closed", "description": "As banks do, since sums stay right."},
        {"_type": "issue", "title": "without an id", "issue_type": "task", "id": ""},
    ]  # fmt: skip
    path.write_text("\n".join(map(json.dumps, issues)))
    return path


def service_export(folder: Path) -> Path:
    path = folder / "export.json"
    memory = {
        "content": "The cache is cold on Mondays", "content_hash": "a" * 64, "tags": ["ops"],
        "created_at": 1767323045.5, "updated_at": 1767323045.5, "memory_type": "observation",
        "metadata": {"x": 1}, "store": "default", "export_source": "m",
    }  # fmt: skip
    told = {"export_metadata": {"total_memories": 1}, "memories": [memory]}
    path.write_text(json.dumps(told, indent=2))
    return path


def service_database(folder: Path) -> Path:
    path = folder / "sqlite_vec.db"
    database = sqlite3.connect(path)
    database.execute(
        "create table memories (id integer primary key, content_hash, content, tags, memory_type,"
        " metadata, created_at, updated_at, created_at_iso, updated_at_iso, deleted_at)"
    )
    rows = [
        (1, "b" * 64, "Deploys are on Tuesdays", "ops,team", "note", "{}", 1.0, 2.0, "", "", None),
        (2, "c" * 64, "Not so", "", "note", "not json", 1.0, 2.0, "", "", 3.0),
    ]
    database.executemany("insert into memories values (?,?,?,?,?,?,?,?,?,?,?)", rows)
    database.commit()
    database.close()
    return path


SOURCES: dict[str, tuple[str, Callable[[Path], Path], dict[str, int], int]] = {
    "basic-memory": ("basic-memory", basic_memory, {"records": 2, "relations": 2}, 0),
    "mem0": ("mem0", mem0_export, {"records": 2}, 1),
    "mem0-history": ("mem0", mem0_history, {"records": 1}, 0),
    "beads": ("beads", beads, {"records": 4, "relations": 1, "decisions": 1}, 1),
    "service": ("mcp-memory-service", service_export, {"records": 1}, 0),
    "service-database": ("mcp-memory-service", service_database, {"records": 1}, 1),
}
"""By name: the format, what makes a sample, what is new of it, and how much is left out."""


@pytest.mark.parametrize("name", SOURCES)
def test_it_is_known_by_its_beginning_taken_over_and_not_twice(
    app: Application, tmp_path: Path, name: str
) -> None:
    known_as, make, counts, skipped = SOURCES[name]
    path = make(tmp_path)

    assert [one.name for one in FORMATS.values() if one.fits(path)] == [known_as]
    report = take(app, path)
    before = seq(app)

    assert detected(path).name == known_as
    assert report.new == counts
    assert report.skipped.total() == skipped
    assert not take(app, path).new.total()
    assert seq(app) == before


def test_a_note_keeps_its_words_its_tags_and_its_links(
    app: Application, agent: Caller, tmp_path: Path
) -> None:
    take(app, basic_memory(tmp_path))

    found = records(app, agent)
    coffee = whole(app, found["Coffee"]["id"])
    assert coffee["type"] == "guide"
    assert "- [ ] buy filters" in coffee["body"]
    assert coffee["related"] == [found["Grinder"]["id"]]
    assert coffee["metadata"]["tags"] == ["brewing", "home"]
    assert coffee["metadata"]["observations"] == 1
    assert coffee["metadata"]["source_time"] == "2026-03-04T05:06:07.000000Z"


def test_a_memory_that_was_changed_says_what_it_was_and_one_that_was_deleted_stays_away(
    app: Application, agent: Caller, tmp_path: Path
) -> None:
    take(app, mem0_history(tmp_path))

    [found] = records(app, agent).values()
    assert whole(app, found["id"])["body"] == "Uses tabs\n\nBefore:\n- Uses spaces"


def test_issues_keep_their_state_their_parent_and_what_was_decided(
    app: Application, agent: Caller, tmp_path: Path
) -> None:
    take(app, beads(tmp_path))

    listed = app.call("list_records", {"depth": 10}, agent).model_dump(mode="json")["records"]
    found = {one["title"]: one for one in listed if one["type"] != "import"}
    assert {title: one["state"] for title, one in found.items()} == {
        "Checkout": "OPEN",
        "Rounding is off": "RESOLVED",
        "Later on": "LATER",
        "Never": "DISCARDED",
    }
    assert found["Rounding is off"]["parent_id"] == found["Checkout"]["id"]
    assert [one["title"] for one in decisions(app, agent, "banks")] == ["Round half to even"]
