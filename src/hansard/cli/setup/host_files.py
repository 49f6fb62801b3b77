"""Where each host keeps its MCP servers, and the form of an entry. Data, and pure."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

Scope = Literal["project", "user"]
Shape = Callable[[str, list[str]], dict[str, Any]]
"""Makes an entry of a program and its arguments."""


@dataclass(frozen=True, slots=True)
class Around:
    """Where this user's files are."""

    folder: Path
    """The project's."""
    home: Path
    environment: Mapping[str, str]
    platform: str
    """As `sys.platform` says."""

    @property
    def config(self) -> Path:
        """The folder of command line programs' settings."""
        return Path(self.environment.get("XDG_CONFIG_HOME") or self.home / ".config")

    @property
    def applications(self) -> Path:
        """The folder of desktop applications' settings."""
        if self.platform == "darwin":
            return self.home / "Library" / "Application Support"
        if self.platform == "win32":
            return Path(self.environment.get("APPDATA") or self.home / "AppData" / "Roaming")
        return self.config

    def own(self, variable: str, *default: str) -> Path:
        """Give the folder that a variable names; else one in the home folder."""
        return Path(self.environment.get(variable) or self.home.joinpath(*default))

    def shown(self, path: Path) -> str:
        """Write a path as people do."""
        for base, name in ((self.folder, ""), (self.home, "~/")):
            if path.is_relative_to(base):
                return name + path.relative_to(base).as_posix()
        return str(path)


def _plain(command: str, args: list[str]) -> dict[str, Any]:
    return {"command": command, "args": args} if args else {"command": command}


@dataclass(frozen=True, slots=True)
class HostFiles:
    """A host, its files, and what an entry of them looks like."""

    name: str
    title: str
    keys: tuple[str, ...]
    """The way to its servers."""
    user: Callable[[Around], list[Path]]
    """Its user's file: the first that is there, else the first."""
    project: tuple[str, ...] = ()
    """Its file in a project, likewise; none if it has only the user's."""
    shape: Shape = _plain
    user_shape: Shape | None = None
    """How the user's file has it, if otherwise."""
    programs: tuple[str, ...] = ()
    signs: Callable[[Around], list[Path]] = lambda _: []
    """What lies there if it was ever used."""
    clients: tuple[str, ...] = ()
    """How it calls itself when it connects: the beginning of its name, in small letters."""
    note: str = ""
    """What else its user must do."""
    guide: str = "AGENTS.md"
    """What it gives its agents to read in a project; empty if it has no projects."""

    def files(self, scope: Scope, around: Around) -> list[Path]:
        """List the files of a scope that are there, else the first; some have none in projects."""
        found = self.user(around)
        if scope == "project":
            found = [around.folder / name for name in self.project]
        return [path for path in found if path.exists()] or found[:1]

    def entry(self, scope: Scope, command: str, args: list[str]) -> dict[str, Any]:
        """Make the entry of a scope's file."""
        shape = self.user_shape if scope == "user" and self.user_shape else self.shape
        return shape(command, args)


def _typed(command: str, args: list[str]) -> dict[str, Any]:
    return {"type": "stdio", **_plain(command, args)}


def _copilot(command: str, args: list[str]) -> dict[str, Any]:
    return {"type": "local", "command": command, "args": args, "tools": ["*"]}


def _zed(command: str, args: list[str]) -> dict[str, Any]:
    return {"source": "custom", "command": command, "args": args, "env": {}}


def _opencode(command: str, args: list[str]) -> dict[str, Any]:
    return {"type": "local", "command": [command, *args], "enabled": True}


def claude_folder(around: Around) -> Path:
    """Give the folder of Claude Code's own files."""
    return around.own("CLAUDE_CONFIG_DIR", ".claude")


def _claude_user(around: Around) -> Path:
    named = around.environment.get("CLAUDE_CONFIG_DIR")
    return (Path(named) if named else around.home) / ".claude.json"


def _cline_cli(around: Around) -> list[Path]:
    named = around.environment.get("CLINE_MCP_SETTINGS_PATH")
    usual = around.home / ".cline" / "data" / "settings" / "cline_mcp_settings.json"
    return [Path(named)] if named else [usual, around.home / ".cline" / "mcp.json"]


def _cline_extension(around: Around) -> Path:
    storage = around.applications / "Code" / "User" / "globalStorage"
    return storage / "saoudrizwan.claude-dev" / "settings" / "cline_mcp_settings.json"


_SERVERS = ("mcpServers",)

