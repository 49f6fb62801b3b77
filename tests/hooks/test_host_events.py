"""The one reader of what hosts tell: every spelling of a field, and whatever else is sent."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hansard.app.settings import Settings, declarations, store_location
from hansard.cli.setup.hook_formats import HOSTS as CONFIGURED
from hansard.hooks import answers, event_details, host_events, locations
from hansard.hooks.host_events import read
from tests.hooks.hosting import SAMPLES, events_of

KEYS = [
    *("session_id", "sessionId", "hook_event_name", "hookName", "k", "i", "o", "tool_name"),
    *("tool_input", "tool_response", "toolArgs", "toolResult", "prompt", "parts", "cwd"),
    *("workspace_roots", "tool_call", "tool_info", "tool_use_id", "timestamp", "message"),
]
NAMES = [
    *("PostToolUse", "PreToolUse", "Edit", "Bash", "UserPromptSubmit", "afterFileEdit", "edit"),
    *("PostCompact", "SessionEnd", "*** Begin Patch\n*** Update File: a", "/a/b", "\0", "\ud800"),
]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(NAMES),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*KEYS, "file_path", "command", "edits", "files"]), inner)
    ),
    max_leaves=12,
)


@given(
    st.dictionaries(st.sampled_from(KEYS), VALUES),
    st.sampled_from(["", *NAMES]),
    st.sampled_from(["", *host_events.HOSTS]),
)
def test_whatever_is_told_is_read_or_passed_over(
    told: dict[str, Any], event: str, host: str
) -> None:
    found = read(told, {}, host=host, event=event)

    if found is not None:
        assert found.session == found.session.encode().decode()
        assert 0 < len(found.session) <= host_events.SESSION_CHARS_MAX
        assert found.event in {"start", "end", "prompt", "before", "after"} | {
            *("compacting", "compacted", "subagent")
        }
        assert "x" in answers.formed("x", found.host) or found.host == "windsurf"


@given(st.dictionaries(st.sampled_from(KEYS), VALUES), st.sampled_from(NAMES))
def test_whatever_is_read_can_be_gathered_and_written_down(
    tmp_path_factory: pytest.TempPathFactory, told: dict[str, Any], event: str
) -> None:
    folder = tmp_path_factory.getbasetemp() / "gathered"
    (folder / "root").mkdir(parents=True, exist_ok=True)
    found = read(told | {"session_id": "s"}, {}, event=event)

    if found is not None and found.tool != "shell":
        gathered = event_details.gather(found, str(folder), str(folder / "root"))
        assert gathered is None or json.loads(json.dumps(gathered))


@pytest.mark.parametrize("key", ["session_id", "sessionId", "conversation_id", "trajectory_id"])
def test_a_session_is_found_by_whichever_name_it_has(key: str) -> None:
    found = read({key: "abc", "hook_event_name": "SessionEnd"}, {})

    assert found is not None
    assert (found.session, found.event) == ("abc", "end")


def test_who_tells_is_seen_from_what_is_told_not_from_whose_settings_ran_it() -> None:
    told = {"session_id": "abc", "hook_event_name": "SessionEnd"}

    def host(**environment: str) -> str:
        found = read(told, environment, host="claude-code")
        assert found
        return found.host

    assert host() == "claude-code"
    assert host(COPILOT_PROJECT_DIR="/p", CLAUDE_PROJECT_DIR="/p") == "copilot-cli"
    assert host(FACTORY_PROJECT_DIR="/p", CLAUDE_PROJECT_DIR="/p") == "droid"
    assert host(GEMINI_PROJECT_DIR="/p", QWEN_PROJECT_DIR="/p") == "qwen-code"
    # Started from another host's shell, whose variables it has inherited.
    assert host(CLAUDE_CODE_SESSION_ID="abc", COPILOT_PROJECT_DIR="/p") == "claude-code"


def test_a_time_is_the_same_however_it_is_written() -> None:
    told = {"sessionId": "a", "toolName": "edit", "toolArgs": {"path": "x"}, "toolResult": {}}
    first = read(told | {"timestamp": 1794788669857}, {})
    second = read(told | {"timestamp": "2026-11-16T00:24:29.857Z"}, {}, event="PostToolUse")

    assert first
    assert second
    assert first.call == second.call


@pytest.mark.parametrize("sample", sorted(path.stem for path in SAMPLES.iterdir()))
def test_no_event_of_a_real_host_is_unknown(sample: str) -> None:
    events = list(events_of(sample, Path("/p")))

    assert events
    assert [one.told for one in events if not host_events.meaning_of(one.told, one.name)] == []


def test_prompts_that_a_host_sends_after_each_tool_are_none() -> None:
    told = {"session_id": "a", "hook_event_name": "UserPromptSubmit", "prompt": ""}

    assert read(told, {}) is None


def test_every_host_that_is_configured_can_be_read() -> None:
    assert set(CONFIGURED) == set(host_events.HOSTS)


def test_the_hook_finds_the_store_where_everything_else_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "config.toml"
    config.write_text(f'store = "{tmp_path}/configured"\n')
    monkeypatch.setenv("HANSARD_CONFIG", os.devnull)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))

    assert locations.hooks_folder({}, os.environ) == f"{store_location(Settings())}/hooks"
    assert locations.hooks_folder({"store": "/s"}, os.environ) == "/s/hooks"
    configured = locations.hooks_folder({"config": str(config)}, os.environ)
    assert configured == f"{tmp_path}/configured/hooks"
    assert locations.hooks_folder({"store": "memory:"}, os.environ) is None
    switches = {one.name for one in declarations() if isinstance(one.default, bool)}
    assert switches == set(locations.SWITCHES)
