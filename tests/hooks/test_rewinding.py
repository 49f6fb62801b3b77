"""What the shell did is seen, and what was done since a prompt goes back; a person's work stays."""

import subprocess
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from hansard.hooks import files, folder_snapshot
from tests.cli.running import Hansard
from tests.hooks.hosting import Host
from tests.hooks.test_samples import git

CHAT = "01a1e1af-754f-7b82-814b-d2ee21771b31"
CALLS = count()


@pytest.fixture
def host(hansard: Hansard, project: Path) -> Host:
    return Host(hansard, project, "codex")


def ask(host: Host, text: str) -> None:
    told = {"prompt": text, "turn_id": f"t{next(CALLS)}", "hook_event_name": "UserPromptSubmit"}
    host.tell(told | {"session_id": CHAT, "cwd": str(host.folder)})


def shell(host: Host, command: str, cwd: Path | None = None) -> None:
    """Run a command as the host's shell tool does, between its two hooks."""
    told: dict[str, Any] = {"session_id": CHAT, "cwd": str(cwd or host.folder)}
    told |= {"tool_name": "Bash", "tool_input": {"command": command}}
    told |= {"tool_use_id": f"call_{next(CALLS)}"}
    host.tell(told | {"hook_event_name": "PreToolUse"})
    subprocess.run(["sh", "-c", command], cwd=cwd or host.folder, check=False)
    host.tell(told | {"hook_event_name": "PostToolUse", "tool_response": ""})


def hansard_in(host: Host, *words: str) -> Any:
    return host.run(*words, HANSARD_WORKSPACE=str(host.folder))


def changed(host: Host) -> list[tuple[str, str]]:
    return [(one["kind"], one["path"]) for one in host.see("timeline", CHAT) if "path" in one]


@pytest.fixture(params=["folder", "git"])
def where(request: pytest.FixtureRequest, host: Host) -> str:
    """Give a folder with two files, or a Git work tree that has them committed."""
    (host.folder / "a.txt").write_text("one\n")
    (host.folder / "b.txt").write_text("bee\n")
    if request.param == "git":
        git(host.folder, "init", "-q")
        git(host.folder, "add", ".")
        git(host.folder, "commit", "-qm", "first")
    return str(request.param)


def test_back_to_before_my_last_message_and_my_own_edit_stays(host: Host, where: str) -> None:
    ask(host, "first")
    shell(host, "echo 1 >> a.txt")
    ask(host, "second")
    shell(host, "echo 2 >> a.txt; rm b.txt; echo n > new.txt")
    text = (host.folder / "a.txt").read_text()
    (host.folder / "a.txt").write_text(f"mine\n{text}")

    shown = hansard_in(host, "undo", "--prompt", "last", "--dry-run")
    before = (host.folder / "a.txt").read_text()
    done = hansard_in(host, "undo", "--prompt", "last", "--yes")

    assert "new.txt" in shown.out
    assert before == "mine\none\n1\n2\n"
    assert done.code == 0, done
    assert (host.folder / "a.txt").read_text() == "mine\none\n1\n"
    assert (host.folder / "b.txt").read_text() == "bee\n"
    assert not (host.folder / "new.txt").exists()


def test_restore_before_a_prompt_keeps_what_others_did(host: Host, where: str) -> None:
    ask(host, "first")
    shell(host, "echo 1 >> a.txt")
    ask(host, "second")
    shell(host, "echo 2 >> a.txt")
    (host.folder / "mine.txt").write_text("mine\n")

    done = hansard_in(host, "restore", "--before-prompt", "2", "--yes")

    assert done.code == 0, done
    assert (host.folder / "a.txt").read_text() == "one\n"
    assert (host.folder / "mine.txt").read_text() == "mine\n"


def test_a_prompt_is_named_by_its_entry_and_an_unknown_one_is_refused(host: Host) -> None:
    (host.folder / "a.txt").write_text("one\n")
    ask(host, "first")
    ask(host, "second")
    shell(host, "echo 2 >> a.txt")
    [_, entry] = [
        one["seq"]
        for one in host.see("timeline", CHAT)
        if one["kind"] == "session_titled" or one["summary"].startswith("user_message")
    ]

    refused = [
        hansard_in(host, "undo", "--prompt", name, "--yes").code
        for name in ("3", "s:1", "first", "0")
    ]
    done = hansard_in(host, "undo", "--prompt", f"s:{entry}", "--yes")

    assert refused == [2] * 4
    assert done.code == 0
    assert (host.folder / "a.txt").read_text() == "one\n"


