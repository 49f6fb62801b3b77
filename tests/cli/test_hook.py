"""`hansard hook`: what a host's own tools do is recorded, and the host never notices."""

import io
import json
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from itertools import count
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from hansard.cli.main import run
from hansard.cli.setup.hook_formats import HOSTS
from tests.cli.running import WAIT_S, Hansard, Ran
from tests.cli.test_recorder_cli import Recorded, items, terminal

CALLS = count()
SESSION = "6f3c0f2e-1d7a-4b0e-9c55-0d1a2b3c4d5e"


@pytest.fixture
def recorded(hansard: Hansard, tmp_path: Path) -> Recorded:
    """Give a project of a host, which nobody has told Hansard about."""
    return Recorded(hansard, tmp_path / "project")


def environment_of(recorded: Recorded) -> dict[str, str]:
    """Give the environment of a host, in which nobody has named the workspace."""
    known = recorded.run.environment.items()
    return {name: value for name, value in known if name != "HANSARD_WORKSPACE"}


def tell(recorded: Recorded, told: object, *arguments: str, **environment: str) -> Ran:
    """Run the hook with what a host tells it."""
    text = told if isinstance(told, str) else json.dumps(told)
    out, err = io.StringIO(), io.StringIO()
    with (
        patch.dict(os.environ, environment_of(recorded) | environment, clear=True),
        patch.object(sys, "stdin", io.StringIO(text)),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        code = run(["hook", *(arguments or ("claude-code",))])
    return Ran(code, out.getvalue(), err.getvalue())


def used(recorded: Recorded, tool: str, name: str, **response: Any) -> dict[str, Any]:
    """Give what Claude Code tells after a tool was used."""
    path = str(recorded.folder / name)
    return event(recorded, "PostToolUse") | {
        "tool_name": tool,
        "tool_input": {"notebook_path" if tool == "NotebookEdit" else "file_path": path},
        "tool_response": {"filePath": path, "structuredPatch": [], **response},
        "tool_use_id": f"toolu_{next(CALLS):04}",
    }


def event(recorded: Recorded, name: str, **rest: Any) -> dict[str, Any]:
    return {
        "session_id": SESSION,
        "transcript_path": "/home/someone/.claude/projects/x/t.jsonl",
        "cwd": str(recorded.folder),
        "permission_mode": "default",
        "hook_event_name": name,
        **rest,
    }


def timeline(recorded: Recorded, session: str = SESSION) -> list[dict[str, Any]]:
    return items(recorded.run("timeline", session, "--json").out)


@pytest.mark.holds("FIL-report-2")
def test_an_edit_is_recorded_as_reported_under_the_hosts_session(recorded: Recorded) -> None:
    (recorded.folder / "a.py").write_text("two\n")

    ran = tell(recorded, used(recorded, "Edit", "a.py", originalFile="one\n"))

    assert ran == Ran(0, "", "")
    [_, edit] = timeline(recorded)
    assert (edit["kind"], edit["path"], edit["reported"]) == ("file_edit", "a.py", True)
    assert (edit["actor"], edit["added"], edit["removed"]) == ("agent:claude-code", 1, 1)
    assert recorded.run("evolution", "a.py", "--revision", "1").out == "one\n"
    assert recorded.run("evolution", "a.py", "--revision", "2").out == "two\n"


@pytest.mark.parametrize("tool", ["Write", "MultiEdit", "NotebookEdit"])
def test_every_tool_that_changes_files_is_recorded(recorded: Recorded, tool: str) -> None:
    (recorded.folder / "a").write_text("a\n")

    tell(recorded, used(recorded, tool, "a"))

    assert [item["path"] for item in timeline(recorded) if "path" in item] == ["a"]


def test_a_new_file_is_a_creation_and_one_that_is_gone_a_deletion(recorded: Recorded) -> None:
    (recorded.folder / "a").write_text("a\n")
    tell(recorded, used(recorded, "Write", "a", type="create", originalFile=None))
    (recorded.folder / "a").unlink()

    tell(recorded, used(recorded, "Write", "a", type="update"))

    kinds = [item["kind"] for item in timeline(recorded) if "path" in item]
    assert kinds == ["file_create", "file_delete"]


def test_what_is_protected_from_agents_is_recorded_when_a_host_writes_it(
    recorded: Recorded,
) -> None:
    (recorded.folder / ".claude").mkdir()
    (recorded.folder / ".claude" / "settings.json").write_text("{}\n")

    tell(recorded, used(recorded, "Write", ".claude/settings.json", type="create"))

    assert timeline(recorded)[-1]["path"] == ".claude/settings.json"


def test_binary_content_and_other_line_ends_are_kept(recorded: Recorded) -> None:
    (recorded.folder / "b").write_bytes(b"\x00\xff")
    (recorded.folder / "crlf").write_bytes(b"one\r\ntwo\r\n")

    tell(recorded, used(recorded, "Write", "b", type="create"))
    tell(recorded, used(recorded, "Edit", "crlf", originalFile="one\n"))

    assert items(recorded.run("evolution", "b", "--json").out)[0]["size"] == 2
    [revision] = items(recorded.run("evolution", "crlf", "--json").out)
    assert revision["size"] == 10


def test_the_users_words_give_the_title_and_then_notes(recorded: Recorded) -> None:
    first = tell(recorded, event(recorded, "UserPromptSubmit", prompt="Fix a.py\n\nIt is slow."))
    second = tell(recorded, event(recorded, "UserPromptSubmit", prompt="And b.py"))

    assert (first, second) == (Ran(0, "", ""), Ran(0, "", ""))
    shown = recorded.run("story", SESSION).out
    assert shown.startswith("# Fix a.py\n> Fix a.py\n> \n> It is slow.\n")
    assert "**user_message** (agent:claude-code): And b.py" in shown


def test_a_session_that_is_resumed_after_its_end_goes_on_in_a_new_part(
    recorded: Recorded,
) -> None:
    (recorded.folder / "a").write_text("a\n")
    tell(recorded, used(recorded, "Write", "a"))
    tell(recorded, event(recorded, "SessionEnd", reason="other"))
    (recorded.folder / "a").write_text("b\n")

    tell(recorded, used(recorded, "Write", "a"))

    assert timeline(recorded)[-1]["kind"] == "session_closed"
    assert timeline(recorded, f"{SESSION}.2")[-1]["path"] == "a"


def test_the_projects_folder_is_the_workspace_wherever_the_agent_is(recorded: Recorded) -> None:
    (recorded.folder / "src").mkdir()
    (recorded.folder / "src" / "a").write_text("a\n")
    told = used(recorded, "Write", "src/a") | {"cwd": str(recorded.folder / "src")}

    tell(recorded, told, CLAUDE_PROJECT_DIR=str(recorded.folder))

    assert timeline(recorded)[-1]["path"] == "src/a"


def test_what_cursor_edits_is_recorded(recorded: Recorded) -> None:
    (recorded.folder / "a").write_text("a\n")
    told = {
        "conversation_id": "c0ffee",
        "generation_id": "g1",
        "hook_event_name": "afterFileEdit",
        "workspace_roots": [str(recorded.folder)],
        "file_path": str(recorded.folder / "a"),
        "edits": [{"old_string": "", "new_string": "a"}],
    }

    ran = tell(recorded, told, "cursor")

    assert ran == Ran(0, "{}", "")
    assert timeline(recorded, "c0ffee")[-1]["actor"] == "agent:cursor"


def of_cursor(recorded: Recorded, name: str, *edits: tuple[str, str]) -> dict[str, Any]:
    """Give what Cursor tells after it has edited a file."""
    return {
        "conversation_id": SESSION,
        "hook_event_name": "afterFileEdit",
        "workspace_roots": [str(recorded.folder)],
        "file_path": str(recorded.folder / name),
        "edits": [{"old_string": old, "new_string": new} for old, new in edits],
    }


def undone(recorded: Recorded) -> str:
    """Undo all that the host's session did; gives what was said."""
    return recorded.run("undo", "--session", SESSION, "--yes").out


@pytest.mark.holds("FIL-report-3")
def test_an_edit_of_cursor_is_undone_by_the_edits_it_tells(recorded: Recorded) -> None:
    (recorded.folder / "app.py").write_text("one\nTWO\nTHREE\n")

    tell(recorded, of_cursor(recorded, "app.py", ("two", "TWO"), ("three", "THREE")), "cursor")
    undone(recorded)

    assert (recorded.folder / "app.py").read_text() == "one\ntwo\nthree\n"


@pytest.mark.parametrize(
    ("tool", "asked", "answered"),
    [
        ("Edit", {"old_string": "two", "new_string": "TWO"}, {}),
        ("MultiEdit", {"edits": [{"old_string": "two", "new_string": "TWO"}]}, {}),
        ("Write", {}, {"type": "update", "originalFile": "one\ntwo\n"}),
        ("NotebookEdit", {}, {"original_file": "one\ntwo\n"}),
        ("Edit", {}, {"structuredPatch": [{"newStart": 1, "lines": [" one", "-two", "+TWO"]}]}),
    ],
)
def test_an_edit_of_claude_code_is_undone_by_whatever_it_tells(
    recorded: Recorded, tool: str, asked: dict[str, Any], answered: dict[str, Any]
) -> None:
    (recorded.folder / "app.py").write_text("one\nTWO\n")
    told = used(recorded, tool, "app.py", **answered)
    told["tool_input"] |= asked

    tell(recorded, told)
    undone(recorded)

    assert (recorded.folder / "app.py").read_text() == "one\ntwo\n"


@pytest.mark.holds("FIL-report-3")
@pytest.mark.parametrize("tool", ["Write", "MultiEdit", "NotebookEdit", "cursor"])
def test_an_edit_whose_before_nobody_knows_is_never_undone_into_a_deletion(
    recorded: Recorded, tool: str
) -> None:
    (recorded.folder / "app.py").write_text("a\n")
    if tool == "cursor":
        tell(recorded, of_cursor(recorded, "app.py", ("x", "")), "cursor")
    else:
        tell(recorded, used(recorded, tool, "app.py"))

    said = undone(recorded)
    restored = recorded.run("restore", "--session", SESSION, "--yes").out

    assert "skip    app.py" in said
    assert "not known" in said
    assert "not known" in restored
    assert (recorded.folder / "app.py").read_text() == "a\n"
    assert "+? -?" in recorded.run("timeline", SESSION).out


def test_what_git_has_of_a_file_is_what_it_held_before(recorded: Recorded) -> None:
    (recorded.folder / "app.py").write_text("one\ntwo\n")
    for arguments in (["init", "-q"], ["add", "."]):
        subprocess.run(["git", "-C", str(recorded.folder), *arguments], check=True)
    (recorded.folder / "app.py").write_text("one\n")

    tell(recorded, of_cursor(recorded, "app.py", ("two\n", "")), "cursor")
    undone(recorded)

    assert (recorded.folder / "app.py").read_text() == "one\ntwo\n"


@pytest.mark.parametrize(
    "told",
    [
        {"hook_event_name": "PostToolUse", "tool_name": "Read", "tool_input": {"path": "a"}},
        {"hook_event_name": "SessionStart", "source": "startup"},
        {"hook_event_name": "SessionEnd"},
        {"hook_event_name": "PostToolUse", "tool_name": "Edit", "tool_input": None},
        {"hook_event_name": "UserPromptSubmit", "prompt": "  "},
        {},
    ],
)
def test_what_is_of_no_use_is_passed_over_in_silence(
    recorded: Recorded, told: dict[str, Any]
) -> None:
    ran = tell(recorded, {"session_id": SESSION, "cwd": str(recorded.folder), **told})

    assert ran == Ran(0, "", "")
    assert recorded.run("timeline", SESSION).code == 1


def test_whatever_is_wrong_the_host_goes_on(recorded: Recorded, tmp_path: Path) -> None:
    (recorded.folder / "a").write_text("a\n")
    (tmp_path / "outside").write_text("x\n")
    (recorded.folder / "link").symlink_to(tmp_path / "outside")
    (tmp_path / "blocked").write_text("no folder")
    edit = used(recorded, "Edit", "a")

    faults = [
        tell(recorded, '{"session_id": '),
        tell(recorded, "[]" * 3),
        tell(recorded, edit, "nobody"),
        tell(recorded, edit, HANSARD_STORE=str(tmp_path / "blocked" / "store")),
    ]
    strange = [
        tell(recorded, edit, HANSARD_REDACT="maybe"),
        tell(recorded, used(recorded, "Edit", "../outside")),
        tell(recorded, used(recorded, "Edit", "link")),
    ]
    shown = recorded.run("timeline", SESSION)

    assert [(ran.code, ran.out) for ran in faults] == [(0, "")] * len(faults)
    assert all(ran.err.startswith("hansard: ") for ran in faults)
    assert strange == [Ran(0, "", "")] * len(strange)
    assert shown.code == 1
    refused = json.loads((recorded.run.store / "hooks" / "refused").read_text())
    assert refused["why"].startswith("INVALID_INPUT: ")


def test_the_settings_it_prints_are_what_the_host_reads(recorded: Recorded) -> None:
    printed = recorded.run("hook", "--print-config", "claude-code", "--store", "/data/my store")
    cursor = recorded.run("hook", "cursor", "--print-config")

    key = recorded.run("hook", "--print-config", "claude-code", HANSARD_PERSON_KEY="/k/p.key")
    denied = json.loads(key.out)["permissions"]["deny"]
    assert denied == ["Read(//k/p.key)", "Edit(//k/p.key)"]
    assert json.loads(printed.out)["permissions"]["deny"][0].endswith("/person.key)")
    assert "permissions" not in json.loads(cursor.out)
    hooks = json.loads(printed.out)["hooks"]
    assert {"SessionStart", "UserPromptSubmit", "PreToolUse", "PreCompact"} < set(hooks)
    [editing] = hooks["PostToolUse"]
    assert {"Edit", "Write", "Bash", "create"} < set(editing["matcher"].split("|"))
    assert "mcp_tool" not in printed.out
    assert editing["hooks"][0]["command"] == "hansard hook claude-code '--store=/data/my store'"
    assert ".claude/settings.json" in printed.err
    assert json.loads(cursor.out)["version"] == 1


def test_a_person_who_runs_it_is_told_what_it_is_for(recorded: Recorded) -> None:
    with terminal(recorded.run, "hook", "claude-code") as typist:
        shown = typist.until("settings")
        code, _ = typist.end()

    assert code == 2
    assert "--print-config" in shown


def test_run_as_a_host_does_it_loads_no_server(recorded: Recorded) -> None:
    script = (
        "import sys\nfrom hansard.cli.main import run\ncode = run(['hook', 'claude-code'])\n"
        "assert not {'mcp', 'anyio', 'asyncio', 'starlette', 'watchfiles'} & set(sys.modules)\n"
        "sys.exit(code)\n"
    )
    (recorded.folder / "a").write_text("a\n")

    done = subprocess.run(
        [sys.executable, "-c", script],
        input=json.dumps(used(recorded, "Write", "a")),
        env=environment_of(recorded),
        cwd=recorded.folder.parent,
        capture_output=True,
        encoding="utf-8",
        timeout=WAIT_S,
        check=False,
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert timeline(recorded)[-1]["path"] == "a"


def test_every_host_is_documented() -> None:
    page = (Path(__file__).parents[2] / "docs" / "hooks.md").read_text()

    for host in HOSTS.values():
        assert f"hansard hook --print-config {host.name}" in page
        assert host.settings_file in page
