"""What hooks spool is recorded once and in order, whoever dies on the way."""

import signal
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hansard.app.hook_recording import HookIntake
from hansard.hooks import spool
from tests.cli.running import Hansard
from tests.hooks.hosting import Host
from tests.launcher.programs import Popen
from tests.patience import PATIENCE_S

SESSION = "chat-1"


@pytest.fixture
def host(hansard: Hansard, project: Path) -> Host:
    return Host(hansard, project, "claude-code")


def prompt(host: Host, text: str, call: str) -> dict[str, Any]:
    event = {"hook_event_name": "UserPromptSubmit", "prompt": text, "prompt_id": call}
    return {"session_id": SESSION, "cwd": str(host.folder), **event}


def said(host: Host) -> list[str]:
    """Give what the user said, in order."""
    found = host.see("timeline", SESSION)
    return [one["summary"] for one in found if one["kind"] in ("session_titled", "audit_event")]


def test_events_are_taken_in_order_by_the_next_command(host: Host) -> None:
    for number in range(5):
        assert host.tell(prompt(host, f"ask {number}", f"p{number}")).out == ""
    assert not (host.run.store / "hansard.db").exists()

    shown = said(host)

    assert shown[0] == "Session: ask 0"
    assert shown[1:] == [f"user_message: ask {number}" for number in range(1, 5)]
    assert host.waiting() == []


def test_the_same_event_told_twice_is_recorded_once(host: Host) -> None:
    for _ in range(3):
        host.tell(prompt(host, "do it", "p1"))
    first = said(host)
    host.tell(prompt(host, "do it", "p1"))

    assert said(host) == first == ["Session: do it"]


def test_the_same_words_said_twice_are_two_prompts(host: Host) -> None:
    told = prompt(host, "go on", "p1")
    del told["prompt_id"]
    host.tell(told)
    host.tell(told)

    assert said(host) == ["Session: go on", "user_message: go on"]


def test_killed_before_it_was_removed_it_is_recorded_once(host: Host) -> None:
    folder = host.run.store / "hooks"
    for number in range(3):
        host.tell(prompt(host, f"ask {number}", f"p{number}"))
    kept = (folder / "events").read_bytes()
    first = said(host)
    # As a process leaves it that dies after recording all, or only some of it.
    (folder / "taking").write_bytes(kept)
    host.tell(prompt(host, "ask 3", "p3"))

    assert said(host) == [*first, "user_message: ask 3"]
    assert not (folder / "taking").exists()


def test_what_a_killed_hook_left_of_an_event_spoils_no_other(host: Host) -> None:
    host.tell(prompt(host, "first", "p1"))
    with (host.run.store / "hooks" / "events").open("ab") as file:
        file.write(b'{"event": "prompt", "sess')
    host.tell(prompt(host, "second", "p2"))

    assert said(host) == ["Session: first", "user_message: second"]


def test_an_event_that_can_never_be_recorded_does_not_hold_up_the_rest(host: Host) -> None:
    folder = str(host.run.store / "hooks")
    host.tell(prompt(host, "first", "p1"))
    entry = host.waiting()[0]
    spool.append(folder, entry | {"id": "x", "call": "x", "event": "edit", "files": [{}]})
    spool.append(folder, entry | {"id": "y", "given": {"redact": "maybe"}})
    host.tell(prompt(host, "second", "p2"))

    assert said(host) == ["Session: first", "user_message: second"]
    assert len(spool.lines_of(folder, spool.REFUSED)) == 2
    doctor = host.run("doctor", HANSARD_WORKSPACE=str(host.folder)).out
    assert "2 events could not be recorded" in " ".join(doctor.split())


def test_a_store_that_cannot_be_written_to_leaves_the_events(host: Host) -> None:
    host.tell(prompt(host, "first", "p1"))
    blocked = host.run.store / "hansard.db"
    blocked.mkdir()

    refused = host.run("timeline", SESSION, HANSARD_WORKSPACE=str(host.folder))
    blocked.rmdir()

    assert refused.code == 1
    assert said(host) == ["Session: first"]


