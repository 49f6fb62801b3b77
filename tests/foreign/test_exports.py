"""A project written for other programs: as it stands, whole or not at all."""

import json
import uuid
from pathlib import Path
from typing import Any

import pytest

from hansard.app.application import Application
from hansard.foreign.exports import EXPORTS
from hansard.foreign.formats import basic_memory
from hansard.foreign.items import ForeignRecord
from hansard.kernel.operation import Caller
from hansard.kernel.problem import InvalidInput
from tests.foreign.taking_over import SAMPLES, take


@pytest.fixture
def filled(app: Application, agent: Caller) -> Application:
    take(app, SAMPLES / "server-memory.jsonl")
    take(app, SAMPLES / "claude-code.jsonl")
    told = {"title": "Use SQLite", "target": "db", "rationale": "One file is enough for us."}
    made = app.call("record_decision", told, agent).model_dump(mode="json")
    newer = told | {"title": "Use PostgreSQL", "rationale": "One file is not enough any more."}
    app.call("supersede_decision", newer | {"old_decision_ids": [made["decision_id"]]}, agent)
    app.call("workflow_checkpoint_save", {"context": {"step": 1}}, agent)
    return app


def test_a_vault_has_a_linked_note_for_each_thing(
    filled: Application, agent: Caller, tmp_path: Path
) -> None:
    counts = EXPORTS["vault"].write(filled, agent, tmp_path / "vault")

    notes = {str(one.relative_to(tmp_path / "vault")): one for one in tmp_path.rglob("*.md")}
    texts = {name: path.read_text() for name, path in notes.items()}
    assert counts["records"] == 3
    assert counts["decisions"] == 2
    assert counts["checkpoints"] == 1
    billing = next(text for text in texts.values() if 'title: "billing"' in text)
    assert "- Rounds half to even" in billing
    linked = billing.rpartition("related [[")[2].partition("]]")[0]
    assert 'title: "invoices"' in texts[f"{linked}.md"]
    old = next(text for text in texts.values() if 'title: "Use SQLite"' in text)
    assert 'status: "superseded"' in old
    assert "|Use PostgreSQL]] (active)" in old
    session = next(text for text in texts.values() if 'title: "Edit the files please"' in text)
    assert "a.txt" in session
    assert "2026-11-16" in session
    assert "[[records/" in texts["README.md"]


def test_every_note_of_a_vault_can_be_read_as_notes_are(
    filled: Application, agent: Caller, tmp_path: Path
) -> None:
    EXPORTS["vault"].write(filled, agent, tmp_path / "vault")

    read = [one for one in basic_memory.read(tmp_path / "vault") if isinstance(one, ForeignRecord)]

    assert {"billing", "Use SQLite"} <= {one.title for one in read}


def test_agent_trace_says_which_lines_came_from_whom(
    filled: Application, agent: Caller, tmp_path: Path
) -> None:
    first, second = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    EXPORTS["agent-trace"].write(filled, agent, first)
    EXPORTS["agent-trace"].write(filled, agent, second)

    traces: list[dict[str, Any]] = [json.loads(one) for one in first.read_text().splitlines()]
    assert first.read_bytes() == second.read_bytes(), "the same entry has the same id"
    assert len({uuid.UUID(one["id"]) for one in traces}) == len(traces)
    told = [
        (file["path"], talk["contributor"]["type"], one["start_line"], one["end_line"])
        for trace in traces
        for file in trace["files"]
        for talk in file["conversations"]
        for one in talk["ranges"]
    ]
    assert told == [
        ("a.txt", "ai", 2, 2),
        ("new.txt", "ai", 1, 1),
        ("a.txt", "ai", 3, 3),
        ("by_shell.txt", "ai", 1, 1),
    ]
    assert traces[0]["timestamp"] == "2026-11-16T00:00:29.497000Z"


def test_a_change_that_was_not_made_is_no_trace(
    app: Application, agent: Caller, tmp_path: Path, files: Path
) -> None:
    made = {"path": "a.txt", "action": "create", "content": "one\ntwo\n"}
    app.call("file_op", made, agent)
    with pytest.raises(Exception, match="exists"):
        app.call("file_op", made, agent)

    counts = EXPORTS["agent-trace"].write(app, agent, tmp_path / "t.jsonl")

    assert counts == {"changes": 1}


def test_json_lines_have_everything_that_stands(
    filled: Application, agent: Caller, tmp_path: Path
) -> None:
    EXPORTS["jsonl"].write(filled, agent, tmp_path / "x.jsonl")

    lines = [json.loads(one) for one in (tmp_path / "x.jsonl").read_text().splitlines()]
    kinds = [one["kind"] for one in lines]
    assert (kinds.count("record"), kinds.count("decision")) == (3, 2)
    told = next(one for one in lines if one["kind"] == "session" and one["checkpoints"])
    assert told["checkpoints"][0]["sizeBytes"] > 0


@pytest.mark.parametrize("name", EXPORTS)
def test_what_is_there_is_never_written_over_and_what_fails_leaves_nothing(
    filled: Application, agent: Caller, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = tmp_path / "there"
    there.write_text("mine")
    with pytest.raises(InvalidInput):
        EXPORTS[name].write(filled, agent, there)
    assert there.read_text() == "mine"

    def fail(*_: object) -> None:
        raise RuntimeError

    monkeypatch.setattr(filled.store, "read", fail)
    with pytest.raises(RuntimeError):
        EXPORTS[name].write(filled, agent, tmp_path / "new")
    assert [one.name for one in tmp_path.iterdir() if "new" in one.name] == []
