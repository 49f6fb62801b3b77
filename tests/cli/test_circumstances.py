"""What a machine refuses is said in a sentence, with the right code, before anything is begun."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from hansard.app.preflight import FILES_MIN, STORE_PATH_BYTES_MAX, require_place
from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.kernel.problem import InvalidInput, StorageUnavailable
from tests.cli.running import Hansard, Ran
from tests.conftest import a_caller
from tests.crash.test_reserve import mounted
from tests.mcp.processes import Json, StdioServer
from tests.patience import PATIENCE_S, wait_until

HELLO = {
    "jsonrpc": "2.0",
    "id": 7,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "x", "version": "1"},
    },
}


def served(hansard: Hansard, *, files: int | None = None, **environment: str | bytes) -> Ran:
    """Start the stdio server in such circumstances, and say hello to it."""
    limit = f"ulimit -n {files}; " if files else ""
    ran = subprocess.run(
        ["sh", "-c", f'{limit}exec "$0" -m hansard.cli.main', sys.executable],
        env={**hansard.environment, **environment},
        input=json.dumps(HELLO).encode() + b"\n",
        capture_output=True,
        timeout=PATIENCE_S,
        check=False,
    )
    return Ran(ran.returncode, ran.stdout.decode(), ran.stderr.decode())


def refused(ran: Ran, code: str, named: str) -> None:
    """Check that both the client and the person were told, each once, and of no bug."""
    error = json.loads(ran.out)
    assert error["id"] == 7
    assert error["error"]["data"]["code"] == code
    assert named in error["error"]["message"]
    said = [line for line in ran.err.splitlines() if line.startswith("hansard: ")]
    assert len(said) == 1
    assert named in said[0]
    assert "bug" not in ran.err
    assert "Traceback" not in ran.err
    assert ran.code == (2 if code == "INVALID_INPUT" else 1)


@pytest.mark.cold("is about how a process starts")
def test_too_few_files_are_said_before_anything_is_made(hansard: Hansard) -> None:
    refused(served(hansard, files=20), "STORAGE_UNAVAILABLE", "20 files open at once")

    assert not hansard.store.exists()
    assert FILES_MIN > 20


@pytest.mark.cold("is about how a process starts")
def test_a_path_that_is_not_utf_8_is_said(hansard: Hansard, tmp_path: Path) -> None:
    bad = os.fsencode(tmp_path) + b"/\xff\xfe"

    refused(served(hansard, HANSARD_STORE=bad), "INVALID_INPUT", "UTF-8")


def deep(folder: Path, size_bytes: int) -> Path:
    """Name a folder whose path is so long."""
    while (left := size_bytes - len(os.fsencode(folder))) > 1:
        folder = folder / ("a" * min(200, left - 1))
    return folder


@pytest.mark.parametrize("size_bytes", [STORE_PATH_BYTES_MAX + 1, 600, 3_900, 5_000])
def test_a_path_that_is_too_long_is_said(hansard: Hansard, tmp_path: Path, size_bytes: int) -> None:
    ran = hansard("log", HANSARD_STORE=str(deep(tmp_path, size_bytes)))

    assert ran.code == 2
    assert "too long" in ran.err
    assert not [*tmp_path.iterdir()]


def test_the_longest_path_is_one_that_works(tmp_path: Path) -> None:
    store = deep(tmp_path, STORE_PATH_BYTES_MAX)
    app = start(Settings(store=str(store), workspace=str(tmp_path), embedder="none"))

    app.call("audit_event", {"type": "note", "description": "deep"}, a_caller())

    app.close()


def test_a_name_that_is_too_long_is_said(tmp_path: Path) -> None:
    with pytest.raises(StorageUnavailable, match="too long"):
        require_place(tmp_path / ("a" * 300))


@pytest.mark.parametrize("below", ["", "/x", "/x/y"])
def test_a_file_in_the_place_of_a_store_is_said_and_kept(
    hansard: Hansard, tmp_path: Path, below: str
) -> None:
    file = tmp_path / "file"
    file.write_text("mine")

    for command in (["log"], ["doctor"], ["records"]):
        ran = hansard(*command, HANSARD_STORE=f"{file}{below}")
        assert "a file" in ran.out + ran.err, command
        assert "bug" not in ran.err
    with pytest.raises(InvalidInput):
        start(Settings(store=f"{file}{below}"))
    assert file.read_text() == "mine"


def test_a_place_that_cannot_be_written_is_said(hansard: Hansard) -> None:
    with pytest.raises(StorageUnavailable, match="cannot be opened"):
        start(Settings(store="/proc/nowhere"))


@pytest.mark.root
def test_a_full_folder_for_temporary_files_is_named(
    hansard: Hansard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import apsw

    from hansard.engines.sqlite import errors

    with mounted(tmp_path / "temporary") as disk:
        monkeypatch.setenv("TMPDIR", str(disk.folder))
        before = errors.refusal("It cannot be derived", apsw.FullError("full"))
        disk.fill()
        after = errors.refusal("It cannot be derived", apsw.FullError("full"))

    assert before
    assert after
    assert "the disk is full" in before.message
    assert "temporary files" in after.message
    assert "TMPDIR" in (after.recovery_hint or "")


ALL_FULL = """
import sys, tempfile
import hansard.app.verify.scratch
from hansard.cli.main import run

