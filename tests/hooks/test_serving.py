"""Hooks beside a running server: woken, briefed by it, and in one session with its calls."""

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from hansard.hooks import chats, hook_state, servers
from hansard.mcp.host_chats import Chats
from tests.cli.running import Hansard
from tests.hooks.hosting import Host
from tests.mcp.processes import StdioServer
from tests.patience import PATIENCE_S, wait_until

COMMAND = "tests.clients.stdio_command"
CHAT = "7adc9a4e-b42c-4911-97d4-b579e32b602b"


def serving(host: Host, client: str = "claude-code", **more: str) -> StdioServer:
    """Start the server as the host would."""
    settings = {"store": str(host.run.store), "workspace": str(host.folder), "config": os.devnull}
    server = StdioServer(COMMAND, settings | more)
    info = {"name": client, "version": "1"}
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info}
    server.ask("initialize", params)
    server.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    return server


def sockets(host: Host) -> list[Path]:
    return list((host.run.store / "hooks").glob(f"*{servers.SUFFIX}"))


@pytest.fixture
def host(hansard: Hansard, project: Path) -> Host:
    return Host(hansard, project, "claude-code")


@pytest.fixture
def server(host: Host) -> Iterator[StdioServer]:
    with serving(host) as server:
        server.call("get_project_overview")
        wait_until(lambda: sockets(host))
        yield server


def event(host: Host, name: str, **rest: Any) -> dict[str, Any]:
    return {"session_id": CHAT, "cwd": str(host.folder), "hook_event_name": name, **rest}


def actions(server: StdioServer, session: str = CHAT) -> list[dict[str, Any]]:
    """Give the timeline of a session, as the server tells it, oldest first."""
    answer = server.call("get_timeline", session_id=session)
    shown = answer["result"].get("structuredContent") or {}
    return list(reversed(shown.get("timeline", [])))


def test_a_running_server_is_woken_and_takes_it_in(host: Host, server: StdioServer) -> None:
    (host.folder / "a").write_text("new\n")
    edit = {"tool_name": "Write", "tool_input": {"file_path": str(host.folder / "a")}}
    host.tell(event(host, "PostToolUse", **edit, tool_use_id="t1"))

    wait_until(lambda: actions(server))

    assert actions(server)[-1]["summary"].startswith("edit a ")
    assert host.waiting() == []


def test_what_waited_is_taken_in_when_a_server_starts(host: Host) -> None:
    host.tell(event(host, "UserPromptSubmit", prompt="first", prompt_id="p1"))

    with serving(host) as server:
        server.call("get_project_overview")
        wait_until(lambda: actions(server))

        assert any("first" in one["summary"] for one in actions(server))


def test_the_socket_is_its_users_alone_and_goes_with_its_server(
    host: Host, server: StdioServer
) -> None:
    [path] = sockets(host)

    assert path.stat().st_mode & 0o077 == 0
    assert server.end() == 0
    assert sockets(host) == []


def test_what_a_killed_server_left_does_not_stop_a_hook(host: Host) -> None:
    with serving(host) as server:
        server.call("get_project_overview")
        wait_until(lambda: sockets(host))
        server.process.kill()
        server.process.wait(PATIENCE_S)

    ran = host.tell(event(host, "UserPromptSubmit", prompt="first", prompt_id="p1"))

    assert (ran.code, ran.out, ran.err) == (0, "", "")
    assert len(host.waiting()) == 1
    assert sockets(host) == []


@pytest.mark.parametrize("sent", [b"", b"x\n", b"[]\n", b'{"brief": 1}\n', b"{" * 100_000])
def test_garbage_on_the_socket_is_left_alone(host: Host, server: StdioServer, sent: bytes) -> None:
    [path] = sockets(host)
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(path))
        connection.sendall(sent)
        connection.shutdown(socket.SHUT_WR)
        assert connection.recv(100) == b""
    host.tell(event(host, "UserPromptSubmit", prompt="first", prompt_id="p1"))

    wait_until(lambda: actions(server))


def brief_of(out: str) -> str:
    told: str = json.loads(out)["hookSpecificOutput"]["additionalContext"]
    return told


@pytest.mark.parametrize("runs", [True, False], ids=["server", "alone"])
def test_a_session_that_begins_is_told_where_the_project_stands(host: Host, runs: bool) -> None:
    with serving(host) as server:
        server.call(
            "record_decision", title="Use SQLite", target="db", rationale="One file is enough."
        )
        if not runs:
            server.end()
        else:
            wait_until(lambda: sockets(host))

        ran = host.tell(event(host, "SessionStart", source="startup"))
        none = host.tell(event(host, "SessionStart", source="startup"), "--brief-tokens=0")

    assert "Use SQLite" in brief_of(ran.out)
    assert len(brief_of(ran.out)) <= 600 * 4 + 100
    assert (none.out, none.err) == ("", "")


