"""What real hosts told their hooks, recorded: prompts, edits, what the shell did, the end."""

import subprocess
from pathlib import Path

import pytest

from tests.cli.running import Hansard
from tests.hooks.hosting import FIRST, Event, Host, act, events_of

MOVED = {"moved.txt"}

SAMPLES = {
    "claude-code": ("claude-code", True),
    "claude-code-nogit-acceptEdits": ("claude-code", True),
    "codex": ("codex", True),
    "gemini-cli": ("gemini-cli", True),
    "qwen-code": ("qwen-code", True),
    "copilot-cli": ("copilot-cli", True),
    "opencode-plugin": ("opencode", True),
    "cline-cli": ("cline", False),
    "droid": ("droid", False),
}
"""By sample: the host, and whether it told the prompt."""


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=dev", "-c", "user.email=dev@example.org")
    subprocess.run(["git", "-C", str(folder), *identity, *arguments], check=True)


def replay(host: Host, sample: str) -> list[tuple[Event, str]]:
    """Tell a sample's events and do what its tools did; gives what was printed at each."""
    printed = []
    for event in events_of(sample, host.folder):
        act(event, host.folder)
        ran = host.tell(event.told, *event.arguments(), **event.environment)
        assert (ran.code, ran.err) == (0, "")
        printed.append((event, ran.out))
    return printed


def session_of(host: Host) -> str:
    """Give the one session that there is."""
    session: str
    [session] = {entry["session"] for entry in host.waiting()} - {
        "279e359b-30a2-471a-95c1-9d7c856acec4",
        "d26d47d8-613e-428d-95d8-c6e82296d405",
    }
    return session


@pytest.mark.parametrize("with_git", [False, True], ids=["folder", "git"])
@pytest.mark.parametrize("sample", SAMPLES)
def test_a_chat_is_recorded_as_it_was_and_can_be_undone(
    sample: str, with_git: bool, hansard: Hansard, project: Path
) -> None:
    name, tells_prompt = SAMPLES[sample]
    (project / "a.txt").write_text(FIRST)
    if with_git:
        git(project, "init", "-q")
        git(project, "add", ".")
        git(project, "commit", "-qm", "first")
    host = Host(hansard, project, name)

    replay(host, sample)
    session = session_of(host)
    timeline = host.see("timeline", session)
    replay(host, sample)
    again = host.see("timeline", session)
    undone = hansard("undo", "--session", session, "--yes", HANSARD_WORKSPACE=str(project))

    changed = [(item["kind"], item["path"]) for item in timeline if "path" in item]
    assert changed[:2] == [("file_edit", "a.txt"), ("file_create", "new.txt")]
    assert {path for _, path in changed[2:]} >= {"a.txt", "by_shell.txt", "new.txt"}
    assert all(item["actor"] == f"agent:{name}" for item in timeline)
    assert any("shell: " in item["summary"] for item in timeline)
    titled = [item["summary"] for item in timeline if "Edit the files please" in item["summary"]]
    assert len(titled) == tells_prompt
    assert [item["seq"] for item in again] == [item["seq"] for item in timeline]
    assert undone.code == 0, undone
    left = {path.name: path.read_text() for path in project.iterdir() if path.is_file()}
    assert left == {"a.txt": FIRST}
