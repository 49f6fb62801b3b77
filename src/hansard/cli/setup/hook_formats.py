"""The hook settings of each host. Pure: no store, no files.

Some settings files are read by several hosts: `.claude/settings.json` also by Copilot CLI and VS
Code. It has hooks that all of them take, and the tool names of each; a hook that calls a tool of
the server (`mcp_tool`) would make Copilot CLI refuse the whole file, and is for plugin folders.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hansard.hooks.chats import ARGUMENT as CHAT_ARGUMENT

HOOK_TIMEOUT_S = 30
"""After which the host goes on without us; far more than a hook needs."""

HOOK_TOOL = "hook_event"
"""The tool of the server that takes what a hook is told; answered, never listed."""

CLAUDE_EDITING = ("Edit", "Write", "MultiEdit", "NotebookEdit")
"""The tools of Claude Code that change files."""

_CLAUDE_SHELLS = ("Bash", "PowerShell")
_COPILOT_EDITING = ("edit", "create", "apply_patch")
_VSCODE_EDITING = (
    *("create_file", "replace_string_in_file", "multi_replace_string_in_file"),
    *("insert_edit_into_file", "delete_file", "rename_file"),
)
_OTHER_SHELLS = ("bash", "run_in_terminal")

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Host:
    """A host with hooks."""

    name: str
    settings_file: str
    """In a project; in the user's folder likewise, unless `setup/targets.py` knows better."""
    config: Callable[[str], Json]
    """Makes what goes into the settings from the command to run."""
    denied: Callable[[str], Json] | None = None
    """Makes the rule that keeps the host's tools from a file, where it has such rules."""
    file: Callable[[str], str] | None = None
    """Makes a file of our own, for a host whose hooks are no settings."""
    events: tuple[str, ...] = ()
    """What those files are called, for a host that runs one for each event of that folder."""
    note: str = ""
    """What else its user must do."""


def claude_code_config(command: str) -> Json:
    """Give the hooks of Claude Code's settings, which Copilot CLI and VS Code read too."""
    shells = (*_CLAUDE_SHELLS, *_OTHER_SHELLS)
    # Claude Code says itself what a file held before an edit; the others do not.
    before = (*shells, *_COPILOT_EDITING, *_VSCODE_EDITING)
    run = _run(command)
    return {
        "hooks": {
            "SessionStart": [_group(run)],
            "UserPromptSubmit": [_group(run)],
            "PreToolUse": [_group(run, before)],
            "PostToolUse": [_group(run, (*CLAUDE_EDITING, *before))],
            "PostToolUseFailure": [_group(run, shells)],
            "SubagentStart": [_group(run)],
            "SubagentStop": [_group(run)],
            "PreCompact": [_group(run)],
            "SessionEnd": [_group(run)],
        }
    }


def claude_code_denied(path: str) -> Json:
    """Give the rules of Claude Code that keep its tools from a file; // begins at the root."""
    return {"permissions": {"deny": [f"{tool}(/{path})" for tool in ("Read", "Edit")]}}


def codex_config(command: str) -> Json:
    """Give Codex's hooks file."""
    run, tools = _run(command), ("apply_patch", "Bash")
    return {
        "hooks": {
            "SessionStart": [_group(run)],
            "UserPromptSubmit": [_group(run)],
            "PreToolUse": [_group(run, tools)],
            "PostToolUse": [_group(run, tools)],
            "SubagentStart": [_group(run)],
            "SubagentStop": [_group(run)],
            "PreCompact": [_group(run)],
            "SessionEnd": [_group(run)],
        }
    }


def gemini_config(command: str) -> Json:
    """Give the hooks of Gemini CLI's settings; its times are milliseconds."""
    run = _run(command, timeout=1000 * HOOK_TIMEOUT_S) | {"name": "hansard"}
    shell, edits = ("run_shell_command",), ("replace", "write_file")
    return {
        "hooks": {
            "SessionStart": [_group(run)],
            "BeforeAgent": [_group(run)],
            "BeforeTool": [_group(run, shell)],
            "AfterTool": [_group(run, (*edits, *shell))],
            "PreCompress": [_group(run)],
            "SessionEnd": [_group(run)],
        }
    }


