"""A program from the launcher is what a new interpreter would be, and our child."""

import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.launcher.programs import PROGRAM, ROOT, Popen, launcher, run, starting

PROBE = [sys.executable, "-m", "tests.launcher.probe"]

Start = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture(autouse=True)
def warm() -> Iterator[None]:
    """Use the launcher, whatever this run of the tests is told to do."""
    with starting(cold=False):
        yield


def is_forked(process: "subprocess.Popen[Any]") -> bool:
    command = Path(f"/proc/{process.pid}/cmdline").read_bytes()
    return b"tests.launcher.process" in command


def probed(start: Start, told: Path, **given: Any) -> dict[str, Any]:
    with start([*PROBE, str(told), "a b", ""], cwd=ROOT, **given) as process:
        assert process.wait() == 0
    found: dict[str, Any] = json.loads(told.read_text())
    assert found.pop("is_forked") == (start is Popen)
    return found


def streams(kind: str) -> dict[str, Any]:
    match kind:
        case "pipes":
            return dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        case "nothing":
            return dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
        case "terminal":
            return dict.fromkeys(("stdin", "stdout", "stderr"), pty.openpty()[1])
        case "one pipe":
            return {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    return {}


@pytest.mark.parametrize("kind", ["pipes", "nothing", "terminal", "one pipe", "ours"])
@pytest.mark.parametrize("leads", [False, True])
def test_it_finds_what_a_new_interpreter_finds(kind: str, leads: bool, tmp_path: Path) -> None:
    given = {**streams(kind), "start_new_session": leads}
    given["env"] = os.environ | {"GIVEN_ONE": "1", "HOME": str(tmp_path), "HANSARD_STORE": "x"}

    warm = probed(Popen, tmp_path / "told", **given)
    cold = probed(subprocess.Popen, tmp_path / "told", **given)

    assert {name: (value, cold[name]) for name, value in warm.items() if value != cold[name]} == {}
    assert warm["parent"] == os.getpid()


def test_it_is_told_not_to_keep_bytecode(tmp_path: Path) -> None:
    kept = probed(Popen, tmp_path / "told", env=without("PYTHONDONTWRITEBYTECODE"))
    not_kept = probed(Popen, tmp_path / "told", env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"})

    assert [kept["bytecode"], not_kept["bytecode"]] == [False, True]


def without(name: str) -> dict[str, str]:
    return {key: value for key, value in os.environ.items() if key != name}


@pytest.mark.parametrize(
    "how",
    [
        "well",
        "with a code",
        "with a code too large",
        "with words",
        "by an error",
        "by Ctrl-C",
        "by a signal",
        "at once",
        "in a thread",
        "with nobody to read",
    ],
)
def test_it_ends_as_a_new_interpreter_does(how: str) -> None:
    given: Any = {"cwd": ROOT, "capture_output": True, "text": True}

    warm = run([*PROBE, "end", how], **given)
    cold = subprocess.run([*PROBE, "end", how], check=False, **given)

    assert (warm.returncode, warm.stdout) == (cold.returncode, cold.stdout)
    assert warm.stderr.splitlines()[-1:] == cold.stderr.splitlines()[-1:]


def test_the_installed_program_runs_and_is_given_its_input(tmp_path: Path) -> None:
    environment = os.environ | {"HANSARD_STORE": str(tmp_path), "HANSARD_EMBEDDER": "none"}
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    }

    done = run(
        [PROGRAM],
        input=json.dumps(hello) + "\n",
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )

    assert json.loads(done.stdout)["result"]["serverInfo"]["name"] == "hansard"


def test_it_can_be_killed_with_its_session() -> None:
    with Popen([PROGRAM, "serve"], start_new_session=True, stderr=subprocess.DEVNULL) as process:
        os.killpg(process.pid, signal.SIGKILL)

    assert process.returncode == -signal.SIGKILL


def test_others_of_our_children_that_lose_their_parent_stay_orphans(tmp_path: Path) -> None:
    launcher()
    script = "sh -c 'sleep 100 >/dev/null & echo $!; exit'"

    orphan = int(subprocess.check_output(["sh", "-c", script], stderr=subprocess.DEVNULL))

    try:
        parent = Path(f"/proc/{orphan}/stat").read_text().rpartition(")")[2].split()[1]
        assert int(parent) != os.getpid()
    finally:
        os.kill(orphan, signal.SIGKILL)


@pytest.mark.parametrize(
    "given",
    [
        {"env": os.environ | {"LC_ALL": "C"}},
        {"env": os.environ | {"PYTHONUNBUFFERED": "another"}},
        {"env": os.environ | {"TZ": "Asia/Tokyo"}},
        {"env": os.environ | {"PSYCOPG_IMPL": "python"}},
        {"umask": 0o077},
        {"pass_fds": [2]},
    ],
)
def test_what_it_could_not_do_as_well_is_done_by_a_new_interpreter(given: dict[str, Any]) -> None:
    with Popen([PROGRAM], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, **given) as process:
        assert not is_forked(process)
        process.kill()


def test_everything_can_be_started_anew() -> None:
    with starting(cold=True):
        process: Popen[bytes] = Popen([PROGRAM], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)

    with process:
        assert not is_forked(process)
        process.kill()
