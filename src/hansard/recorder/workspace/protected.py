"""Files that an agent may not change though they are in the workspace, and how names match.

The table holds what a version control system or an agent's host reads by itself and that can make
it run a program or drop its guard. What people run on purpose (Makefile, package.json, CI
workflows, .npmrc, .envrc, which direnv asks about after each change) is ordinary work.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache

from hansard.recorder.problems import PathProtected, shown
from hansard.recorder.workspace.paths import is_ignorable
from hansard.recorder.workspace.temporaries import PREFIX

TABLE = {
    # Version control.
    ".git": "hooks, filters and config keys of Git run commands, and history lies here",
    ".hg": "hooks and aliases in hgrc run commands, and history lies here",
    ".jj": "its config names commands to run, and history lies here",
    # What Hansard itself reads.
    ".config/hansard": "the key of recorded secrets and the settings of Hansard lie here",
    # Every host that follows the common file.
    ".mcp.json": "names the programs that hosts start as MCP servers",
    # Editors.
    ".vscode": "tasks, settings, mcp.json and launch files start programs and lift approvals",
    "*.code-workspace": "holds the same settings and tasks as .vscode",
    ".vs": "Visual Studio reads launch, task and MCP settings here",
    ".idea": "run configurations, file watchers and external tools of JetBrains start programs",
    ".run": "shared run configurations of JetBrains start programs",
    ".fleet": "run and settings files of Fleet start programs",
    ".zed": "tasks, language servers and context servers of Zed start programs",
    ".devcontainer": "initializeCommand runs on the machine outside the container",
    ".devcontainer.json": "initializeCommand runs on the machine outside the container",
    # Agents' hosts.
    ".claude": "settings hold hooks and permissions; commands and skills can run a shell",
    ".claude.json": "names MCP servers and permissions",
    ".cursor": "mcp.json and hooks.json start programs",
    ".windsurf": "hooks, workflows and MCP settings start programs",
    ".gemini": "settings name MCP servers, tool commands and sandboxes",
    ".codex": "config names MCP servers, notify programs and approval policy",
    ".copilot": "names MCP servers and hooks",
    ".github/copilot": "settings of Copilot name hooks and permissions",
    ".github/hooks": "hooks of Copilot run commands",
    ".junie": "names MCP servers",
    ".kiro": "hooks run commands, settings name MCP servers",
    ".amazonq": "names MCP servers and agents with their hooks",
    ".continue": "names MCP servers and models to send code to",
    ".clinerules": "hooks of Cline run commands",
    ".roo": "names MCP servers and modes with their rights",
    ".kilocode": "names MCP servers",
    ".trae": "names MCP servers",
    ".qwen": "settings name MCP servers and tool commands",
    ".augment": "settings name hooks and MCP servers",
    ".factory": "settings name hooks and MCP servers",
    ".amp": "settings name MCP servers and permissions",
    ".opencode": "plugins and tools are programs loaded at start",
    "opencode.json": "names MCP servers, plugins and permissions",
    "opencode.jsonc": "names MCP servers, plugins and permissions",
    ".crush.json": "names MCP and language servers to start",
    "crush.json": "names MCP and language servers to start",
    ".aider.conf.yml": "lint-cmd and test-cmd are run after each edit",
}
"""Names, at any depth and with all that lies beneath them, each with the reason."""

FOLDED_MAX = 4_096
"""Names whose reduced form is remembered: the same few come again and again."""

_ROWS = tuple((tuple(pattern.split("/")), why) for pattern, why in TABLE.items())


def require_free(
    components: Sequence[str], *, store: Sequence[str] | None, for_agent: bool
) -> None:
    """Refuse what is protected: the store and our temporaries from all, the table from agents.

    `store` is where the store lies below the root, `None` if it lies elsewhere.
    """
    why = reason(components, store=store, for_agent=for_agent)
    if why is not None:
        path = shown("/".join(components))
        raise PathProtected(f"{path} is protected: {why}", path=path, reason=why)


def reason(
    components: Sequence[str], *, store: Sequence[str] | None, for_agent: bool
) -> str | None:
    """Say why a path is protected; `None` if it is free."""
    names = [fold(name) for name in components]
    if store is not None and names[: len(store)] == [fold(name) for name in store]:
        return "the record itself is kept here"
    if any(name.startswith(PREFIX) for name in names):
        return "the name is reserved for Hansard's temporary files"
    if for_agent:
        return next((why for pattern, why in _possible(names) if _contains(names, pattern)), None)
    return None


def _possible(names: Sequence[str]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Give the rows that could name a part of the path: most begin with none of its names."""
    if any("~" in name for name in names):
        return iter(_ROWS)
    return (row for row in _ROWS if row[0][0] in names or "*" in row[0][0])


@lru_cache(maxsize=FOLDED_MAX)
def fold(name: str) -> str:
    """Reduce a name to what any file system might take it for.

    Some ignore case, some compatibility forms, some invisible characters, and Windows drops dots
    and spaces at the end. Upper case comes first because only it makes one of both dotless i's.
    """
    visible = "".join(c for c in unicodedata.normalize("NFKC", name) if not is_ignorable(c))
    return unicodedata.normalize("NFKC", visible.upper().casefold()).rstrip(". ")


def _contains(names: Sequence[str], pattern: tuple[str, ...]) -> bool:
    """Whether the pattern's components follow one another somewhere in the path."""
    starts = range(len(names) - len(pattern) + 1)
    return any(all(map(_is_named, names[start:], pattern)) for start in starts)


def _is_named(name: str, pattern: str) -> bool:
    return fnmatchcase(name, pattern) or ("~" in name and _is_short_name(name, pattern))


def _is_short_name(name: str, long: str) -> bool:
    """Whether Windows could have given `long` this name of eight and three characters."""
    stem, _, extension = long.lstrip(".").rpartition(".")
    if not stem:
        stem, extension = extension, ""
    short = re.escape(stem.replace(".", "")[:6]) + r"~\d+"
    return bool(re.fullmatch(short + (rf"\.{extension[:3]}" if extension else ""), name))
