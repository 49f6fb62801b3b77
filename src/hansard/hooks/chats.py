"""Which chat a host's process is in, so that a server that it started can be in the same session.

Some hosts tell a server nothing of the chat, or only of its first one: a server outlives `/clear`.
Their hooks are told. Both have the host's process above them, so the hook leaves there which chat
it is; process ids come again, and so its beginning belongs to its name.
"""

import os
from collections.abc import Mapping
from contextlib import suppress

FOLDER = "chats"
DEPTH_MAX = 6

RUNNERS = frozenset(
    ("sh", "bash", "dash", "zsh", "fish", "ash", "ksh", "env", "uv", "uvx", "timeout", "nice")
)
"""Programs that run another one for a host, and are none themselves."""

ONE_CHAT = frozenset(("claude-code", "gemini-cli", "qwen-code", "copilot-cli", "droid"))
"""Hosts whose process is in one chat at a time."""

ARGUMENT = "hansard_chat"
"""What hooks of OpenCode and Cline add to a call of ours: their clients tell a server nothing of
the chat, and their processes are in several at a time."""

VARIABLES = {
    "claude-code": "CLAUDE_CODE_SESSION_ID",
    "copilot": "COPILOT_AGENT_SESSION_ID",
    "github-copilot": "COPILOT_AGENT_SESSION_ID",
    "gemini": "GEMINI_SESSION_ID",
    "qwen": "QWEN_CODE_SESSION_ID",
}
"""By how a client's name begins: where its servers find the chat that they were started for."""


def host_process(start: int | None = None) -> str | None:
    """Name the process that runs us for its user: the first above us that only runs others not."""
    pid = os.getppid() if start is None else start
    for _ in range(DEPTH_MAX):
        try:
            with open(f"/proc/{pid}/stat", "rb") as file:
                said = file.read().decode(errors="replace")
        except OSError:
            return None
        name, _, rest = said.partition("(")[2].rpartition(")")
        fields = rest.split()
        parent, began = int(fields[1]), fields[19]
        if pid <= 1:
            return None
        if name not in RUNNERS:
            return f"{pid}-{began}"
        pid = parent
    return None


def enter(folder: str, host: str, session: str) -> None:
    """Leave which chat the host is in."""
    process = host_process() if host in ONE_CHAT else None
    if process is None:
        return
    chats = os.path.join(folder, FOLDER)
    with suppress(OSError):
        os.makedirs(chats, 0o700, exist_ok=True)
        path = os.path.join(chats, process)
        descriptor = os.open(f"{path}.{os.getpid()}", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "w") as file:
            file.write(session)
        os.replace(f"{path}.{os.getpid()}", path)


def named(folder: str, process: str) -> str | None:
    """Give the chat that a host's process is in, as its hooks said last."""
    try:
        with open(os.path.join(folder, FOLDER, process), encoding="utf-8") as file:
            return file.read().strip() or None
    except (OSError, UnicodeDecodeError):
        return None


def given(client: str, environment: Mapping[str, str]) -> str | None:
    """Give the chat that a client started this process for, if its own variable says so."""
    variables = (name for begin, name in VARIABLES.items() if client.lower().startswith(begin))
    return environment.get(next(variables, ""), "").strip() or None


def sweep(folder: str) -> None:
    """Forget the chats of processes that are gone."""
    chats = os.path.join(folder, FOLDER)
    with suppress(OSError):
        for name in os.listdir(chats):
            pid = name.partition("-")[0]
            if not pid.isdecimal() or not os.path.exists(f"/proc/{pid}"):
                os.unlink(os.path.join(chats, name))
