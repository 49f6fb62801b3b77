"""Transcripts of hosts become sessions, told as reported: what was said, and what files held."""

import json
from pathlib import Path

import pytest

from hansard.app.application import Application
from hansard.foreign.formats import FORMATS, detected
from hansard.kernel.operation import Caller
from hansard.recorder.answers import TimelineAnswer, TimelineItem
from tests.foreign.taking_over import FOLDER, SAMPLES, sample, seq, take

SESSIONS = {
    "claude-code": "3d10630e-0003-4746-8943-4de0e991a116",
    "codex": "01a1e1af-754f-7b82-814b-d2ee21771b31",
    "gemini-cli": "866cc3e6-f78d-4103-9653-bafccd992017",
    "qwen-code": "78c44512-8ea5-4ba8-938d-33b0461ee96e",
    "copilot-cli": "b7a529b9-9803-4ad8-9620-e68e4aba9a75",
    "opencode": "ses_e138caf1effeOPr7htGwY9jaoV",
}
EDITS = {
    "claude-code": [
        ("file_edit", "a.txt"),
        ("file_create", "new.txt"),
        ("file_edit", "a.txt"),
        ("file_create", "by_shell.txt"),
        ("file_delete", "new.txt"),
    ],
    # Of an update it tells only the lines that changed, which is a note.
    "codex": [("file_create", "new.txt")],
    "gemini-cli": [("file_edit", "a.txt"), ("file_create", "new.txt")],
    "qwen-code": [("file_edit", "a.txt"), ("file_create", "new.txt")],
    "copilot-cli": [("file_edit", "a.txt"), ("file_create", "new.txt")],
    "opencode": [("file_edit", "a.txt"), ("file_create", "new.txt")],
}


def timeline(app: Application, session: str, agent: Caller) -> list[TimelineItem]:
    found = app.call("get_timeline", {"session_id": session, "limit": 100}, agent)
    assert isinstance(found, TimelineAnswer)
    return list(reversed(found.timeline))


@pytest.mark.parametrize("host", SESSIONS)
def test_a_hosts_transcript_is_a_session_with_its_prompt_edits_and_commands(
    app: Application, agent: Caller, tmp_path: Path, host: str
) -> None:
    report = take(app, sample(host, tmp_path))

    items = timeline(app, SESSIONS[host], agent)
    changes = [(one.kind, one.path) for one in items if one.path]
    assert changes == EDITS[host]
    assert all(one.reported for one in items if one.path)
    [titled] = [one for one in items if one.kind == "session_titled"]
    assert "Edit the files please" in (titled.content or "")
    command = next(one.content for one in items if one.title == "shell")
    assert command is not None
    assert command.startswith("echo shell >>")
    assert {one.actor for one in items} == {f"agent:import:{host}"}
    assert report.new["sessions"] == 1
    assert report.new["edits"] == len(EDITS[host])
    assert not report.skipped


@pytest.mark.parametrize("host", SESSIONS)
def test_what_it_is_can_be_seen_from_the_file_alone(tmp_path: Path, host: str) -> None:
    path = sample(host, tmp_path)

    assert detected(path).name == host
    assert [one.name for one in FORMATS.values() if one.fits(path)] == [host]


@pytest.mark.parametrize(
    "host", ["claude-code", "gemini-cli", "qwen-code", "copilot-cli", "opencode"]
)
def test_an_edit_has_what_the_file_held_before_and_after(
    app: Application, agent: Caller, tmp_path: Path, host: str
) -> None:
    take(app, sample(host, tmp_path))

    asked = {"path": "a.txt", "from": 1, "to": 2}
    shown = app.call("get_evolution", asked, agent).model_dump(mode="json")
    assert "-two" in json.dumps(shown)
    assert "+TWO" in json.dumps(shown)


def test_the_original_times_are_told_and_the_journals_stay_its_own(
    app: Application, agent: Caller
) -> None:
    take(app, SAMPLES / "claude-code.jsonl")

    items = timeline(app, SESSIONS["claude-code"], agent)
    edit = next(one for one in items if one.path == "a.txt")
    assert edit.happened == "2026-11-16T00:00:29.497000Z"
    assert edit.at.startswith("2026-01-01"), "the clock of the tests"
    assert "2026-11-16T00:00:29" in edit.text()
    evolution = app.call("get_evolution", {"path": "a.txt"}, agent).model_dump(mode="json")
    assert evolution["revisions"][0]["happened"].startswith("2026-11-16T00:00:")


@pytest.mark.parametrize("host", SESSIONS)
def test_the_same_source_again_adds_nothing(app: Application, tmp_path: Path, host: str) -> None:
    path = sample(host, tmp_path)
    first = take(app, path)
    before = seq(app)

    again = take(app, path)

    assert seq(app) == before
    assert not again.new.total()
    assert again.known == first.new