folder, *words = sys.argv[1:]
tempfile._candidate_tempdir_list = lambda: [folder]
sys.modules["hansard.app.verify.scratch"].IN_MEMORY_ENTRIES_MAX = 0
sys.exit(run(words))
"""
"""Runs a command where nothing but one folder is there for temporary files."""


@pytest.mark.root
@pytest.mark.parametrize("leaving", [0, 1 << 13])
def test_where_no_folder_has_room_for_temporary_files_that_is_said(
    hansard: Hansard, tmp_path: Path, leaving: int
) -> None:
    app = start(Settings(store=str(hansard.store), workspace=str(tmp_path), embedder="none"))
    app.call("audit_event", {"type": "note", "description": "x"}, a_caller())
    app.close()

    def run(*words: str) -> Ran:
        command = [sys.executable, "-c", ALL_FULL, str(disk.folder), *words]
        environment = {**hansard.environment, "TMPDIR": str(disk.folder)}
        ran = subprocess.run(
            command,
            env=environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        return Ran(ran.returncode, ran.stdout, ran.stderr)

    with mounted(tmp_path / "temporary") as disk:
        disk.fill(leaving=leaving)
        rebuilt = run("rebuild")
        refused = [run(*words) for words in (["verify"], ["gc"], ["backup", str(tmp_path / "b")])]
        refused.append(run("repair", "--yes"))

    assert (rebuilt.code, rebuilt.err) == (0, ""), "deriving again needs no such room"
    for ran in refused:
        assert ran.code in (1, 3), ran
        said, hint = ran.err.splitlines()
        assert said.startswith("hansard: ")
        assert "bug" not in said
        assert "temporary files" in said + hint
        assert "TMPDIR" in hint


def test_what_the_system_refuses_a_command_is_no_bug(
    hansard: Hansard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = start(Settings(store=str(hansard.store), workspace=str(tmp_path), embedder="none"))
    app.call("audit_event", {"type": "note", "description": "x"}, a_caller())
    app.close()

    ran = hansard("export", "default", "/dev/full/x.bundle")

    assert ran.code in (1, 2)
    assert "bug" not in ran.err


def test_a_client_that_tries_again_is_served_once_the_store_can_be_opened(
    hansard: Hansard, tmp_path: Path
) -> None:
    hansard.store.write_text("in the way")
    with StdioServer("tests.clients.stdio_command", {"store": str(hansard.store)}) as server:
        server.open()

        first = server.call("get_project_overview")["error"]
        hansard.store.unlink()
        answers = asked_until_served(server)

        assert first["data"]["code"] == "INVALID_INPUT"
        assert all(refused == first for refused in answers[:-1])
        assert not answers[-1].get("isError")
        # The handshake was given to the server that came, which knows its client by it.
        server.call("audit_event", type="note", description="served")
        timeline = server.call("get_timeline")["result"]["structuredContent"]
        assert {entry["actor"] for entry in timeline["timeline"]} == {"agent:test"}
        assert server.end() == 0


def asked_until_served(server: StdioServer) -> list[Json]:
    """Ask again and again; gives each answer, the last of which is no refusal to serve."""
    answers: list[Json] = []

    def is_served() -> bool:
        answer = server.call("get_project_overview")
        answers.append(answer.get("error") or answer["result"])
        return "result" in answer

    wait_until(is_served)
    return answers