def qwen_config(command: str) -> Json:
    """Give the hooks of Qwen Code's settings: Gemini's file with Claude's names."""
    run = _run(command, timeout=1000 * HOOK_TIMEOUT_S) | {"name": "hansard"}
    shell, edits = ("run_shell_command",), ("edit", "write_file")
    return {
        "hooks": {
            "SessionStart": [_group(run)],
            "UserPromptSubmit": [_group(run)],
            "PreToolUse": [_group(run, shell)],
            "PostToolUse": [_group(run, (*edits, *shell))],
            "PostToolUseFailure": [_group(run, shell)],
            "PreCompact": [_group(run)],
            "SessionEnd": [_group(run)],
        }
    }


def droid_config(command: str) -> Json:
    """Give the hooks of Droid's settings."""
    run, tools = _run(command), ("Execute", "Edit", "Create", "Write", "ApplyPatch", "MultiEdit")
    return {
        "hooks": {
            "SessionStart": [_group(run)],
            "UserPromptSubmit": [_group(run)],
            "PreToolUse": [_group(run, tools)],
            "PostToolUse": [_group(run, tools)],
            "SubagentStop": [_group(run)],
            "PreCompact": [_group(run)],
            "SessionEnd": [_group(run)],
        }
    }


def cursor_config(command: str) -> Json:
    """Give Cursor's hooks file."""
    events = (
        *("sessionStart", "beforeSubmitPrompt", "preToolUse", "postToolUse", "afterFileEdit"),
        *("subagentStart", "subagentStop", "preCompact", "sessionEnd"),
    )
    return {"version": 1, "hooks": {event: [{"command": command}] for event in events}}


def windsurf_config(command: str) -> Json:
    """Give Windsurf's hooks file."""
    events = (
        *("pre_user_prompt", "pre_write_code", "post_write_code"),
        *("pre_run_command", "post_run_command"),
    )
    return {"hooks": {event: [{"command": command, "show_output": False}] for event in events}}


def opencode_plugin(command: str) -> str:
    """Give OpenCode's plugin, which runs the hook and takes the brief into the system prompt."""
    made = _OPENCODE.replace("= COMMAND\n", f"= {json.dumps(command)}\n")
    return made.replace("CHAT_ARGUMENT", CHAT_ARGUMENT)


def cline_script(command: str) -> str:
    """Give the script that is put into `.cline/hooks` under the name of each event."""
    return f"#!/bin/sh\n{_CLINE}exec {command}\n"


def plugin_hooks(host: str, command: str) -> Json:
    """Give `hooks/hooks.json` of a plugin folder: hooks that call the running server, if it is up.

    Before it is connected, and after it has ended, a command is run instead.
    """
    if host not in _PLUGINS:
        raise ValueError(f"{host} has no hooks that call a tool")
    server, both, extra, failing = _PLUGINS[host]
    tool = ("tool_name", "tool_input", "tool_use_id")
    shells, edits = both
    calls: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
        "UserPromptSubmit": (("prompt", extra), ()),
        "PreToolUse": (tool, shells if host == "claude-code" else (*shells, *edits)),
        "PostToolUse": ((*tool, "tool_response"), (*shells, *edits)),
    }
    if failing:
        calls["PostToolUseFailure"] = (tool, shells)
    hooks = {
        event: [_group(_calls(server, event, fields), tools)]
        for event, (fields, tools) in calls.items()
    }
    for event in ("SessionStart", "SubagentStop", "PreCompact", "SessionEnd"):
        hooks[event] = [_group(_run(command))]
    return {"hooks": hooks}


def _calls(server: str, event: str, fields: tuple[str, ...]) -> Json:
    values = {name: f"${{{name}}}" for name in ("session_id", "cwd", *fields)}
    asked = {"hook_event_name": event, **values}
    return {"type": "mcp_tool", "server": server, "tool": HOOK_TOOL, "input": asked}


def _run(command: str, *, timeout: int = HOOK_TIMEOUT_S) -> Json:
    return {"type": "command", "command": command, "timeout": timeout}


def _group(run: Json, tools: tuple[str, ...] = ()) -> Json:
    matcher = {"matcher": "|".join(tools)} if tools else {}
    return {**matcher, "hooks": [run]}