ALL = {
    host.name: host
    for host in (
        HostFiles(
            "claude-code",
            "Claude Code",
            _SERVERS,
            lambda around: [_claude_user(around)],
            (".mcp.json",),
            shape=_typed,
            programs=("claude",),
            signs=lambda around: [claude_folder(around), _claude_user(around)],
            clients=("claude-code",),
            note="asks once whether it may use the servers of .mcp.json",
            guide="CLAUDE.md",
        ),
        HostFiles(
            "codex",
            "Codex",
            ("mcp_servers",),
            lambda around: [around.own("CODEX_HOME", ".codex") / "config.toml"],
            (".codex/config.toml",),
            programs=("codex",),
            signs=lambda around: [around.own("CODEX_HOME", ".codex")],
            clients=("codex",),
            note="reads a project's files only once the project is trusted, and runs hooks only "
            "once you have trusted them in /hooks",
        ),
        HostFiles(
            "gemini-cli",
            "Gemini CLI",
            _SERVERS,
            lambda around: [around.home / ".gemini" / "settings.json"],
            (".gemini/settings.json",),
            programs=("gemini",),
            signs=lambda around: [around.home / ".gemini"],
            clients=("gemini-cli",),
            guide="GEMINI.md",
        ),
        HostFiles(
            "qwen-code",
            "Qwen Code",
            _SERVERS,
            lambda around: [around.home / ".qwen" / "settings.json"],
            (".qwen/settings.json",),
            programs=("qwen",),
            signs=lambda around: [around.home / ".qwen"],
            clients=("qwen-cli", "qwen-code"),
            guide="QWEN.md",
        ),
        HostFiles(
            "copilot-cli",
            "Copilot CLI",
            _SERVERS,
            lambda around: [around.own("COPILOT_HOME", ".copilot") / "mcp-config.json"],
            (".mcp.json",),
            shape=_typed,
            user_shape=_copilot,
            programs=("copilot",),
            signs=lambda around: [around.own("COPILOT_HOME", ".copilot")],
            clients=("copilot-cli", "github-copilot"),
        ),
        HostFiles(
            "vscode",
            "VS Code",
            ("servers",),
            lambda around: [around.applications / "Code" / "User" / "mcp.json"],
            (".vscode/mcp.json",),
            shape=_typed,
            programs=("code",),
            signs=lambda around: [around.applications / "Code"],
            clients=("visual studio code", "visual-studio-code", "vscode"),
        ),
        HostFiles(
            "cursor",
            "Cursor",
            _SERVERS,
            lambda around: [around.home / ".cursor" / "mcp.json"],
            (".cursor/mcp.json",),
            programs=("cursor", "cursor-agent"),
            signs=lambda around: [around.home / ".cursor"],
            clients=("cursor",),
        ),
        HostFiles(
            "windsurf",
            "Windsurf",
            _SERVERS,
            lambda around: [around.home / ".codeium" / "windsurf" / "mcp_config.json"],
            programs=("windsurf",),
            signs=lambda around: [around.home / ".codeium" / "windsurf"],
            clients=("windsurf",),
        ),
        HostFiles(
            "zed",
            "Zed",
            ("context_servers",),
            lambda around: [_zed_folder(around) / "settings.json"],
            (".zed/settings.json",),
            shape=_zed,
            programs=("zed", "zeditor"),
            signs=lambda around: [_zed_folder(around)],
            clients=("zed",),
        ),
        HostFiles(
            "opencode",
            "OpenCode",
            ("mcp",),
            lambda around: [
                around.config / "opencode" / "opencode.json",
                around.config / "opencode" / "opencode.jsonc",
            ],
            ("opencode.json", "opencode.jsonc", ".opencode/opencode.json"),
            shape=_opencode,
            programs=("opencode",),
            signs=lambda around: [around.config / "opencode"],
            clients=("opencode",),
        ),
        HostFiles(
            "cline",
            "Cline CLI",
            _SERVERS,
            _cline_cli,
            programs=("cline",),
            signs=lambda around: [around.home / ".cline"],
            clients=("@cline", "cline"),
        ),
        HostFiles(
            "cline-vscode",
            "Cline in VS Code",
            _SERVERS,
            lambda around: [_cline_extension(around)],
            signs=lambda around: [_cline_extension(around).parents[1]],
            clients=("@cline", "cline"),
        ),
        HostFiles(
            "droid",
            "Droid",
            _SERVERS,
            lambda around: [around.home / ".factory" / "mcp.json"],
            (".factory/mcp.json",),
            shape=_typed,
            programs=("droid",),
            signs=lambda around: [around.home / ".factory"],
            clients=("factory-cli", "droid"),
        ),
        HostFiles(
            "claude-desktop",
            "Claude Desktop",
            _SERVERS,
            lambda around: [around.applications / "Claude" / "claude_desktop_config.json"],
            signs=lambda around: [around.applications / "Claude"],
            clients=("claude-ai", "claude desktop"),
            note="starts servers outside any project: name one with --project",
            guide="",
        ),
    )
}
"""The hosts that are known, by name."""


def _zed_folder(around: Around) -> Path:
    if around.platform == "win32":
        return around.applications / "Zed"
    return around.config / "zed"


def is_there(host: HostFiles, around: Around, finds: Callable[[str], str | None]) -> bool:
    """Whether a host is on this machine or was used in this project; `finds` looks for programs."""
    # Several hosts read the common file, so it tells of none of them.
    own = [around.folder / name for name in host.project if name != ".mcp.json"]
    used = any(path.exists() for path in [*host.signs(around), *own])
    return used or any(finds(program) for program in host.programs)
