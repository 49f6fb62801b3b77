"""Which chat a host's process is in, so that its server can share the session.

Some hosts tell a server nothing about the chat, or only about its first one: a server outlives
`/clear`. Their hooks know. Both have the host's process above them, so the hook leaves there which
chat it is; process ids come again, and so its beginning belongs to its name.
"""

import os
from collections.abc import Mapping
from contextlib import suppress
from typing import NamedTuple

PROC = "/proc"
"""Where Linux lists processes; elsewhere `ps` does."""

PS_S = 1.0
"""How long it may take to do so."""

DATE_WORDS = 5
"""Of `Wed Nov 18 08:40:56 2026`."""

FOLDER = "chats"
DEPTH_MAX = 6

RUNNERS = frozenset(
    ("sh", "bash", "dash", "zsh", "fish", "ash", "ksh", "env", "uv", "uvx", "timeout", "nice")
)
"""Programs that run another one for a host, and are not hosts themselves."""

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
"""By the prefix of a client's name: where its servers find the chat that they were started for."""


def host_process(start: int | None = None) -> str | None:
    """Name the process that runs us for its user: the first above us that is no mere runner."""
    pid = os.getppid() if start is None else start
    look = _in_proc if os.path.isdir(PROC) else _by_ps
    for _ in range(DEPTH_MAX):
        found = look(pid) if pid > 1 else None
        if found is None:
            return None
        if found.name not in RUNNERS:
            return f"{pid}-{found.began}"
        pid = found.parent
    return None


class Process(NamedTuple):
    """A process, as the system describes it."""

    parent: int
    name: str
    began: str
    """When it began, in whichever form."""


def _in_proc(pid: int) -> Process | None:
    try:
        with open(f"{PROC}/{pid}/stat", "rb") as file:
            said = file.read().decode(errors="replace")
    except OSError:
        return None
    name, _, rest = said.partition("(")[2].rpartition(")")
    fields = rest.split()
    return Process(int(fields[1]), name, fields[19])


def _by_ps(pid: int) -> Process | None:
    # Loaded here, since Linux needs none of it.
    import subprocess

    try:
        done = subprocess.run(
            ["ps", "-o", "ppid=,lstart=,comm=", "-p", str(pid)],
            env={**os.environ, "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PS_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    words = done.stdout.decode(errors="replace").split(None, DATE_WORDS + 1)
    if len(words) != DATE_WORDS + 2 or not words[0].isdecimal():
        return None
    parent, *began, name = words
    # A shell that somebody signed in to has a dash before its name.
    plain = os.path.basename(name.strip()).removeprefix("-")
    return Process(int(parent), plain, "".join(filter(str.isalnum, "".join(began))))


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
            if not pid.isdecimal() or not _is_alive(int(pid)):
                os.unlink(os.path.join(chats, name))


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
