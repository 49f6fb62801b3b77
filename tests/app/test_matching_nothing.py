"""A decision that names what is not there is told so at once."""

from pathlib import Path

import pytest

from hansard.app.application import Application
from hansard.kernel.operation import Caller

WHY = "Because it was measured twice."


def decide(app: Application, agent: Caller, target: str, **more: object) -> list[str] | None:
    given = {"title": "T", "target": target, "rationale": WHY, **more}
    answer = app.call("record_decision", given, agent)
    for one in answer.model_dump()["unmatched"] or []:
        assert one in answer.text()
    found: list[str] | None = answer.model_dump()["unmatched"]
    return found


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
