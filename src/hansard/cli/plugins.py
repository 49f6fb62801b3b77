"""What ships beside the package: plugin folders, a bundle, a registry entry.

All are made from the same few facts by `make generate`: who we are, which program a host is to run,
its hooks, and the skill. Pure, but for the project's own description.
"""

import json
import tomllib
from base64 import b64encode
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import hansard
from hansard.app import reference
from hansard.cli.setup.guides import PASSAGE, SKILL
from hansard.cli.setup.hook_formats import HOSTS

Json = dict[str, Any]

NAME = "hansard"
FOLDERS = (".agents/plugins", ".claude-plugin", ".github/plugin", "plugins")
"""Where all of it lies; nothing else lies there."""

PROGRAM = ("uvx", f"{NAME}@{hansard.__version__}")
"""What a host runs: the version that the plugin was made for, with nothing installed before."""

COMPILED = {"UV_COMPILE_BYTECODE": "1"}
"""Otherwise each start would compile all its imports, which some hosts do not wait for."""

REGISTERED = "io.github.hansard/hansard"
"""The name in the registry; the README says the same, which is how the registry knows us."""

REGISTRY_SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"

_PARENTS_FOLDER = "readlink /proc/$PPID/cwd || lsof -a -d cwd -p $PPID -Fn | sed -n s/^n//p"
"""Copilot CLI starts a plugin's server in the plugin's folder, and names no other. But it runs
where its user is itself, and a server that took the plugin's folder for the project would record
there."""

CATALOGUES = {
    ".claude-plugin/marketplace.json": ("claude-code", "droid", "qwen-code"),
    ".agents/plugins/marketplace.json": ("codex",),
    ".github/plugin/marketplace.json": ("copilot-cli",),
}
"""The lists of plugins that hosts look for in a repository; the first of each has our name."""


@dataclass(frozen=True, slots=True)
class About:
    """The package's description of itself."""

    description: str
    licence: str
    author: str
    keywords: list[str]
    python: str

    @property
    def shown(self) -> Json:
        """The same, as plugins say it."""
        return {
            "version": hansard.__version__,
            "description": self.description,
            "author": {"name": self.author},
            "license": self.licence,
            "keywords": self.keywords,
        }


def files() -> dict[str, str]:
    """Make all of it, by path."""
    about = _about(Path(hansard.__file__).parents[2] / "pyproject.toml")
    made = {path: _json(_catalogue(hosts, about)) for path, hosts in CATALOGUES.items()}
    for hosts in CATALOGUES.values():
        for place, host in enumerate(hosts):
            made |= _below(f"plugins/{host}", _plugin(host, _called(host, place), about))
    return {
        **made,
        **_below("plugins/gemini-cli", _extension(about)),
        **_below("plugins/mcpb", _bundle(about)),
        "plugins/registry/server.json": _json(_server(about)),
        "docs/reference/install.md": _install_page(),
    }


def _about(pyproject: Path) -> About:
    project = tomllib.loads(pyproject.read_text(encoding="utf-8"))["project"]
    return About(
        project["description"],
        project["license"],
        project["authors"][0]["name"],
        project["keywords"],
        project["requires-python"],
    )


def _called(host: str, place: int) -> str:
    """Name a host's plugin; several in one list need names of their own."""
    return NAME if place == 0 else f"{NAME}-{host}"


def _catalogue(hosts: tuple[str, ...], about: About) -> Json:
    plugins = [
        {
            "name": _called(host, place),
            "source": f"./plugins/{host}",
            **about.shown,
            "category": "memory",
        }
        for place, host in enumerate(hosts)
    ]
    return {
        "name": NAME,
        "owner": {"name": about.author},
        "metadata": {"description": about.description, "version": hansard.__version__},
        "plugins": plugins,
    }


def _plugin(host: str, name: str, about: About) -> dict[str, str]:
    """Make a plugin in the form of Claude Code, which most hosts read."""
    return {
        ".claude-plugin/plugin.json": _json({"name": name, **about.shown}),
        ".mcp.json": _json({"mcpServers": {NAME: _entry(host)}}),
        "hooks/hooks.json": _json({"hooks": _hooks(host)}),
        f"skills/{NAME}/SKILL.md": SKILL,
        "README.md": _readme(about),
    }


def _readme(about: About) -> str:
    return f"""\
# Hansard

{about.description}

The plugin brings the MCP server `{NAME}`, hooks that record what the host's own tools change, and a
skill. It runs `{" ".join(PROGRAM)}`, for which [uv](https://docs.astral.sh/uv/) is needed. What is
recorded stays in a folder of yours; nothing is sent anywhere.
"""


def _extension(about: About) -> dict[str, str]:
    """Make an extension of Gemini CLI."""
    manifest = {
        "name": NAME,
        "version": hansard.__version__,
        "description": about.description,
        "contextFileName": "GEMINI.md",
        "mcpServers": {NAME: _entry()},
    }
    made = {"gemini-extension.json": _json(manifest), "GEMINI.md": PASSAGE + "\n"}
    hooks = _hooks("gemini-cli")
    return made | ({"hooks/hooks.json": _json({"hooks": hooks})} if hooks else {})


