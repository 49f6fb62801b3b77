"""`hansard hook` as a host runs it: reads, gathers, spools, and exits.

A host waits for this and may read what it prints or how it ends. So whatever happens, this prints
nothing that the host did not ask for, and ends with 0; what went wrong is said on stderr. Nothing
of the store is loaded on this way, but for a brief when no server is there to give it.
"""

import json
import os
import sys
import time
from typing import Any

from hansard.hooks import (
    answers,
    chats,
    event_details,
    hook_state,
    host_events,
    locations,
    servers,
    spool,
)

STDIN_BYTES_MAX = 64 * 1024 * 1024
UNKNOWN = "unknown"
"""The file that names the events nobody here knows, for `hansard doctor`."""

STARTS = "starts"
"""Where the beginning of a chat is kept until something is done in it."""

BRIEFS = "briefs"
"""Which chats wait for their brief, and which have it."""

BRIEFED = "briefed"
"""Which chats were given their brief a moment ago."""

SAME_START_S = 10.0
"""Two hooks of one start, by a plugin and by settings, run at the same time; later it is another
start.
"""

HEAVY = ("--print-config", "--help", "-h", "--list")
"""Commands of a person, who does not mind waiting."""


def is_for_people(words: list[str]) -> bool:
    """Whether a person, not a host, runs the command."""
    return any(word in HEAVY for word in words) or (sys.stdin is not None and sys.stdin.isatty())


def main(words: list[str]) -> int:
    """Take one event from stdin; returns the exit code, which is always 0."""
    try:
        rest, flags = locations.flags_in(words)
        host = rest[0] if rest else ""
        event = flags.pop("event", "")
        if host and host not in host_events.HOSTS:
            _say(f"There is no host {host}; there are {', '.join(host_events.HOSTS)}")
            return 0
        _take(_stdin(), host, event, flags)
    # The host must continue whatever is wrong with us; a person finds this in the host's log.
    except Exception as error:  # noqa: BLE001
        _say(f"{error}" if isinstance(error, OSError) else f"{error!r}")
    return 0


def _take(text: str, host: str, event: str, flags: locations.Given) -> None:
    told = _parsed(text)
    if told is None:
        answers.give("", host)
        return
    known = host_events.read(told, os.environ, host=host, event=event)
    given = locations.given_settings(flags, os.environ)
    folder = locations.hooks_folder(given, os.environ)
    if folder is None or known is None:
        answers.give("", host)
        if folder and not host_events.meaning_of(told, event):
            _note_unknown(folder, host, told, event)
        return
    root = locations.has_workspace(given) or known.root or os.getcwd()
    given["workspace"] = os.path.abspath(os.path.expanduser(root))
    try:
        record(known, folder, given)
    except (OSError, spool.SpoolFullError) as error:
        # A failure to spool is no reason to withhold the brief.
        _say(f"{error}")
    answers.give(_brief(known, folder, given), known.host, _naming_the_chat(known))


def _brief(known: host_events.HostTold, folder: str, given: locations.Given) -> str:
    """Give a session its brief, once: as it begins, or when its host accepts it."""
    if known.host not in host_events.HEARD_BEFORE_TOOLS:
        return _brief_once(known, folder, given) if known.event == "start" else ""
    waiting = hook_state.find(folder, BRIEFS, known.session)
    if known.event == "start" and waiting is None:
        hook_state.keep(folder, BRIEFS, known.session, {"source": known.source, "is_given": False})
    if known.event != "before" or waiting is None or waiting["is_given"]:
        return ""
    hook_state.keep(folder, BRIEFS, known.session, waiting | {"is_given": True})
    return servers.brief(folder, known._replace(source=waiting["source"]), given)


def _brief_once(known: host_events.HostTold, folder: str, given: locations.Given) -> str:
    """Give it to only one of several hooks that a host runs as a chat begins."""
    process = chats.host_process() or ""
    start = f"{known.session} {known.source} {process} {given.get('project', '')}"
    try:
        if not hook_state.claim(folder, BRIEFED, start, SAME_START_S):
            return ""
    except OSError as error:
        _say(f"{error}")
    if not (text := servers.brief(folder, known, given)):
        hook_state.drop(folder, BRIEFED, start)
    return text


def _naming_the_chat(known: host_events.HostTold) -> host_events.Json | None:
    """Give the arguments of one of our calls with its chat, if only a hook can add that."""
    is_call = known.event == "before" and known.tool == "own"
    return {**known.asked, chats.ARGUMENT: known.session} if is_call else None


def record(known: host_events.HostTold, folder: str, given: locations.Given) -> None:
    """Spool what is to be recorded, and wake a server, if there is one."""
    locations.make(folder)
    locations.note_seen(folder, known.host)
    if known.event in ("start", "prompt"):
        chats.enter(folder, known.host, known.session)
    if known.event == "start":
        # A chat in which nothing is done is not recorded: so its beginning goes with what comes
        # next.
        source = known.source[: event_details.SOURCE_CHARS_MAX]
        hook_state.keep(folder, STARTS, known.session, {"source": source, "at": time.time()})
        return
    if known.event == "before" and known.tool not in host_events.RECORDED:
        return
    gathered = event_details.gather(known, folder, given["workspace"])
    if gathered is None:
        return
    begun = hook_state.find(folder, STARTS, known.session) if known.event != "end" else None
    told = gathered | ({"begun": begun} if begun else {})
    spool.append(folder, told | {"given": given, "id": _new_id(), "at": time.time()})
    hook_state.drop(folder, STARTS, known.session)
    servers.wake(folder)


def _new_id() -> str:
    """Give what distinguishes an event from all others, if its host does not."""
    return os.urandom(12).hex()


def _parsed(text: str) -> dict[str, Any] | None:
    try:
        # One host sends line ends within its texts as they are.
        told = json.loads(text.removeprefix("\ufeff"), strict=False)
    except ValueError as error:
        _say(f"The host told something that is no JSON: {error}")
        return None
    return told if isinstance(told, dict) else None


def _stdin() -> str:
    """Read what the host reports."""
    stream = getattr(sys.stdin, "buffer", None)
    if stream is None:
        return sys.stdin.read(STDIN_BYTES_MAX)
    data: bytes = stream.read(STDIN_BYTES_MAX)
    return data.decode(errors="replace")


def _note_unknown(folder: str, host: str, told: dict[str, Any], event: str) -> None:
    """Count an event that nobody here knows, if there is a store already."""
    if os.path.isdir(folder):
        named = told.get("hook_event_name") or told.get("hookName") or event or "(no name)"
        spool.note(folder, UNKNOWN, f"{host or '?'} {str(named)[:80]!r}")


def _say(line: str) -> None:
    """Write the error into the host's log."""
    sys.stderr.write(f"hansard: {line}\n".encode("ascii", "backslashreplace").decode())
