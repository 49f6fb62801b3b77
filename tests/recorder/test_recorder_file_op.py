"""file_op through the waist, on every engine: recorded first, done atomically, answered last."""

import base64
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hansard.app.application import Application
from hansard.kernel import paging
from hansard.kernel.content import content
from hansard.kernel.limits import FILE_BYTES_MAX
from hansard.kernel.operation import Caller
from hansard.kernel.problem import InvalidInput, PermissionDenied, Problem
from hansard.recorder.events import FileOpDone, FileOpIntended, FileRef
from hansard.recorder.problems import (
    FileChanged,
    FileExists,
    FileNotFound,
    PathInvalid,
    PathNotRegular,
    PathOutsideWorkspace,
    PathProtected,
)
from hansard.recorder.workspace.files import Workspace
from tests.conftest import OpenApp, a_caller
from tests.recorder.asking import (
    batch,
    contents,
    create,
    edit,
    evolution,
    op,
    read,
    sha256,
    sources,
    timeline,
    told,
)


@pytest.mark.holds("003-file_op-1", "003-file_op-6", "003-file_op-9", "003-file_op-10", "FIL-op-3")
def test_a_created_file_is_there_and_on_the_timeline(
    app: Application, agent: Caller, files: Path
) -> None:
    result = create(app, agent, "src/deep/a.py", "one\ntwo\n")

    assert contents(files) == {"src/deep/a.py": b"one\ntwo\n"}
    assert (result.status, result.revision, result.added) == ("done", 1, 2)
    [item] = timeline(app, agent, path="src/deep/a.py")
    assert (item.kind, item.after, item.before) == ("file_create", sha256("one\ntwo\n"), None)


@pytest.mark.holds("003-file_op-7", "003-challenge-4.1", "003-challenge-1")
def test_an_edit_is_recorded_with_what_was_and_what_became_of_it(
    app: Application, agent: Caller
) -> None:
    create(app, agent, "a", "one\n")

    edit(app, agent, "a", "two\n")

    item = timeline(app, agent, path="a")[-1]
    assert (item.kind, item.before, item.after) == ("file_edit", sha256("one\n"), sha256("two\n"))
    assert [evolution(app, agent, path="a", revision=n).content for n in (1, 2)] == [
        "one\n",
        "two\n",
    ]


@pytest.mark.holds("003-file_op-4", "003-file_op-8")
def test_a_deleted_file_is_gone_and_its_content_kept(
    app: Application, agent: Caller, files: Path
) -> None:
    create(app, agent, "a", "one\n")

    result = op(app, agent, "delete", "a", content="ignored")

    assert (contents(files), result.sha256) == ({}, None)
    assert timeline(app, agent, path="a")[-1].before == sha256("one\n")
    assert evolution(app, agent, path="a", revision=1).content == "one\n"


