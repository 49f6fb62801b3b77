"""Whoever cites what is not there, or decides about it, is told so at once."""

from dataclasses import replace
from pathlib import Path

import pytest

from hansard.app.application import Application
from hansard.kernel.operation import Caller, Result
from hansard.sessions.citations import CitingAnswer

WHY = "Because it was measured twice."


def decide(app: Application, agent: Caller, target: str, **more: object) -> list[str] | None:
    given = {"title": "T", "target": target, "rationale": WHY, **more}
    answer = app.call("record_decision", given, agent)
    return unmatched(answer)


def unmatched(answer: Result) -> list[str] | None:
    assert isinstance(answer, CitingAnswer)
    for one in answer.unmatched or []:
        assert one in "\n".join(answer.cautions())
    return answer.unmatched


@pytest.mark.holds("DEC-cites-1")
def test_what_is_cited_and_is_not_there_is_said(
    app: Application, agent: Caller, files: Path
) -> None:
    (files / "a.py").write_text("x")
    assert decide(app, agent, "db") is None
    given = {"type": "note", "title": "N", "summary": "s", "body": "b"}
    record = app.call("create_record", given, agent).model_dump()["record"]["id"]

    cites = ["D999", "R999", "xyz", "D001", record, "path:a.py", "path:b.py", "path:../x", "s:1"]

    assert decide(app, agent, "cache", cites=cites) == [
        "D999", "R999", "xyz", "path:b.py", "path:../x",
    ]  # fmt: skip


@pytest.mark.holds("DEC-cites-1")
@pytest.mark.parametrize(
    ("target", "is_there"),
    [
        ("path:conf", False),
        ("path:conf/", True),
        ("path:{a,b}.txt", False),
        ("path:*.txt", True),
        ("path:conf/**/*.toml", True),
        ("path:missing/**", False),
        ("path:**/x.toml", True),
        ("conf", True),
    ],
)
def test_a_block_that_matches_no_file_is_said(
    app: Application, agent: Caller, files: Path, target: str, is_there: bool
) -> None:
    (files / "conf" / "sub").mkdir(parents=True)
    (files / "conf" / "sub" / "x.toml").write_text("x")
    (files / "a.txt").write_text("x")

    more = {"enforcement": "block"} if target.startswith("path:") else {}

    assert decide(app, agent, target, **more) == (None if is_there else [target])


@pytest.mark.holds("DEC-cites-1")
def test_whatever_cites_is_told_what_of_it_is_not_there(
    app: Application, agent: Caller, files: Path
) -> None:
    record: dict[str, object] = {"type": "note", "title": "N", "summary": "s", "body": "b"}
    one = app.call("create_record", record, agent).model_dump()["record"]["id"]
    change: dict[str, object] = {"path": "a.py", "action": "create", "content": "x"}
    asked: list[tuple[str, dict[str, object]]] = [
        ("create_record", record),
        ("update_record", {"id": one, "title": "M"}),
        ("file_op", change),
        ("record_file_edit", {"path": "a.py", "content": "y"}),
        ("audit_event", {"type": "note", "description": "d"}),
        ("workflow_checkpoint_save", {"context": {"a": 1}}),
    ]

    for name, arguments in asked:
        answer = app.call(name, arguments | {"cites": [one, "R999", "path:a.py"]}, agent)
        assert (unmatched(answer) or [])[0] == "R999", name


def test_an_entry_that_does_not_exist_yet_is_not_there(app: Application, agent: Caller) -> None:
    first, *missing = "s:1", "s:999", "s:x", "s:0", "s:٣", f"s:{'9' * 99}"
    note: dict[str, object] = {"type": "note", "description": "d"}
    app.call("audit_event", note, agent)

    cites = [first, *missing]

    assert unmatched(app.call("audit_event", note | {"cites": cites}, agent)) == missing


def test_what_a_call_writes_itself_was_not_there(app: Application, agent: Caller) -> None:
    note: dict[str, object] = {"type": "note", "description": "d"}
    head = app.call("audit_event", note, agent).model_dump()["receipt"]["seq"]
    cites = [f"s:{head}", f"s:{head + 1}"]

    answer = app.call("audit_event", note | {"cites": cites}, agent)

    assert unmatched(answer) == [f"s:{head + 1}"]
    assert answer.model_dump()["receipt"]["seq"] > head


def test_a_file_is_there_if_it_was_before_the_call(app: Application, agent: Caller) -> None:
    change = {"path": "a", "action": "create", "content": "x", "cites": ["path:a"]}
    delete = {"path": "a", "action": "delete", "cites": ["path:a"]}
    caller = replace(agent, idempotency_key="k")

    created, again = (app.call("file_op", change, caller) for _ in range(2))

    assert unmatched(created) == ["path:a"]
    assert again == created
    assert unmatched(app.call("file_op", delete, agent)) is None


def test_what_cannot_be_looked_up_does_not_silence_the_rest(
    app: Application, agent: Caller, files: Path
) -> None:
    long = f"path:{'é' * 200}"

    assert decide(app, agent, "cache", cites=["R999", long]) == ["R999", long]
    assert decide(app, agent, long) == [long]


def test_nothing_is_told_of_files_that_an_agent_may_not_reach(
    app: Application, agent: Caller, files: Path, tmp_path: Path
) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "x").write_text("x")
    (files / "link").symlink_to(tmp_path / "outside")
    (files / ".vscode").mkdir()
    (files / ".vscode" / "tasks.json").write_text("{}")
    (files / "conf").mkdir()
    refused = ["path:link", "path:link/x", "path:.vscode/tasks.json", f"path:{files}/conf"]

    assert decide(app, agent, "cache", cites=[*refused, "path:conf", "path:conf/"]) == refused


def test_a_repeat_is_told_it_too(app: Application, agent: Caller) -> None:
    note = {"type": "note", "description": "d", "cites": ["R999"]}
    caller = replace(agent, idempotency_key="k")

    first, again = (app.call("audit_event", note, caller) for _ in range(2))

    assert unmatched(first) == unmatched(again) == ["R999"]
    assert first == again


def test_a_repeat_is_told_what_was_not_there_at_first(
    app: Application, agent: Caller, files: Path
) -> None:
    note = {"type": "note", "description": "d", "cites": ["path:late"]}
    caller = replace(agent, idempotency_key="k")

    first = app.call("audit_event", note, caller)
    (files / "late").write_text("x")

    assert unmatched(first) == ["path:late"]
    assert app.call("audit_event", note, caller) == first