@pytest.mark.parametrize("host", SESSIONS)
def test_a_dry_run_counts_the_same_and_writes_nothing(
    app: Application, tmp_path: Path, host: str
) -> None:
    path = sample(host, tmp_path)

    dry = take(app, path, is_dry=True)

    assert seq(app) == 0
    assert dry.new == take(app, path).new


@pytest.mark.parametrize("host", ["claude-code", "codex", "gemini-cli", "qwen-code", "copilot-cli"])
def test_a_source_that_has_grown_adds_only_what_is_new(
    app: Application, agent: Caller, tmp_path: Path, host: str
) -> None:
    whole = sample(host, tmp_path).read_bytes().splitlines(keepends=True)
    path = tmp_path / "growing.jsonl"
    path.write_bytes(b"".join(whole[: len(whole) // 2]))
    first = take(app, path, host)

    path.write_bytes(b"".join(whole))
    second = take(app, path, host)

    assert first.new + second.new == take_alone(app, agent, path, host)
    assert take(app, path, host).new.total() == 0


def take_alone(app: Application, agent: Caller, path: Path, host: str) -> object:
    """Count what there is in all, as one that knows nothing of it would."""
    app.call("create_project", {"id": "other", "name": "other"}, agent)
    from hansard.app.home_projects import NamedHome

    home, app.home = app.home, NamedHome("other")
    try:
        return take(app, path, host, is_dry=True).new
    finally:
        app.home = home


def test_what_was_recorded_as_it_happened_is_not_taken_over_again(
    app: Application, agent: Caller
) -> None:
    session = SESSIONS["claude-code"]
    app.call("record_session_start", {"session_id": session, "title": "Live"}, agent)
    before = seq(app)

    report = take(app, SAMPLES / "claude-code.jsonl")

    assert seq(app) == before
    assert list(report.skipped) == ["it was recorded here as it happened"]


def test_a_session_of_another_folder_is_left_out(app: Application) -> None:
    report = take(app, SAMPLES / "claude-code.jsonl", folder="/home/dev/other")

    assert seq(app) == 0
    [reason] = report.skipped
    assert "another folder" in reason


def test_a_file_outside_the_folder_is_left_out_and_nothing_is_refused_in_the_journal(
    app: Application, agent: Caller, tmp_path: Path
) -> None:
    path = tmp_path / "s.jsonl"
    text = (SAMPLES / "claude-code.jsonl").read_text()
    path.write_text(text.replace(f"{FOLDER}/a.txt", "/etc/passwd").replace("new.txt", "../x"))

    report = take(app, path, "claude-code")

    items = timeline(app, SESSIONS["claude-code"], agent)
    assert [one.path for one in items if one.path] == ["by_shell.txt"]
    assert report.skipped["a file outside the folder was changed"] == 4


def test_a_subagent_is_a_session_of_its_own_that_names_its_parent(
    app: Application, agent: Caller, tmp_path: Path
) -> None:
    session = SESSIONS["claude-code"]
    below = tmp_path / session / "subagents"
    below.mkdir(parents=True)
    (tmp_path / f"{session}.jsonl").write_bytes((SAMPLES / "claude-code.jsonl").read_bytes())
    lines = (
        (SAMPLES / "claude-code.jsonl")
        .read_text()
        .replace('"isSidechain": false', '"isSidechain": true')
    )
    (below / "agent-1.jsonl").write_text(lines)

    report = take(app, tmp_path)

    assert report.new["sessions"] == 2
    items = timeline(app, f"{session}~agent-1", agent)
    assert f"subagent of {session}" in str([one.content for one in items])
    assert next(one for one in items if one.kind == "session_titled").title.startswith("Subagent: ")  # type: ignore[union-attr]


def test_an_imported_session_that_was_ended_goes_on_in_its_next_part(
    app: Application, agent: Caller, tmp_path: Path
) -> None:
    whole = (SAMPLES / "copilot-cli.jsonl").read_bytes().splitlines(keepends=True)
    path = tmp_path / "events.jsonl"
    path.write_bytes(b"".join([*whole[:6], whole[-1]]))
    take(app, path)

    path.write_bytes(b"".join(whole))
    take(app, path)

    parts = {f"{SESSIONS['copilot-cli']}.2", SESSIONS["copilot-cli"]}
    found = app.call("get_timeline", {"all_sessions": True, "limit": 100}, agent)
    assert isinstance(found, TimelineAnswer)
    assert {one.session_id for one in found.timeline} == parts
    assert take(app, path).new.total() == 0


def test_a_secret_in_a_prompt_is_masked_as_in_any_other_write(
    app: Application, agent: Caller, tmp_path: Path
) -> None:
    secret = "ghp_" + "a1B2c3D4e5" * 4
    path = tmp_path / "s.jsonl"
    text = (SAMPLES / "claude-code.jsonl").read_text()
    path.write_text(text.replace("Edit the files please", f"Use {secret} to push"))

    take(app, path, "claude-code")

    told = "".join(one.model_dump_json() for one in timeline(app, SESSIONS["claude-code"], agent))
    assert "Use " in told
    assert secret not in told
