"""The hosts that the tests drive: how each is started without a person, and what its tools are.

What a host asks a person at its first start (whether it may go on, whether the folder is to be
trusted, which account) is answered beforehand. Hansard is put in by `hansard init` alone.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from tests.hosts.script import Call

COLUMNS = ("connects", "calls", "hook edit", "hook shell", "brief", "undo", "session joined")
"""What is asked of every host."""

ROOT = Path(__file__).parents[2]

TOOLS_OF_OURS = ("connects", "calls", "undo")


@dataclass(frozen=True, slots=True)
class Stage:
    """Where a host is tried: a home that nobody used, and a repository."""

    home: Path
    workspace: Path
    model: str
    """The address of the model."""


@dataclass(frozen=True, slots=True)
class Tools:
    """What the model must call, by the names that the host has for it."""

    ours: Callable[[str, dict[str, object]], Call]
    """A tool of Hansard."""
    edit: Callable[[Path, str, str], list[Call]]
    """The host's own, for changing a text in a file."""
    shell: Callable[[str], Call]


@dataclass(frozen=True, slots=True)
class Host:
    """A host, as it is tried."""

    name: str
    """As `hansard init` calls it."""
    package: str
    program: str
    """Below its `node_modules`."""
    arguments: Callable[[str], list[str]]
    """For one prompt, to its end."""
    variables: Callable[[Stage], Mapping[str, str]]
    tools: Tools
    answers: Callable[[Stage], dict[Path, str]] = lambda _: {}
    """Files with what it would ask a person."""
    sign: str = ""
    """What a prompt holds only if our server is connected; else the name of a tool of ours."""
    promises: tuple[str, ...] = TOOLS_OF_OURS
    """What must be so; the rest is only shown."""
    briefed_after: int = 0
    """How many tools must be used in a chat before it can be told where the project stands."""
    flags: tuple[str, ...] = ()
    """For `hansard init`."""
    plugin: tuple[tuple[str, ...], ...] = ()
    """What to tell it to install our plugin; else `hansard init` connects it."""


def _claude_answers(stage: Stage) -> dict[Path, str]:
    project = {"hasTrustDialogAccepted": True, "enabledMcpjsonServers": ["hansard"]}
    settings = {
        "hasCompletedOnboarding": True,
        "bypassPermissionsModeAccepted": True,
        "projects": {str(stage.workspace): project},
    }
    return {stage.home / ".claude.json": json.dumps(settings)}


_CLAUDE_CODE = Host(
    "claude-code",
    "claude-code",
    "@anthropic-ai/claude-code-linux-x64/claude",
    lambda prompt: ["-p", prompt, "--dangerously-skip-permissions"],
    lambda stage: {
        "ANTHROPIC_BASE_URL": stage.model,
        "ANTHROPIC_API_KEY": "none",
        "DISABLE_AUTOUPDATER": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        # Root may skip permissions only in a sandbox, which this is.
        "IS_SANDBOX": "1",
        # Without a person it would begin before its servers are up.
        "CLAUDE_CODE_MCP_STARTUP_WAIT_MS": "60000",
    },
    Tools(
        ours=lambda tool, args: Call(f"mcp__hansard__{tool}", dict(args)),
        edit=lambda path, old, new: [
            Call("Read", {"file_path": str(path)}),
            Call("Edit", {"file_path": str(path), "old_string": old, "new_string": new}),
        ],
        shell=lambda command: Call("Bash", {"command": command, "description": "a change"}),
    ),
    _claude_answers,
    promises=COLUMNS,
)


def _codex_answers(stage: Stage) -> dict[Path, str]:
    return {
        stage.home / ".codex" / "config.toml": f"""\
# Only models of its catalogue are given the tool that edits.
model = "gpt-5.5"
model_provider = "scripted"

[model_providers.scripted]
name = "scripted"
base_url = "{stage.model}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"

[projects."{stage.workspace}"]
trust_level = "trusted"

[analytics]
enabled = false
"""
    }


_CODEX = Host(
    "codex",
    "codex",
    "@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex",
    lambda prompt: [
        "exec",
        "--dangerously-bypass-approvals-and-sandbox",
        # Its user would be asked to look at the hooks once, in /hooks.
        "--dangerously-bypass-hook-trust",
        prompt,
    ],
    lambda _: {"SCRIPTED_KEY": "none"},
    Tools(
        ours=lambda tool, args: Call(tool, dict(args), namespace="mcp__hansard"),
        edit=lambda path, old, new: [Call("apply_patch", _patch(path, old, new))],
        shell=lambda command: Call("exec_command", {"cmd": command}),
    ),
    _codex_answers,
    # It tells the model where it may search for tools.
    sign="- hansard: ",
    promises=COLUMNS,
)