def test_where_nothing_was_said_no_prompt_can_be_undone(host: Host) -> None:
    shell(host, "echo 2 >> a.txt")

    refused = hansard_in(host, "undo", "--prompt", "last", "--yes")

    assert refused.code == 2
    assert (host.folder / "a.txt").exists()


def test_what_a_person_had_not_committed_comes_back_as_it_was(host: Host, where: str) -> None:
    (host.folder / "a.txt").write_text("one\nnot committed\n")
    (host.folder / "bin").write_bytes(b"\x00\xff\x01")
    shell(host, "echo gone > a.txt; printf x > bin")

    hansard_in(host, "undo", "--session", CHAT, "--yes")

    assert (host.folder / "a.txt").read_text() == "one\nnot committed\n"
    assert (host.folder / "bin").read_bytes() == b"\x00\xff\x01"


def test_a_deletion_is_told_once_though_it_is_not_committed(host: Host, where: str) -> None:
    shell(host, "echo 1 >> a.txt")
    shell(host, "rm a.txt")
    shell(host, "echo 2 >> b.txt")
    shell(host, "echo back > a.txt")

    assert changed(host) == [
        ("file_edit", "a.txt"),
        ("file_delete", "a.txt"),
        ("file_edit", "b.txt"),
        ("file_create", "a.txt"),
    ]


LONG = "It was a bright cold day in April, and the clocks were striking thirteen.\n"
"""More than anybody writes twice."""


def test_a_file_that_the_shell_moves_keeps_its_history(host: Host, where: str) -> None:
    ask(host, "first")
    shell(host, f"echo 1 >> a.txt; printf '{LONG}' > b.txt")
    shell(host, "mkdir sub; mv a.txt sub/a.txt; chmod +x sub/a.txt; cat b.txt > c.txt; rm b.txt")
    shell(host, "echo 2 >> sub/a.txt; touch empty; rm empty")

    told = changed(host)
    actions = [one["action"] for one in host.see("evolution", "sub/a.txt")]
    done = hansard_in(host, "undo", "--session", CHAT, "--yes")

    assert told == [
        ("file_edit", "a.txt"),
        ("file_edit", "b.txt"),
        ("file_move", "a.txt"),
        ("file_move", "b.txt"),
        ("file_edit", "sub/a.txt"),
    ]
    assert actions == ["create", "edit", "move", "edit"]
    assert done.code == 0, done
    assert (host.folder / "a.txt").read_text() == "one\n"
    assert (host.folder / "b.txt").read_text() == "bee\n"
    assert not (host.folder / "sub/a.txt").exists()


def test_a_file_that_only_holds_as_little_as_one_that_is_gone_is_another(
    host: Host, where: str
) -> None:
    (host.folder / "old.json").write_text("{}\n")
    shell(host, "rm old.json; mkdir deep; echo '{}' > deep/settings.json")

    told = changed(host)
    done = hansard_in(host, "undo", "--session", CHAT, "--yes", "--path", "old.json")

    assert sorted(told) == [("file_create", "deep/settings.json"), ("file_delete", "old.json")]
    assert done.code == 0, done
    assert (host.folder / "old.json").exists()
    assert (host.folder / "deep/settings.json").exists()


def test_which_of_two_equal_files_is_which_is_not_guessed(host: Host, where: str) -> None:
    shell(host, f"mkdir l r; printf '{LONG}' | tee one.md two.md l/x.md r/x.md > /dev/null")
    shell(host, "mv one.md 1.md; mv two.md 2.md; mkdir in; mv l r in")

    assert sorted(changed(host)[4:]) == [
        ("file_create", "1.md"),
        ("file_create", "2.md"),
        ("file_delete", "one.md"),
        ("file_delete", "two.md"),
        ("file_move", "l/x.md"),
        ("file_move", "r/x.md"),
    ]