@pytest.mark.holds("003-principle-2", "FIL-effect-2", "FIL-effect-4")
def test_the_intent_is_durable_before_the_file_and_the_outcome_before_the_answer(
    app: Application, agent: Caller, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    create(app, agent, "a", "one\n")
    seen: list[tuple[bytes, bytes]] = []
    replace = Workspace.replace

    def watched(workspace: Workspace, *args: Any, **rest: Any) -> Any:
        intent = last_event(app, FileOpIntended)
        seen.append((kept(app, intent.before), kept(app, intent.after)))
        assert (files / "a").read_bytes() == b"one\n"
        return replace(workspace, *args, **rest)

    monkeypatch.setattr(Workspace, "replace", watched)
    result = edit(app, agent, "a", "two\n")

    assert set(seen) == {(b"one\n", b"two\n")}
    assert last_event(app, FileOpDone).intent == result.seq


def kept(app: Application, ref: FileRef) -> bytes:
    digest = ref.digest
    return app.store.read(app.default_project, lambda tx: content(tx, digest))


def last_event(app: Application, kind: type[Any]) -> Any:
    entries = app.store.read(app.default_project, lambda tx: list(paging.entries(tx)))
    events = [app.store.kinds.decode(entry) for entry in entries]
    return [event for event in events if isinstance(event, kind)][-1]


@pytest.mark.holds("FIL-op-1", "ALL-06.25")
def test_creating_a_file_that_is_there_changes_nothing(
    app: Application, agent: Caller, files: Path
) -> None:
    (files / "a").write_text("a person's\n")

    with pytest.raises(FileExists):
        create(app, agent, "a", "mine\n")

    assert contents(files) == {"a": b"a person's\n"}


@pytest.mark.holds("FIL-op-2")
def test_creating_with_overwrite_is_recorded_as_an_edit(
    app: Application, agent: Caller, files: Path
) -> None:
    (files / "a").write_text("a person's\n")

    result = op(app, agent, "create", "a", content="mine\n", overwrite=True)

    assert (result.action, contents(files)) == ("edit", {"a": b"mine\n"})
    assert evolution(app, agent, path="a", revision=1).content == "a person's\n"


def begin(app: Application, agent: Caller) -> None:
    """Do something, so that there is a project: none is made for the sake of a refusal."""
    app.call("audit_event", {"type": "note", "description": "begun"}, agent)


@pytest.mark.holds("FIL-op-4", "FIL-op-5", "ALL-06.26")
@pytest.mark.parametrize("rest", [{"action": "edit", "content": "x"}, {"action": "delete"}])
def test_what_is_missing_cannot_be_changed(
    app: Application, agent: Caller, rest: dict[str, str]
) -> None:
    begin(app, agent)

    with pytest.raises(FileNotFound):
        app.call("file_op", {"path": "a", **rest}, agent)

    assert told(app, agent) == [("file_refused", "refused")]


@pytest.mark.holds(
    "FIL-op-6",
    "FIL-effect-1",
    "003-file_op-5",
    "003-file_op-2",
    "ALL-06.28",
    "ALL-06.29",
    "ALL-06.30",
    "ALL-06.31",
)
@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("../a", PathOutsideWorkspace),
        ("link/a", PathOutsideWorkspace),
        (".git/config", PathProtected),
        (".mcp.json", PathProtected),
        ("folder", PathNotRegular),
        ("a\u202eb", PathInvalid),
    ],
)
def test_a_refused_path_is_on_the_timeline_without_content(
    app: Application, agent: Caller, files: Path, path: str, problem: type[Problem]
) -> None:
    begin(app, agent)
    (files / "folder").mkdir()
    (files / "link").symlink_to(files.parent)

    with pytest.raises(problem) as refused:
        create(app, agent, path, "the content\n")

    [item] = timeline(app, agent, kinds=["file_refused"])
    assert (item.status, item.code) == ("refused", refused.value.code)
    assert (item.before, item.after) == (None, None)
    assert "\u202e" not in str(item.path)
    assert contents(files) == {}


@pytest.mark.holds("003-file_op-2")
def test_an_absolute_path_within_the_workspace_is_the_same_file(
    app: Application, agent: Caller, files: Path
) -> None:
    create(app, agent, str(files / "a"))

    edit(app, agent, "a", "two\n")

    assert sources(app, agent, "a") == ["executed", "executed"]


@pytest.mark.holds("FIL-path-20")
def test_the_record_itself_is_no_file_of_the_workspace(
    open_app: OpenApp, agent: Caller, human: Caller, files: Path
) -> None:
    app = open_app(store=str(files / "record"))

    for caller in (agent, human):
        with pytest.raises(PathProtected):
            create(app, caller, "record/hansard.db")


def test_a_person_may_change_what_is_protected_from_agents(
    app: Application, human: Caller, files: Path
) -> None:
    create(app, human, ".mcp.json", "{}\n")

    assert contents(files) == {".mcp.json": b"{}\n"}


def test_a_viewer_changes_nothing(app: Application, viewer: Caller) -> None:
    with pytest.raises(PermissionDenied):
        create(app, viewer, "a")


@pytest.mark.holds("FIL-op-7")
def test_a_read_gives_what_an_edit_can_expect(app: Application, agent: Caller) -> None:
    create(app, agent, "a", "one\n")

    shown = read(app, agent, "a")
    edit(app, agent, "a", "two\n", expected_sha256=shown.sha256)

    assert (shown.content, shown.sha256, shown.size) == ("one\n", sha256("one\n"), 4)
    assert read(app, agent, "a").content == "two\n"