_GEMINI_CLI = Host(
    "gemini-cli",
    "gemini",
    "@google/gemini-cli/bundle/gemini.js",
    lambda prompt: ["-p", prompt, "--approval-mode", "yolo"],
    lambda stage: {
        "GEMINI_API_KEY": "none",
        "GOOGLE_GEMINI_BASE_URL": stage.model,
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
        "GEMINI_CLI_NO_RELAUNCH": "1",
        "NO_BROWSER": "1",
    },
    Tools(
        ours=lambda tool, args: Call(f"mcp_hansard_{tool}", dict(args)),
        edit=lambda path, old, new: [
            Call("read_file", {"file_path": str(path)}),
            Call(
                "replace",
                {
                    "file_path": str(path),
                    "old_string": old,
                    "new_string": new,
                    "instruction": "Change it.",
                },
            ),
        ],
        shell=lambda command: Call("run_shell_command", {"command": command}),
    ),
    lambda stage: {
        stage.home / ".gemini" / "settings.json": json.dumps(
            {
                "security": {
                    "auth": {"selectedType": "gemini-api-key"},
                    "folderTrust": {"enabled": False},
                },
                "telemetry": {"enabled": False},
                "privacy": {"usageStatisticsEnabled": False},
                "general": {"enableAutoUpdate": False},
            }
        )
    },
    promises=COLUMNS,
)

_QWEN_CODE = Host(
    "qwen-code",
    "qwen",
    "@qwen-code/qwen-code/cli.js",
    lambda prompt: ["-p", prompt, "--approval-mode", "yolo"],
    lambda stage: {
        "OPENAI_API_KEY": "none",
        "OPENAI_BASE_URL": f"{stage.model}/v1",
        "OPENAI_MODEL": "gpt-4o",
        "NO_BROWSER": "1",
    },
    Tools(
        ours=lambda tool, args: Call(f"mcp__hansard__{tool}", dict(args)),
        edit=lambda path, old, new: [
            Call("read_file", {"file_path": str(path)}),
            Call("edit", {"file_path": str(path), "old_string": old, "new_string": new}),
        ],
        shell=lambda command: Call(
            "run_shell_command",
            {"command": command, "description": "a change", "is_background": False},
        ),
    ),
    lambda stage: {
        stage.home / ".qwen" / "settings.json": json.dumps(
            {
                "security": {
                    "auth": {"selectedType": "openai"},
                    "folderTrust": {"enabled": False},
                },
                "telemetry": {"enabled": False},
                "privacy": {"usageStatisticsEnabled": False},
                "general": {"enableAutoUpdate": False},
            }
        )
    },
    promises=COLUMNS,
)

_COPILOT_CLI = Host(
    "copilot-cli",
    "copilot",
    "@github/copilot-linux-x64/copilot",
    lambda prompt: [
        "-p",
        prompt,
        "--allow-all-tools",
        "--allow-all-paths",
        "--disable-builtin-mcps",
    ],
    lambda stage: {
        "COPILOT_OFFLINE": "true",
        "COPILOT_PROVIDER_TYPE": "anthropic",
        "COPILOT_PROVIDER_BASE_URL": stage.model,
        "COPILOT_PROVIDER_API_KEY": "none",
        "COPILOT_MODEL": "claude-sonnet-4.5",
        "COPILOT_ALLOW_ALL": "true",
        "COPILOT_AUTO_UPDATE": "false",
    },
    Tools(
        ours=lambda tool, args: Call(f"hansard-{tool}", dict(args)),
        edit=lambda path, old, new: [
            Call("view", {"path": str(path)}),
            Call("edit", {"path": str(path), "old_str": old, "new_str": new}),
        ],
        shell=lambda command: Call("bash", {"command": command, "description": "a change"}),
    ),
    promises=COLUMNS,
)


def _opencode_answers(stage: Stage) -> dict[Path, str]:
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "Scripted",
        "options": {"baseURL": f"{stage.model}/v1", "apiKey": "none"},
        "models": {"m1": {"name": "m1", "tool_call": True}},
    }
    settings = {
        "model": "scripted/m1",
        "small_model": "scripted/m1",
        "autoupdate": False,
        "share": "disabled",
        "permission": {"*": "allow"},
        "provider": {"scripted": provider},
    }
    return {
        stage.home / ".config" / "opencode" / "opencode.json": json.dumps(settings),
        # It looks for a package for plugins, which this one does not need, and tries for a minute.
        stage.home / ".npmrc": "fetch-retries=0\n",
    }