@pytest.mark.parametrize("command", ["echo 2 >> a.txt", "mv a.txt b.txt", "rm a.txt"])
@pytest.mark.parametrize("more", ["", "; chmod 755 *.txt"])
def test_permissions_that_a_person_gave_before_a_command_are_there_when_it_is_undone(
    host: Host, command: str, more: str
) -> None:
    path = host.folder / "a.txt"
    path.write_text(LONG)
    shell(host, "echo 1 >> a.txt")
    changed(host)
    path.chmod(0o600)
    shell(host, command + more)

    done = hansard_in(host, "undo", "--session", CHAT, "--yes")

    assert done.code == 0, done
    assert path.read_text() == LONG
    assert path.stat().st_mode & 0o777 == 0o600


def test_permissions_that_a_person_gave_before_an_event_was_taken_in_stay(host: Host) -> None:
    (host.folder / "a.txt").write_text(LONG)
    shell(host, "echo 1 >> a.txt")
    changed(host)
    shell(host, "mv a.txt b.txt")
    (host.folder / "b.txt").chmod(0o600)

    hansard_in(host, "undo", "--session", CHAT, "--yes")

    assert (host.folder / "a.txt").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("change", ["echo 2 >> a.txt", "rm a.txt"])
def test_permissions_that_a_person_gave_before_a_patch_are_there_when_it_is_undone(
    host: Host, change: str
) -> None:
    path = host.folder / "a.txt"
    path.write_text(LONG)
    patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n-x\n+y\n*** End Patch\n"
    patch_tool(host, patch, lambda: path.write_text(f"1\n{LONG}"))
    changed(host)
    path.chmod(0o600)
    patch_tool(
        host, patch, lambda: subprocess.run(["sh", "-c", change], cwd=host.folder, check=True)
    )

    hansard_in(host, "undo", "--session", CHAT, "--yes")

    assert path.read_text() == LONG
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_command_that_changed_nothing_is_a_note_alone(host: Host, where: str) -> None:
    shell(host, "cat a.txt > /dev/null")

    assert changed(host) == []
    assert [one["summary"] for one in host.see("timeline", CHAT)][1:] == [
        "shell: cat a.txt > /dev/null"
    ]


def test_what_git_itself_changed_is_seen(host: Host) -> None:
    (host.folder / "a.txt").write_text("one\n")
    git(host.folder, "init", "-q")
    git(host.folder, "add", ".")
    git(host.folder, "commit", "-qm", "first")
    (host.folder / "a.txt").write_text("two\n")
    git(host.folder, "commit", "-qam", "second")

    shell(host, "git checkout -q HEAD~1 && echo new > 'ä b.txt'")

    assert sorted(changed(host)) == [("file_create", "ä b.txt"), ("file_edit", "a.txt")]
    hansard_in(host, "undo", "--session", CHAT, "--yes")
    assert (host.folder / "a.txt").read_text() == "two\n"


def test_only_the_project_is_looked_at_though_its_repository_is_larger(
    hansard: Hansard, tmp_path: Path
) -> None:
    inner = tmp_path / "repository" / "inner"
    inner.mkdir(parents=True)
    (inner / "a.txt").write_text("one\n")
    (tmp_path / "repository" / "outer.txt").write_text("out\n")
    git(inner.parent, "init", "-q")
    git(inner.parent, "add", ".")
    git(inner.parent, "commit", "-qm", "first")
    host = Host(hansard, inner, "codex")

    shell(host, "echo 2 >> a.txt; echo 2 >> ../outer.txt; ln -s ../outer.txt link")

    assert changed(host) == [("file_edit", "a.txt")]


def test_beyond_the_limits_it_is_said_that_nothing_was_seen(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder_snapshot, "LISTED_MAX", 2)
    for name in "abcd":
        (host.folder / name).write_text(name)

    shell(host, "echo 2 >> a")

    assert changed(host) == []
    [_, note] = host.see("timeline", CHAT)
    assert note["summary"] == "shell: echo 2 >> a (what it changed was not seen)"


def test_of_more_files_than_are_recorded_it_is_said_how_many(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder_snapshot, "CHANGED_MAX", 3)

    shell(host, "for n in 1 2 3 4 5; do echo $n > f$n; done")

    assert len(changed(host)) == 3
    assert "(and 2 more files, not recorded)" in host.see("timeline", CHAT)[1]["summary"]