def _hooks(host: str) -> Json:
    """Give a host's hooks, where they are known; most take those of Claude Code."""
    known = HOSTS.get(host) or (None if host == "gemini-cli" else HOSTS["claude-code"])
    command = " ".join([*PROGRAM, "hook", known.name if known else host])
    hooks: Json = known.config(command)["hooks"] if known else {}
    return hooks


def _bundle(about: About) -> dict[str, str]:
    """Make what Claude Desktop installs with a click: uv gets the rest."""
    project = f"""\
[project]
name = "{NAME}-bundle"
version = "{hansard.__version__}"
requires-python = "{about.python}"
dependencies = ["{NAME}=={hansard.__version__}"]
"""
    start = '"""Starts the server."""\n\nfrom hansard.cli.main import main\n\nmain()\n'
    return {"manifest.json": _json(_manifest(about)), "pyproject.toml": project, "server.py": start}


def _manifest(about: About) -> Json:
    args = ["run", "--directory", "${__dirname}", "server.py"]
    settings = {"project": "--project", "workspace": "--workspace"}
    for name, flag in settings.items():
        args += [flag, f"${{user_config.{name}}}"]
    return {
        "manifest_version": "0.4",
        "name": NAME,
        "display_name": NAME.capitalize(),
        **about.shown,
        "server": {
            "type": "uv",
            "entry_point": "server.py",
            "mcp_config": {"command": "uv", "args": args, "env": COMPILED},
        },
        "tools_generated": True,
        "prompts_generated": True,
        "compatibility": {
            "platforms": ["darwin", "linux"],
            "runtimes": {"python": about.python},
        },
        "user_config": {
            "project": {
                "type": "string",
                "title": "Project",
                "description": "Which project these chats belong to.",
                "default": "default",
            },
            "workspace": {
                "type": "directory",
                "title": "Workspace",
                "description": "The folder whose files may be changed through Hansard.",
                "default": "${HOME}/hansard",
            },
        },
    }


def _server(about: About) -> Json:
    """Make the entry of the registry of MCP servers."""
    return {
        "$schema": REGISTRY_SCHEMA,
        "name": REGISTERED,
        "title": NAME.capitalize(),
        "description": about.description,
        "version": hansard.__version__,
        "packages": [
            {
                "registryType": "pypi",
                "identifier": NAME,
                "version": hansard.__version__,
                "runtimeHint": "uvx",
                "transport": {"type": "stdio"},
                "environmentVariables": [
                    {
                        "name": "HANSARD_STORE",
                        "description": "A folder, or a postgresql:// URL. By default a folder in "
                        "the user's data folder.",
                    },
                    {
                        "name": "HANSARD_PROJECT",
                        "description": "The project of calls that name none.",
                    },
                ],
            }
        ],
    }


def _install_page() -> str:
    """Make the page of what installs us by a click or a line."""
    entry = _entry()
    vscode = {"name": NAME, "type": "stdio", **entry}
    links = {
        "VS Code": "vscode:mcp/install?" + quote(json.dumps(vscode)),
        "Cursor": "cursor://anysphere.cursor-deeplink/mcp/install?"
        + urlencode({"name": NAME, "config": b64encode(json.dumps(entry).encode()).decode()}),
        "Goose": "goose://extension?"
        + urlencode({"cmd": PROGRAM[0], "arg": PROGRAM[1], "id": NAME, "name": "Hansard"}),
    }
    lines = {
        "Claude Code": f"/plugin marketplace add FOLDER, then /plugin install {NAME}@{NAME}",
        "Codex": f"codex plugin marketplace add FOLDER, then codex plugin add {NAME}@{NAME}",
        "Copilot CLI": f"copilot plugin marketplace add FOLDER, then copilot plugin install "
        f"{NAME}@{NAME}",
        "Gemini CLI": "gemini extensions install FOLDER/plugins/gemini-cli",
        "Claude Desktop": f"a double click on dist/{NAME}.mcpb, which make build packs",
    }
    return reference.page(
        "Installing by a click or a line",
        "These need [uv](https://docs.astral.sh/uv/) and no checkout: the host runs "
        f"`{' '.join(PROGRAM)}`. `hansard init` is the other way, and knows more hosts: "
        "[Connecting hosts](../hosts.md).",
        "FOLDER is a clone of this repository, or its address where the host takes one.",
        reference.table(("host", "say"), [(host, f"`{line}`") for host, line in lines.items()]),
        reference.table(("host", "open"), [(host, f"`{link}`") for host, link in links.items()]),
    )


def _entry(host: str = "") -> Json:
    """Give the server as hosts have it in their files."""
    command, *args = PROGRAM
    if host == "copilot-cli":
        command, args = "sh", ["-c", f'cd "$({_PARENTS_FOLDER})" && exec {" ".join(PROGRAM)}']
    return {"command": command, "args": args, "env": COMPILED}


def _below(folder: str, made: dict[str, str]) -> dict[str, str]:
    return {f"{folder}/{name}": text for name, text in made.items()}


def _json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