_OPENCODE = Host(
    "opencode",
    "opencode",
    "opencode-linux-x64/bin/opencode",
    lambda prompt: ["run", prompt],
    lambda _: {
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
        "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
    },
    Tools(
        ours=lambda tool, args: Call(f"hansard_{tool}", dict(args)),
        edit=lambda path, old, new: [
            Call("read", {"filePath": str(path)}),
            Call("edit", {"filePath": str(path), "oldString": old, "newString": new}),
        ],
        shell=lambda command: Call("bash", {"command": command, "description": "a change"}),
    ),
    _opencode_answers,
    promises=COLUMNS,
)


def _patch(path: Path, old: str, new: str) -> str:
    """Put a change as several hosts take it."""
    lines = ["*** Begin Patch", f"*** Update File: {path.name}", "@@", f"-{old}", f"+{new}"]
    return "\n".join([*lines, "*** End Patch", ""])


_DROID = Host(
    "droid",
    "droid",
    "@factory/cli-linux-x64/bin/droid",
    lambda prompt: ["exec", "-m", "custom:Scripted-0", "--skip-permissions-unsafe", prompt],
    lambda _: {"FACTORY_API_KEY": "none"},
    Tools(
        ours=lambda tool, args: Call(f"hansard___{tool}", dict(args)),
        edit=lambda path, old, new: [
            Call("Read", {"file_path": str(path)}),
            Call("ApplyPatch", {"input": _patch(path, old, new)}),
        ],
        shell=lambda command: Call(
            "Execute", {"command": command, "summary": "a change", "timeout": 60}
        ),
    ),
    lambda stage: {
        stage.home / ".factory" / "settings.json": json.dumps(
            {
                "customModels": [
                    {
                        "model": "gpt-4o",
                        "displayName": "Scripted",
                        "baseUrl": f"{stage.model}/v1",
                        "apiKey": "none",
                        "provider": "generic-chat-completion-api",
                        "maxOutputTokens": 4096,
                    }
                ]
            }
        )
    },
    promises=COLUMNS,
)


def _cline_answers(stage: Stage) -> dict[Path, str]:
    name = "openai-compatible"
    settings = {
        "provider": name,
        "apiKey": "none",
        "model": "gpt-4o",
        "baseUrl": f"{stage.model}/v1",
    }
    known = {
        name: {"settings": settings, "tokenSource": "manual", "updatedAt": "2026-01-01T00:00:00Z"}
    }
    told = {"version": 1, "lastUsedProvider": name, "modes": {}, "providers": known}
    return {stage.home / ".cline" / "data" / "settings" / "providers.json": json.dumps(told)}


_CLINE = Host(
    "cline",
    "cline",
    "@cline/cli-linux-x64/bin/cline",
    lambda prompt: ["--json", prompt],
    lambda _: {"CLINE_TELEMETRY_DISABLED": "1", "DO_NOT_TRACK": "1"},
    Tools(
        ours=lambda tool, args: Call(f"hansard__{tool}", dict(args)),
        edit=lambda path, old, new: [Call("apply_patch", {"input": _patch(path, old, new)})],
        shell=lambda command: Call("run_commands", {"commands": [command]}),
    ),
    _cline_answers,
    promises=COLUMNS,
    # It takes what a hook says only before a tool is used.
    briefed_after=1,
    # It has no file for servers in projects.
    flags=("--user",),
)

ALL = (
    _CLAUDE_CODE,
    _CODEX,
    _GEMINI_CLI,
    _QWEN_CODE,
    _COPILOT_CLI,
    _OPENCODE,
    _DROID,
    _CLINE,
)


def _by_plugin(host: Host, *commands: str, prefix: str = "") -> Host:
    """Give the same host, connected by our plugin; tools may have another prefix then."""
    tools = host.tools
    if prefix:
        tools = replace(tools, ours=lambda tool, args: Call(prefix + tool, dict(args)))
    words = tuple(tuple(command.split()) for command in commands)
    name = f"{host.name} (plugin)"
    return replace(host, name=name, plugin=words, tools=tools, promises=COLUMNS)


BY_PLUGIN = (
    _by_plugin(
        _CLAUDE_CODE,
        f"plugin marketplace add {ROOT}",
        "plugin install hansard@hansard",
        prefix="mcp__plugin_hansard_hansard__",
    ),
    _by_plugin(_CODEX, f"plugin marketplace add {ROOT}", "plugin add hansard@hansard"),
    _by_plugin(
        _GEMINI_CLI, f"extensions install {ROOT}/plugins/gemini-cli --consent --skip-settings"
    ),
    _by_plugin(_QWEN_CODE, f"extensions install {ROOT}/plugins/qwen-code --consent"),
    _by_plugin(_COPILOT_CLI, f"plugin marketplace add {ROOT}", "plugin install hansard@hansard"),
    # It calls a marketplace by the folder that it lies in.
    _by_plugin(
        _DROID,
        f"plugin marketplace add {ROOT}",
        f"plugin install hansard-droid@{ROOT.name}",
    ),
)