def test_reading_what_is_not_there_is_refused(app: Application, agent: Caller) -> None:
    with pytest.raises(FileNotFound):
        read(app, agent, "a")


@pytest.mark.holds("FIL-op-8", "ALL-06.27")
@pytest.mark.parametrize("action", ["edit", "delete", "move", "create"])
def test_a_file_that_is_not_what_was_read_is_left_alone(
    app: Application, agent: Caller, files: Path, action: str
) -> None:
    create(app, agent, "a", "one\n")
    (files / "a").write_text("a person's\n")
    rest_by_action: dict[str, dict[str, Any]] = {
        "edit": {"content": "mine\n"},
        "create": {"content": "mine\n", "overwrite": True},
        "move": {"to": "b"},
        "delete": {},
    }
    rest = rest_by_action[action]

    with pytest.raises(FileChanged):
        op(app, agent, action, "a", expected_sha256=sha256("one\n"), **rest)

    assert contents(files) == {"a": b"a person's\n"}
    assert told(app, agent)[-1] == ("file_refused", "refused")


@pytest.mark.holds("FIL-op-9")
def test_a_change_from_outside_is_recorded_before_the_next_one(
    app: Application, agent: Caller, files: Path
) -> None:
    create(app, agent, "a", "one\n")
    (files / "a").write_text("one\na person's\n")

    result = edit(app, agent, "a", "two\n")

    assert result.external_change
    assert told(app, agent) == [
        ("file_create", "done"),
        ("external_change", None),
        ("file_edit", "done"),
    ]
    assert sources(app, agent, "a") == ["executed", "external", "executed"]
    assert evolution(app, agent, path="a", revision=2).content == "one\na person's\n"


@pytest.mark.holds("FIL-op-9")
def test_a_file_deleted_and_made_again_from_outside_is_seen_as_such(
    app: Application, agent: Caller, files: Path
) -> None:
    create(app, agent, "a", "one\n")
    (files / "a").unlink()
    create(app, agent, "a", "two\n")
    op(app, agent, "delete", "a")
    (files / "a").write_text("back\n")

    edit(app, agent, "a", "three\n")

    assert sources(app, agent, "a") == [
        "executed", "external", "executed", "executed", "external", "executed",
    ]  # fmt: skip


def test_a_file_that_was_there_before_is_found_not_changed(
    app: Application, agent: Caller, files: Path
) -> None:
    (files / "a").write_text("as it was\n")

    result = edit(app, agent, "a", "mine\n")

    assert (result.external_change, result.revision) == (None, 2)
    assert sources(app, agent, "a") == ["found", "executed"]
    assert evolution(app, agent, path="a", revision=1).content == "as it was\n"


@pytest.mark.holds("FIL-op-10", "003-file_op-3")
def test_an_edit_can_name_only_what_changes(app: Application, agent: Caller, files: Path) -> None:
    create(app, agent, "a", "one\ntwo\nthree\n")

    result = op(app, agent, "edit", "a", edits=[{"old": "two", "new": "2"}])

    assert contents(files) == {"a": b"one\n2\nthree\n"}
    assert (result.added, result.removed) == (1, 1)


@pytest.mark.holds("FIL-op-11")
def test_an_edit_that_matches_twice_is_refused_and_recorded(
    app: Application, agent: Caller, files: Path
) -> None:
    create(app, agent, "a", "one\none\n")

    with pytest.raises(InvalidInput):
        op(app, agent, "edit", "a", edits=[{"old": "one", "new": "1"}])

    assert contents(files) == {"a": b"one\none\n"}
    assert told(app, agent)[-1] == ("file_refused", "refused")