def test_only_its_user_can_enter_the_folder(host: Host) -> None:
    host.tell(prompt(host, "first", "p1"))
    folder = host.run.store / "hooks"

    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (folder, *folder.iterdir())}
    folder.chmod(0o755)
    refused = host.tell(prompt(host, "second", "p2"))

    assert modes.pop("hooks") == 0o700
    assert all(mode & 0o077 == 0 for mode in modes.values())
    assert (refused.code, refused.out) == (0, "")
    assert "nobody else can enter" in refused.err
    folder.chmod(0o700)


def test_events_of_an_unknown_name_are_counted(host: Host) -> None:
    host.tell(prompt(host, "first", "p1"))
    for _ in range(2):
        host.tell({"session_id": SESSION, "hook_event_name": "MoonPhase"})
    host.tell({"session_id": SESSION, "hook_event_name": "Notification"})

    doctor = " ".join(host.run("doctor", HANSARD_WORKSPACE=str(host.folder)).out.split())

    assert "claude-code 'MoonPhase' (2)" in doctor
    assert "Notification" not in doctor


CHILD = """
import os, signal, sys
from hansard.app.hook_recording import HookIntake
from hansard.kernel.store import Store

write, left = Store.write, [int(sys.argv[2])]

def dying(self, *args, **kwargs):
    answer = write(self, *args, **kwargs)
    left[0] -= 1
    if not left[0]:
        os.kill(os.getpid(), signal.SIGKILL)
    return answer

Store.write = dying
HookIntake(sys.argv[1]).take()
"""


@pytest.mark.parametrize("writes", [1, 2, 3, 5])
def test_whoever_is_killed_while_taking_in_leaves_nothing_twice_and_nothing_out(
    host: Host, writes: int
) -> None:
    for number in range(4):
        host.tell(prompt(host, f"ask {number}", f"p{number}"))
    folder = str(host.run.store / "hooks")

    died = subprocess.run(
        [sys.executable, "-c", CHILD, folder, str(writes)],
        env=host.run.environment,
        timeout=PATIENCE_S,
        check=False,
    )

    assert died.returncode == -signal.SIGKILL
    assert said(host) == ["Session: ask 0"] + [f"user_message: ask {n}" for n in (1, 2, 3)]


def test_many_hooks_at_once_lose_nothing(host: Host) -> None:
    script = (
        "import sys\nfrom hansard.hooks import spool\n"
        "for n in range(50): spool.append(sys.argv[1], {'who': sys.argv[2], 'n': n})\n"
    )
    folder = host.run.store / "hooks"
    folder.mkdir(parents=True, mode=0o700)
    command = [sys.executable, "-c", script, str(folder)]
    writers = [Popen([*command, str(who)]) for who in range(3)]
    taken: list[dict[str, Any]] = []

    def record(entry: dict[str, Any]) -> None:
        taken.append(entry)

    while any(writer.poll() is None for writer in writers):
        spool.take(str(folder), record)
    spool.take(str(folder), record)

    assert all(writer.returncode == 0 for writer in writers)
    assert len(taken) == 150
    for who in "012":
        assert [one["n"] for one in taken if one["who"] == who] == list(range(50))


def test_an_intake_of_another_workspace_records_where_the_hook_was_run(
    hansard: Hansard, tmp_path: Path
) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        host = Host(hansard, tmp_path / name, "claude-code")
        host.tell(prompt(host, f"in {name}", "p1") | {"session_id": name}, f"--project={name}")
    intake = HookIntake(str(hansard.store / "hooks"))

    assert intake.take() == 2
    intake.close()

    for name in ("one", "two"):
        shown = hansard("timeline", name, "--project", name, "--json").out
        assert f"in {name}" in shown
