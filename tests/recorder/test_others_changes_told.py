"""Whoever changes a file is told of what others have done with it."""

from pathlib import Path
from typing import Any

import pytest

from hansard.app.application import Application
from hansard.kernel.operation import Caller
from hansard.recorder import watching
from hansard.recorder.gateway import Gateway
from hansard.recorder.problems import FileNotFound
from tests.conftest import OpenApp, a_caller
from tests.recorder.asking import create, edit, op


def test_who_asks_for_a_file_that_was_moved_is_told_where_it_lies(
    app: Application, agent: Caller, files: Path
) -> None:
    create(app, agent, "a")
    op(app, a_caller(), "move", "a", to="b")
    op(app, a_caller(), "move", "b", to="c/d")

    with pytest.raises(FileNotFound) as refused:
        edit(app, agent, "a", "two\n")
    op(app, agent, "delete", "c/d")
    with pytest.raises(FileNotFound) as gone:
        edit(app, agent, "a", "two\n")

    assert refused.value.details["moved_to"] == "c/d"
    assert "moved_to" not in gone.value.details


def test_nobody_is_sent_to_where_a_moved_file_is_not_any_more(
    app: Application, agent: Caller, files: Path
) -> None:
    create(app, agent, "a")
    op(app, agent, "move", "a", to="b")
    (files / "b").unlink()

    with pytest.raises(FileNotFound) as refused:
        edit(app, agent, "a", "two\n")

    assert "moved_to" not in refused.value.details


def test_an_agent_is_not_sent_to_where_only_people_may_go(
    app: Application, agent: Caller, human: Caller
) -> None:
    create(app, agent, "a")
    op(app, human, "move", "a", to=".vscode/a")

    with pytest.raises(FileNotFound) as for_agent:
        edit(app, agent, "a", "two\n")
    with pytest.raises(FileNotFound) as for_person:
        edit(app, human, "a", "two\n")

    assert "moved_to" not in for_agent.value.details
    assert for_person.value.details["moved_to"] == ".vscode/a"


@pytest.mark.parametrize(
    ("action", "rest"),
    [
        ("edit", {"content": "all\n"}),
        ("create", {"content": "all\n", "overwrite": True}),
        ("delete", {}),
    ],
)
def test_who_changes_what_another_session_left_is_told_whose_it_was(
    app: Application, agent: Caller, files: Path, action: str, rest: dict[str, Any]
) -> None:
    other = a_caller()
    create(app, agent, "a", "one\n")
    theirs = edit(app, other, "a", "one\ntwo\n")

    result = op(app, agent, action, "a", **rest)
    own = edit(app, agent, "a", "mine\n") if action != "delete" else create(app, agent, "a")

    assert theirs.over is not None
    assert result.over is not None
    assert result.over.entry == f"s:{theirs.seq}"
    assert result.over.session_id != theirs.over.session_id
    assert result.over.by == str(other.actor)
    assert f"s:{theirs.seq} by {other.actor}" in result.text()
    assert own.over is None


def test_who_changes_what_a_person_saved_over_anothers_work_is_told_of_both(
    open_app: OpenApp, agent: Caller, files: Path
) -> None:
    app = open_app(also=[watching.capability(Gateway(files, store=None, redact=True))])
    theirs = create(app, a_caller(), "a", "one\n")
    for text in ("one\ntwo\n", "one\ntwo\nthree\n"):
        (files / "a").write_text(text)
        app.call("see_files", {"paths": ["a"]}, agent)
    (files / "a").write_text("one\nfour\n")

    result = edit(app, agent, "a", "mine\n")
    (files / "a").unlink()
    app.call("see_files", {"paths": ["a"]}, agent)
    (files / "a").write_text("a person's\n")
    after = edit(app, a_caller(), "a", "another's\n")

    assert result.external_change
    assert result.over is not None
    assert result.over.entry == f"s:{theirs.seq}"
    assert (after.external_change, after.over) == (True, None)