@pytest.mark.holds("FIL-op-12")
def test_a_moved_file_is_gone_here_and_there_there(
    app: Application, agent: Caller, files: Path
) -> None:
    create(app, agent, "a", "one\n")

    result = op(app, agent, "move", "a", to="deep/b")

    assert contents(files) == {"deep/b": b"one\n"}
    assert (result.to, result.sha256) == ("deep/b", sha256("one\n"))
    item = timeline(app, agent, path="deep/b")[-1]
    assert (item.path, item.to, item.before, item.after) == (
        "a", "deep/b", sha256("one\n"), sha256("one\n"),
    )  # fmt: skip
    [moved, created] = evolution(app, agent, path="deep/b").revisions or []
    assert (moved.sha256, moved.other) == (sha256("one\n"), "a")
    assert (created.sha256, created.path) == (sha256("one\n"), "a")


@pytest.mark.holds("FIL-op-14")
def test_any_bytes_go_in_and_out(app: Application, agent: Caller, files: Path) -> None:
    blob = bytes(range(256))
    text = base64.b64encode(blob).decode()

    op(app, agent, "create", "a", content=text, encoding="base64")

    assert contents(files) == {"a": blob}
    assert read(app, agent, "a").content == text
    assert read(app, agent, "a", encoding="base64").content == text
    shown = evolution(app, agent, path="a", revision=1)
    assert (shown.content, shown.encoding) == (text, "base64")


@pytest.mark.holds("FIL-op-15")
def test_the_mode_is_kept(app: Application, agent: Caller, files: Path) -> None:
    (files / "run").write_text("#!/bin/sh\n")
    (files / "run").chmod(0o750)

    edit(app, agent, "run", "#!/bin/bash\n")

    assert (files / "run").stat().st_mode & 0o777 == 0o750
    assert (evolution(app, agent, path="run").revisions or [])[0].mode == "0750"


@pytest.mark.holds("FIL-op-16")
def test_one_byte_too_many_is_refused_with_the_limit(
    app: Application, agent: Caller, files: Path
) -> None:
    with pytest.raises(InvalidInput) as refused:
        create(app, agent, "a", "x" * (FILE_BYTES_MAX + 1))

    assert refused.value.details["limit_bytes"] == FILE_BYTES_MAX
    assert contents(files) == {}


@pytest.mark.holds("FIL-workspace-1")
def test_the_same_path_in_two_workspaces_is_two_files(open_app: OpenApp, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    here, there = (open_app(workspace=str(tmp_path / name)) for name in ("one", "two"))
    first, second = a_caller(), a_caller()

    create(here, first, "README.md", "one\n")
    create(there, second, "README.md", "two\n")

    assert evolution(here, first, path="README.md").total == 1
    assert evolution(here, first, path="README.md", revision=1).content == "one\n"
    assert evolution(there, second, path="README.md", revision=1).content == "two\n"


@pytest.mark.holds("003-principle-1")
def test_every_file_changed_through_it_has_its_revisions(
    app: Application, agent: Caller, files: Path
) -> None:
    create(app, agent, "a", "one\n")
    edit(app, agent, "a", "two\n")
    op(app, agent, "move", "a", to="b")
    batch(app, agent, {"path": "c", "action": "create", "content": "x"})

    listed = evolution(app, agent).files or []
    assert {one.path: one.sha256 for one in listed} == {"b": sha256("two\n"), "c": sha256("x")}


@pytest.mark.holds("003-record_session_start-2", "FIL-durable-1")
def test_any_change_begins_a_session_if_there_is_none(app: Application) -> None:
    caller = a_caller(seat=False)

    answer: Any = app.call("file_op", {"path": "a", "action": "create", "content": "x"}, caller)

    named = app.call("get_timeline", {"session_id": answer.session_id}, caller)
    assert answer.session_id in named.text()


@pytest.mark.parametrize("name", ["record_file_op", "file_op"])
def test_hosts_that_show_only_record_tools_have_it_too(
    app: Application, agent: Caller, name: str
) -> None:
    assert app.call(name, {"path": "a", "action": "create", "content": "x"}, agent).text()


def test_text_alone_says_what_happened(app: Application, agent: Caller) -> None:
    call: Callable[..., Any] = app.call
    digest = sha256("x\n")

    text = call("file_op", {"path": "a", "action": "create", "content": "x\n"}, agent).text()

    assert f"sha256 {digest[:12]}" in text
    assert "revision 1" in text