def test_a_session_whose_host_has_two_of_our_hooks_is_told_once(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hansard.hooks.client.SAME_START_S", PATIENCE_S)
    with serving(host) as server:
        server.call(
            "record_decision", title="Use SQLite", target="db", rationale="One file is enough."
        )
    start = event(host, "SessionStart", source="startup")

    first, second = host.tell(start), host.tell(start)
    compacted = host.tell(start | {"source": "compact"})
    other = host.tell(start | {"session_id": "another"})
    monkeypatch.setattr("hansard.hooks.client.SAME_START_S", 0.0)
    later = host.tell(start)

    assert (second.code, second.out, second.err) == (0, "", "")
    for ran in (first, compacted, other, later):
        assert "Use SQLite" in brief_of(ran.out)


def test_of_many_hooks_that_run_side_by_side_one_is_first(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        claims = [
            pool.submit(hook_state.claim, str(tmp_path), "k", "a", PATIENCE_S) for _ in range(64)
        ]

    assert [claim.result() for claim in claims].count(True) == 1


def test_a_session_is_told_even_where_nothing_can_be_written_down(host: Host) -> None:
    with serving(host) as server:
        server.call(
            "record_decision", title="Use SQLite", target="db", rationale="One file is enough."
        )
    hooks = host.run.store / "hooks"
    shutil.rmtree(hooks)
    hooks.write_text("in the way")

    ran = host.tell(event(host, "SessionStart", source="startup"))

    assert "Use SQLite" in brief_of(ran.out)
    assert ran.err.startswith("hansard: ")


def test_a_look_makes_no_store(host: Host) -> None:
    ran = host.tell(event(host, "SessionStart", source="startup"))

    assert (ran.code, ran.out, ran.err) == (0, "", "")
    assert not (host.run.store / "hansard.db").exists()


def test_what_a_chat_did_is_saved_before_compaction_and_given_back_after(host: Host) -> None:
    host.tell(event(host, "UserPromptSubmit", prompt="Make the parser fast", prompt_id="p1"))
    for _ in range(3):
        # One host says so before every call of its model.
        host.tell(event(host, "PreCompact", trigger="auto"))
    ran = host.tell(event(host, "SessionStart", source="compact"))

    assert "Make the parser fast" in brief_of(ran.out)
    listed = host.see("checkpoints", "list", CHAT)
    saved = json.dumps(listed)
    assert saved.count("before compaction") == 1


@pytest.mark.parametrize("client", ["opencode", "@cline/core"])
def test_calls_of_a_host_whose_hook_names_the_chat_are_in_its_session(
    host: Host, client: str
) -> None:
    asked: dict[str, Any] = {"title": "Use SQLite", "target": "db", "rationale": "One is enough."}
    with serving(host, client) as server:
        server.call("record_decision", **asked, hansard_chat="ses_1")
        told = actions(server, "ses_1")

    with serving(host, "another") as server:
        refused = server.call("record_decision", **asked, hansard_chat="ses_2")

    assert any("Use SQLite" in one["summary"] for one in told)
    assert refused["result"]["structuredContent"]["error"]["code"] == "INVALID_INPUT"


def cline_event(host: Host, chat: str, name: str, **rest: Any) -> dict[str, Any]:
    """Give an event as Cline tells it."""
    common = {"clineVersion": "", "taskId": chat, "workspaceRoots": [str(host.folder)]}
    return {**common, "hookName": name, **rest}


def test_a_host_that_listens_only_before_tools_is_briefed_once_and_names_the_chat(
    host: Host, server: StdioServer
) -> None:
    server.call("record_decision", title="Use SQLite", target="db", rationale="One is enough.")
    reads = {"id": "1", "name": "read_files", "input": {"paths": ["a"]}}
    ours = {"id": "2", "name": "hansard__search", "input": {"query": "db"}}
    host.name = "cline"

    def told(name: str, **rest: Any) -> dict[str, Any]:
        ran = host.tell(cline_event(host, "conv_1", name, **rest))
        assert (ran.code, ran.err) == (0, "")
        return dict(json.loads(ran.out or "{}"))

    begun = told("agent_start", taskStart={})
    first, second = told("tool_call", tool_call=reads), told("tool_call", tool_call=ours)
    told("agent_start", taskStart={})
    third = told("tool_call", tool_call=reads)

    assert (begun, third) == ({}, {})
    assert "Use SQLite" in first["contextModification"]
    assert "overrideInput" not in first
    assert second == {"cancel": False, "overrideInput": {"query": "db", "hansard_chat": "conv_1"}}
    assert host.waiting() == []


def test_how_a_chat_began_is_noted_with_the_first_that_is_done_in_it(host: Host) -> None:
    def started(source: str) -> None:
        host.tell(event(host, "SessionStart", source=source))

    started("startup")
    assert host.waiting() == []
    host.tell(event(host, "UserPromptSubmit", prompt="first", prompt_id="p1"))
    host.tell(event(host, "UserPromptSubmit", prompt="second", prompt_id="p2"))
    for number in ("3", "4"):
        started("compact")
        # One that comes twice, by two settings files, is one.
        started("compact")
        host.tell(event(host, "UserPromptSubmit", prompt=number, prompt_id=f"p{number}"))

    told = [one["summary"] for one in host.see("timeline", CHAT)]
    begun = [one for one in told if one.startswith("session_start")]
    assert begun == [
        "session_start: startup in claude-code",
        *["session_start: compact in claude-code"] * 2,
    ]
    assert told.index(begun[0]) == 1 + next(n for n, one in enumerate(told) if "first" in one)


def test_a_chat_that_only_began_and_ended_leaves_nothing(host: Host) -> None:
    host.tell(event(host, "SessionStart", source="startup"))
    host.tell(event(host, "SessionEnd", reason="other"))

    assert host.run("timeline", CHAT).code == 1
    assert list((host.run.store / "hooks" / "starts").iterdir()) == []


def test_what_a_hook_kept_for_a_later_one_that_never_came_is_gone_after_a_day(host: Host) -> None:
    told = {"tool_name": "Bash", "tool_input": {"command": "sleep 1"}}
    for call in ("old", "new"):
        host.tell(event(host, "PreToolUse", **told, tool_use_id=call))
    looks = host.run.store / "hooks" / "looks"
    os.utime(looks / f"{CHAT}_old", (0, 0))

    host.tell(event(host, "UserPromptSubmit", prompt="first", prompt_id="p1"))
    host.see("timeline", CHAT)

    assert [path.name for path in looks.iterdir()] == [f"{CHAT}_new"]
    assert all(path.stat().st_mode & 0o077 == 0 for path in looks.parent.rglob("*"))


def test_hooks_and_calls_of_a_chat_are_one_session(host: Host) -> None:
    host.tell(event(host, "UserPromptSubmit", prompt="first", prompt_id="p1"))
    with patched_environment(CLAUDE_CODE_SESSION_ID=CHAT), serving(host) as server:
        server.call(
            "record_decision", title="Use SQLite", target="db", rationale="One file is enough."
        )
        wait_until(lambda: any("first" in one["summary"] for one in actions(server)))

        assert any("Use SQLite" in one["summary"] for one in actions(server))


def test_another_hosts_variable_is_not_believed(host: Host) -> None:
    with (
        patched_environment(CLAUDE_CODE_SESSION_ID=CHAT),
        serving(host, client="gemini-cli-mcp-client") as server,
    ):
        server.call(
            "record_decision", title="Use SQLite", target="db", rationale="One file is enough."
        )

        assert actions(server) == []


def test_codex_names_its_chat_with_each_call(host: Host) -> None:
    with serving(host, client="codex-mcp-client") as server:
        for chat in ("one", "two"):
            meta = {"sessionId": chat, "threadId": chat}
            decision = {
                "title": f"In {chat}",
                "target": chat,
                "rationale": "It is so, and it stays so.",
            }
            server.call("record_decision", meta, **decision)
        for chat in ("one", "two"):
            found = [one["summary"] for one in actions(server, chat)]
            assert any(f"In {chat}" in summary for summary in found)
            assert len(found) == 2


def test_a_chat_that_its_host_names_is_begun_and_not_refused(host: Host) -> None:
    with patched_environment(CLAUDE_CODE_SESSION_ID=CHAT), serving(host) as server:
        looked = server.call("get_project_overview", session_id=CHAT)
        wrote = server.call(
            "record_decision",
            session_id=CHAT,
            title="A",
            target="a",
            rationale="It is so, and it stays so.",
        )
        other = server.call("get_project_overview", session_id="nobody")

    assert "error" not in looked
    assert not looked["result"].get("isError")
    assert not wrote["result"].get("isError")
    assert other["result"]["isError"]


def test_a_chat_that_goes_on_after_its_end_goes_on_in_its_next_part(host: Host) -> None:
    host.tell(event(host, "UserPromptSubmit", prompt="first", prompt_id="p1"))
    host.tell(event(host, "SessionEnd", reason="other"))
    with patched_environment(CLAUDE_CODE_SESSION_ID=CHAT), serving(host) as server:
        server.call("get_project_overview")
        wait_until(lambda: any("closed" in one["summary"] for one in actions(server)))
        wrote = server.call(
            "record_decision", title="A", target="a", rationale="It is so, and it stays so."
        )

        assert not wrote["result"].get("isError")
        assert any("A" in one["summary"] for one in actions(server, f"{CHAT}.2"))


def test_a_tool_takes_what_a_hook_would_be_told(host: Host, server: StdioServer) -> None:
    (host.folder / "a").write_text("one\nTWO\n")
    asked = {"file_path": str(host.folder / "a"), "old_string": "two", "new_string": "TWO"}
    told = event(host, "PostToolUse", tool_name="Edit", tool_use_id="t1")
    # A host sends tables as text, and what is missing as nothing.
    told |= {"tool_input": json.dumps(asked), "tool_response": "", "prompt_id": ""}

    answer = server.call("hook_event", **told)
    host.tell(told | {"tool_input": asked, "tool_response": {"originalFile": "one\ntwo\n"}})
    wait_until(lambda: actions(server))
    listed = server.ask("tools/list")["result"]["tools"]

    assert answer["result"]["content"] == []
    assert "hook_event" not in [tool["name"] for tool in listed]
    wait_until(lambda: host.waiting() == [])
    assert [one["summary"][:7] for one in actions(server)][1:] == ["edit a "]


def test_a_server_that_only_reads_takes_nothing(host: Host) -> None:
    host.tell(event(host, "UserPromptSubmit", prompt="first", prompt_id="p1"))
    host.see("timeline", CHAT)
    with serving(host, read_only="yes") as server:
        told = event(host, "UserPromptSubmit", prompt="second", prompt_id="p2")
        answer = server.call("hook_event", **told)

    assert "error" in answer
    assert host.waiting() == []


class patched_environment:  # noqa: N801 - read as a word
    """Sets variables for what is started meanwhile."""

    def __init__(self, **variables: str) -> None:
        self._variables = variables

    def __enter__(self) -> None:
        os.environ.update(self._variables)

    def __exit__(self, *_: object) -> None:
        for name in self._variables:
            os.environ.pop(name, None)


def test_a_hooks_word_counts_before_the_environments(tmp_path: Path) -> None:
    me = chats.host_process(os.getpid())
    assert me is not None
    folder = tmp_path / "hooks"
    (folder / chats.FOLDER).mkdir(parents=True)
    found = Chats(str(folder), {"CLAUDE_CODE_SESSION_ID": "old"})
    found._process = me

    assert found.find({}, "claude-code") == "old"
    (folder / chats.FOLDER / me).write_text("cleared")
    assert found.find({}, "claude-code") == "cleared"
    assert found.find({"sessionId": "named"}, "codex-mcp-client") == "named"
    assert found.seat("old") is not found.seat("cleared")
    assert found.seat("old") is found.seat("old")


@pytest.mark.parametrize("proc", [chats.PROC, "/nowhere"], ids=["proc", "ps"])
def test_the_process_that_runs_a_hook_is_found_above_shells(
    proc: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chats, "PROC", proc)
    # A machine that is busy may take its time.
    monkeypatch.setattr(chats, "PS_S", PATIENCE_S)
    settings = f'chats.PROC, chats.PS_S = "{proc}", {PATIENCE_S}'
    script = f"from hansard.hooks import chats; {settings}; print(chats.host_process())"
    command = ["sh", "-c", f"'{sys.executable}' -c '{script}'; true"]

    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=True)

    assert done.stdout.strip() == chats.host_process(os.getpid())
    assert done.stdout.startswith(f"{os.getpid()}-")


def test_a_hook_loads_next_to_nothing(host: Host) -> None:
    script = (
        "import sys\nfrom hansard.cli.main import run\ncode = run(['hook', 'claude-code'])\n"
        "ours = {name for name in sys.modules if name.startswith('hansard.')}\n"
        "assert all(name.startswith(('hansard.hooks', 'hansard.cli')) for name in ours), ours\n"
        "heavy = {'pydantic', 'typer', 'orjson', 'platformdirs', 'pathlib', 'dataclasses',\n"
        "    'asyncio', 'subprocess', 'socket', 'hashlib', 'inspect'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\nsys.exit(code)\n"
    )
    (host.folder / "a").write_text("a\n")
    edit = {"tool_name": "Write", "tool_input": {"file_path": str(host.folder / "a")}}

    done = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}\n{script}"],
        input=json.dumps(event(host, "PostToolUse", **edit, tool_use_id="t1")),
        env=host.run.environment,
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE_S,
        check=False,
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert len(host.waiting()) == 1


def test_what_comes_with_a_mark_of_its_byte_order_is_read(host: Host) -> None:
    told = json.dumps(event(host, "UserPromptSubmit", prompt="first", prompt_id="p1"))

    ran = host.tell(f"\ufeff{told}")

    assert (ran.code, ran.err) == (0, "")
    assert [one["prompt"] for one in host.waiting()] == ["first"]