_PLUGINS: dict[str, tuple[str, tuple[tuple[str, ...], tuple[str, ...]], str, bool]] = {
    "claude-code": (
        "plugin:hansard:hansard",
        (_CLAUDE_SHELLS, CLAUDE_EDITING),
        "prompt_id",
        True,
    ),
    "codex": ("hansard", (("Bash",), ("apply_patch",)), "turn_id", False),
}
"""Hosts whose hooks can call a tool: how their plugin's server is called, the tools that run shells
and that edit, what tells one prompt from another, and whether they tell of failures."""

FILE_MARK = " Hansard: "
"""What stands in the first lines of a file of ours, whichever version wrote it."""

_CLINE = """\
# Hansard: records what happens in a chat, and tells a new one where the project stands.
# Written by `hansard init`; `hansard init --uninstall cline` takes it away.
"""

_OPENCODE = """\
// Hansard: records what happens in a chat, and tells a new one where the project stands.
// Written by `hansard init`; `hansard init --uninstall opencode` takes it away.
import { spawn } from "node:child_process"

const COMMAND_LINE = COMMAND
const OWN = "hansard_"
const CHANGING = new Set(["edit", "write", "patch", "apply_patch", "multiedit", "bash"])

const tell = (told) =>
  new Promise((done) => {
    try {
      const hook = spawn(COMMAND_LINE, { shell: true, stdio: ["pipe", "pipe", "ignore"] })
      let said = ""
      hook.stdout.on("data", (part) => (said += part))
      hook.stdin.on("error", () => {})
      hook.on("error", () => done(""))
      hook.on("close", () => done(said))
      hook.stdin.end(JSON.stringify(told))
    } catch {
      done("")
    }
  })

export const Hansard = async ({ directory, worktree }) => {
  const base = { directory: worktree && worktree !== "/" ? worktree : directory }
  const briefs = new Map()
  const brief = (sessionID, source) =>
    tell({ k: "session.start", hook_event_name: "SessionStart", sessionID, source, ...base })
  return {
    "chat.message": async (i, o) => {
      const { sessionID, messageID } = i
      if (!briefs.has(sessionID)) briefs.set(sessionID, await brief(sessionID, "startup"))
      const message_id = messageID ?? o?.message?.id
      const o_ = { parts: o.parts }
      await tell({ k: "chat.message", i: { sessionID, message_id }, o: o_, ...base })
    },
    "experimental.chat.system.transform": async (i, o) => {
      const said = briefs.get(i?.sessionID)
      if (said) o.system.push(said)
    },
    "tool.execute.before": async (i, o) => {
      // Its own client tells a server nothing of the chat, so that the call itself has to.
      if (i.tool.startsWith(OWN) && o?.args) o.args.CHAT_ARGUMENT = i.sessionID
      if (!CHANGING.has(i.tool)) return
      await tell({ k: "tool.execute.before", i, o: { args: o.args }, ...base })
    },
    "tool.execute.after": async (i, o) => {
      if (!CHANGING.has(i.tool)) return
      await tell({ k: "tool.execute.after", i, o: { metadata: o?.metadata }, ...base })
    },
    "experimental.session.compacting": async (i, o) => {
      await tell({ k: "experimental.session.compacting", i, ...base })
      briefs.set(i.sessionID, await brief(i.sessionID, "compact"))
    },
  }
}
"""


HOSTS = {
    host.name: host
    for host in (
        Host("claude-code", ".claude/settings.json", claude_code_config, claude_code_denied),
        Host(
            "codex",
            ".codex/hooks.json",
            codex_config,
            note="runs hooks only once you have trusted them: open /hooks in it",
        ),
        Host("gemini-cli", ".gemini/settings.json", gemini_config),
        Host("qwen-code", ".qwen/settings.json", qwen_config),
        Host("copilot-cli", ".claude/settings.json", claude_code_config),
        Host("vscode", ".claude/settings.json", claude_code_config),
        Host("cursor", ".cursor/hooks.json", cursor_config),
        Host("windsurf", ".windsurf/hooks.json", windsurf_config),
        Host("opencode", ".opencode/plugins/hansard.js", lambda _: {}, file=opencode_plugin),
        Host(
            "cline",
            ".cline/hooks",
            lambda _: {},
            file=cline_script,
            events=(
                *("TaskStart", "TaskResume", "UserPromptSubmit", "PreToolUse", "PostToolUse"),
                "SessionShutdown",
            ),
        ),
        Host("droid", ".factory/settings.json", droid_config),
    )
}
"""The hosts that have hooks, by name."""