def test_a_patch_is_undone_by_what_its_files_held(host: Host) -> None:
    (host.folder / "a.txt").write_text("one\r\ntwo\r\n")
    (host.folder / "old.txt").write_text("old\n")
    patch = (
        "*** Begin Patch\n*** Update File: a.txt\n@@\n-two\n+TWO\n*** Delete File: old.txt\n"
        "*** Add File: sub/new.txt\n+new\n*** End Patch\n"
    )
    told: dict[str, Any] = {"session_id": CHAT, "cwd": str(host.folder)}
    told["tool_name"] = "apply_patch"
    told |= {"tool_input": {"command": patch}, "tool_use_id": "c1"}
    host.tell(told | {"hook_event_name": "PreToolUse"})
    (host.folder / "a.txt").write_bytes(b"one\r\nTWO\r\n")
    (host.folder / "old.txt").unlink()
    (host.folder / "sub").mkdir()
    (host.folder / "sub" / "new.txt").write_text("new\n")
    host.tell(told | {"hook_event_name": "PostToolUse", "tool_response": "Done"})

    assert sorted(changed(host)) == [
        ("file_create", "sub/new.txt"),
        ("file_delete", "old.txt"),
        ("file_edit", "a.txt"),
    ]
    hansard_in(host, "undo", "--session", CHAT, "--yes")
    assert (host.folder / "a.txt").read_bytes() == b"one\r\ntwo\r\n"
    assert (host.folder / "old.txt").read_text() == "old\n"
    assert not (host.folder / "sub" / "new.txt").exists()


def test_a_secret_that_went_through_the_spool_is_not_in_the_journal_in_the_open(
    host: Host,
) -> None:
    secret = "AKIA" + "IOSFODNN7EXAMPLE"
    shell(host, f"echo 'aws_access_key_id = {secret}' > keys.txt")
    host.see("timeline", CHAT)

    for path in host.run.store.rglob("*"):
        assert not path.is_file() or secret.encode() not in path.read_bytes(), path


def test_subagents_are_noted(host: Host) -> None:
    ask(host, "first")
    told = {"session_id": CHAT, "cwd": str(host.folder), "agent_type": "Explore"}
    host.tell(told | {"hook_event_name": "SubagentStart", "agent_id": "a1"})
    stop = {
        "hook_event_name": "SubagentStop",
        "last_assistant_message": "Found it.",
        "turn_id": "9",
    }
    host.tell(told | stop)

    notes = [one["summary"] for one in host.see("timeline", CHAT)]
    assert notes[-2:] == ["subagent: Explore", "subagent: Explore Found it."]


def patch_tool(host: Host, patch: str, change: Callable[[], object]) -> None:
    """Change files as the host's tool for patches does, between its two hooks."""
    told: dict[str, Any] = {"session_id": CHAT, "cwd": str(host.folder), "tool_name": "apply_patch"}
    told |= {"tool_input": {"command": patch}, "tool_use_id": f"call_{next(CALLS)}"}
    host.tell(told | {"hook_event_name": "PreToolUse"})
    change()
    host.tell(told | {"hook_event_name": "PostToolUse", "tool_response": "Done"})


LARGE = "*** Begin Patch\n*** Update File: large.txt\n@@\n-x\n+y\n*** End Patch\n"


def test_a_file_that_was_too_large_to_be_kept_is_not_undone_into_a_deletion(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "FILE_BYTES_MAX", 100)
    path = host.folder / "large.txt"
    path.write_text("x\n" * 1_000)

    patch_tool(host, LARGE, lambda: path.write_text("y\n"))

    assert changed(host) == [("file_edit", "large.txt")]
    hansard_in(host, "undo", "--session", CHAT, "--yes")
    assert path.read_text() == "y\n"


@pytest.mark.parametrize("by", ["patch", "shell"])
def test_a_change_of_a_file_that_is_too_large_is_noted(
    host: Host, by: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "FILE_BYTES_MAX", 100)
    path = host.folder / "large.txt"
    path.write_text("x\n")

    if by == "patch":
        patch_tool(host, LARGE, lambda: path.write_text("y\n" * 1_000))
    else:
        shell(host, "yes | head -c 2000 > large.txt")

    told = host.see("timeline", CHAT)[-1]["summary"]
    assert told == "not_recorded: large.txt was changed; 2,000 bytes are too many to be recorded"
    assert changed(host) == []
