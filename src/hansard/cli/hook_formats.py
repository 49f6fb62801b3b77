"""What hosts tell their hooks, and what to put into their settings. Pure: no store, no files."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from hansard.cli.host_edits import replaced_texts
from hansard.recorder.before import Replaced

SESSION_CHARS_MAX = 200

HOOK_TIMEOUT_S = 30
"""After which the host goes on without us; far more than a hook needs."""

CLAUDE_EDITING = ("Edit", "Write", "MultiEdit", "NotebookEdit")
"""The tools of Claude Code that change files."""


@dataclass(frozen=True, slots=True)
class Edited:
    """A host's own tool changed a file."""

    path: str
    is_new: bool = False
    old: str | None = None
    """What it held before, where the host says so."""
    edits: tuple[Replaced, ...] | None = None
    """The texts that were replaced, where the host says so."""
    hunks: object = None
    """The lines that changed, as the host has them."""


@dataclass(frozen=True, slots=True)
class Prompted:
    """The user said something to the agent."""

    text: str


@dataclass(frozen=True, slots=True)
class Ended:
    """The host's session is over."""


@dataclass(frozen=True, slots=True)
class Notice:
    """One thing that a host told, and where."""

    session: str
    workspace: str | None
    what: Edited | Prompted | Ended


@dataclass(frozen=True, slots=True)
class Host:
    """A host with hooks."""

    name: str
    settings_file: str
    read: Callable[[Mapping[str, Any], Mapping[str, str]], Notice | None]
    """Makes sense of what a hook is given on stdin, with its environment; `None` if of no use."""
    config: Callable[[str], dict[str, Any]]
    """Makes what goes into the settings from the command to run."""
    denied: Callable[[str], dict[str, Any]] | None = None
    """Makes the rule that keeps the host's tools from a file, where it has such rules."""
    answer: Literal["", "{}"] = ""
    """What the host wants to read on stdout."""


def read_claude_code(told: Mapping[str, Any], environment: Mapping[str, str]) -> Notice | None:
    """Understand a hook of Claude Code."""
    session, what = _text(told, "session_id"), _claude_event(told)
    if session is None or what is None:
        return None
    workspace = environment.get("CLAUDE_PROJECT_DIR") or _text(told, "cwd")
    return Notice(session[:SESSION_CHARS_MAX], workspace, what)


def claude_code_config(command: str) -> dict[str, Any]:
    """Give the hooks of Claude Code's settings."""
    run = {"type": "command", "command": command, "timeout": HOOK_TIMEOUT_S}
    return {
        "hooks": {
            "PostToolUse": [{"matcher": "|".join(CLAUDE_EDITING), "hooks": [run]}],
            "UserPromptSubmit": [{"hooks": [run]}],
            "SessionEnd": [{"hooks": [run]}],
        }
    }


def claude_code_denied(path: str) -> dict[str, Any]:
    """Give the rules of Claude Code that keep its tools from a file; // begins at the root."""
    return {"permissions": {"deny": [f"{tool}(/{path})" for tool in ("Read", "Edit")]}}


def read_cursor(told: Mapping[str, Any], _: Mapping[str, str]) -> Notice | None:
    """Understand a hook of Cursor: afterFileEdit is all that is of use."""
    session, path = _text(told, "conversation_id"), _text(told, "file_path")
    if told.get("hook_event_name") != "afterFileEdit" or session is None or path is None:
        return None
    roots = told.get("workspace_roots")
    root = roots[0] if isinstance(roots, list) and roots and isinstance(roots[0], str) else None
    edited = Edited(path, edits=replaced_texts(told.get("edits")))
    return Notice(session[:SESSION_CHARS_MAX], root, edited)


def cursor_config(command: str) -> dict[str, Any]:
    """Give Cursor's hooks file."""
    return {"version": 1, "hooks": {"afterFileEdit": [{"command": command}]}}


HOSTS = {
    host.name: host
    for host in (
        Host(
            "claude-code",
            ".claude/settings.json",
            read_claude_code,
            claude_code_config,
            claude_code_denied,
        ),
        Host("cursor", ".cursor/hooks.json", read_cursor, cursor_config, answer="{}"),
    )
}


def _claude_event(told: Mapping[str, Any]) -> Edited | Prompted | Ended | None:
    match told.get("hook_event_name"):
        case "PostToolUse" if told.get("tool_name") in CLAUDE_EDITING:
            return _claude_edit(_object(told, "tool_input"), _object(told, "tool_response"))
        case "UserPromptSubmit" if prompt := _text(told, "prompt"):
            return Prompted(prompt)
        case "SessionEnd":
            return Ended()
    return None


def _claude_edit(asked: Mapping[str, Any], answered: Mapping[str, Any]) -> Edited | None:
    path = _text(asked, "file_path") or _text(asked, "notebook_path")
    if path is None:
        return None
    is_new = answered.get("type") == "create"
    old = answered.get("originalFile", answered.get("original_file"))
    return Edited(
        path,
        is_new,
        old if isinstance(old, str) and not is_new else None,
        edits=replaced_texts(asked.get("edits") or dict(asked)),
        hunks=answered.get("structuredPatch"),
    )


def _text(told: Mapping[str, Any], name: str) -> str | None:
    value = told.get(name)
    return value if isinstance(value, str) and value.strip() else None


def _object(told: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = told.get(name)
    return value if isinstance(value, dict) else {}
