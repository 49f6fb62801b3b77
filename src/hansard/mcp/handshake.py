"""Answers a client's first requests before the server itself is loaded.

Loading takes a second or more; some hosts give up after two, on busy machines. What they ask for
first never depends on the store: who we are, which tools, resources and prompts there are. So it
is answered from `made/front.json`, where `make_handshake.py` has written what the full server
answers. Anything that is not exactly as expected goes to the server, and all that follows it too.
"""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal

from hansard.app.settings import Settings
from hansard.mcp.cards import Json, can_succeed, choose
from hansard.mcp.instructions import instructions
from hansard.mcp.lines import Line
from hansard.mcp.messages import Malformed, encoded, read

MADE = Path(__file__).parent / "made" / "front.json"
ROLE = "agent"
"""The role of the client at the other end of a pipe."""

KEPT_MAX = 16
"""Messages that are kept for the server: a handshake takes two."""

DISCOVER = "server/discover"
INITIALIZE = "initialize"
LIST_TOOLS = "tools/list"

RESERVED = "io.modelcontextprotocol/"
VERSION, CLIENT, CAPABILITIES = (
    f"{RESERVED}{name}" for name in ("protocolVersion", "clientInfo", "clientCapabilities")
)
"""What accompanies each request of the current era."""

Era = Literal["handshake", "current"]


@cache
def made() -> Json:
    """Read what was written down."""
    answers: Json = json.loads(MADE.read_bytes())
    return answers


class StdioHandshake:
    """Answers one client until it asks for more than lists."""

    def __init__(self, settings: Settings, *, has_secret: bool) -> None:
        """Refuse settings that name unknown tools; `has_secret` says that they set one."""
        self.kept: list[bytes] = []
        self.has_listed = False
        self.era: Era | None = None
        """Settled by the first request that is not mere discovery."""
        self.introduced: Json = {}
        """What the client said of itself in its handshake."""
        self._settings = settings
        self._answers = _answers(settings, has_secret=has_secret)

    def learn(self, *, has_secret: bool) -> None:
        """Note whether a secret is set, now that the store was asked too."""
        self._answers = _answers(self._settings, has_secret=has_secret, is_sure=True)

    def answer(self, line: Line) -> bytes | None:
        """Give the answer, empty if none is due; `None` if the message is for the server."""
        try:
            message = read(line) if isinstance(line, bytes) else {}
        except Malformed:
            return None
        if "method" not in message:
            return None
        assert isinstance(line, bytes), "it was read"
        if "id" not in message:
            return self._keep(line)
        return self.answer_to(message, line)

    def answer_to(self, message: Json, line: bytes) -> bytes | None:
        """Answer a request that was read; `None` if it is for the server."""
        era = self._era_of(message)
        answer = self._answers[era].get(message["method"]) if era else None
        if era is None or answer is None:
            return None
        if self.era is None and message["method"] != DISCOVER:
            self.era = era
            if message["method"] == INITIALIZE:
                self.introduced = message["params"]
            if self._keep(line) is None:
                return None
        self.has_listed |= message["method"] == LIST_TOOLS
        return _encoded(message, answer)

    def era_of_call(self, meta: Json) -> Era | None:
        """Say in which era something is called; `None` if it is not plainly one of them."""
        if not _is_plain(meta):
            return None
        if VERSION not in meta:
            is_bare = not any(key.startswith(RESERVED) for key in meta)
            return self.era if self.era == "handshake" and is_bare else None
        if self.era == "handshake" or not _is_current(meta):
            return None
        if self.era is None:
            self.era = "current"
            self.kept.append(_settling())
        return self.era

    def _keep(self, line: bytes) -> bytes | None:
        if len(self.kept) >= KEPT_MAX:
            return None
        self.kept.append(line)
        return b""

    def _era_of(self, message: Json) -> Era | None:
        """Say in which era a request is asked; `None` if it is not plainly one of them."""
        params = message.get("params") or {}
        if message["method"] == INITIALIZE:
            return "handshake" if self.era is None and _is_handshake(params) else None
        meta = params.get("_meta", {})
        if params.keys() - {"_meta"} or not isinstance(meta, dict) or not _is_plain(meta):
            return None
        if VERSION in meta:
            return "current" if self.era != "handshake" and _is_current(meta) else None
        return self.era if self.era == "handshake" else None


def _answers(
    settings: Settings, *, has_secret: bool, is_sure: bool = False
) -> dict[Era, dict[str, Json]]:
    """Fill in what depends on settings: the tools that are listed, and what is said about them."""
    chosen = choose(made()["cards"], settings)
    listed = [
        card["tool"] for card in chosen if can_succeed(card, ROLE, settings, has_secret=has_secret)
    ]
    told = {"instructions": instructions({tool["name"] for tool in listed})}
    answers: dict[Era, dict[str, Json]] = {era: {**made()[era]} for era in ("handshake", "current")}
    _fill(answers["handshake"], INITIALIZE, told)
    _fill(answers["current"], DISCOVER, told)
    for era in answers.values():
        _fill(era, LIST_TOOLS, {"tools": listed})
        if not (has_secret or is_sure) and any(card["needs_secret"] for card in chosen):
            # The store may know a secret though the settings do not.
            del era[LIST_TOOLS]
    return answers


def _fill(answers: dict[str, Json], method: str, values: Json) -> None:
    answers[method] = {"result": answers[method]["result"] | values}


def _encoded(message: Json, answer: Json) -> bytes:
    if message["method"] == INITIALIZE:
        asked, versions = message["params"]["protocolVersion"], made()["versions"]
        agreed = {"protocolVersion": asked if asked in versions else versions[-1]}
        answer = {"result": answer["result"] | agreed}
    return encoded({"jsonrpc": "2.0", "id": message["id"], **answer})


def is_of_current_era(meta: Json) -> bool:
    """Whether a request is plainly of the current era, by what comes along with it."""
    return VERSION in meta and _is_plain(meta) and _is_current(meta)


def _settling() -> bytes:
    """Give what settles the current era with the server: what settled it must not be done twice."""
    meta = {VERSION: made()["current_version"], CAPABILITIES: {}}
    return encoded({"jsonrpc": "2.0", "id": 0, "method": LIST_TOOLS, "params": {"_meta": meta}})


def _is_handshake(params: Mapping[str, Any]) -> bool:
    return (
        params.keys() == {"protocolVersion", "capabilities", "clientInfo"}
        and isinstance(params["protocolVersion"], str)
        and _are_capabilities(params["capabilities"])
        and _is_client(params["clientInfo"])
    )


def _is_current(meta: Mapping[str, Any]) -> bool:
    return (
        meta[VERSION] == made()["current_version"]
        and _are_capabilities(meta.get(CAPABILITIES))
        and (CLIENT not in meta or _is_client(meta[CLIENT]))
    )


def _is_plain(meta: Mapping[str, Any]) -> bool:
    """Whether nothing comes along that would change an answer, or be refused."""
    token = meta.get("progressToken", 0)
    reserved = {key for key in meta if key.startswith(RESERVED)}
    return (
        isinstance(token, int | str)
        and not isinstance(token, bool)
        and reserved <= {VERSION, CLIENT, CAPABILITIES}
    )


def _is_client(info: object) -> bool:
    return (
        isinstance(info, dict)
        and {"name", "version"} <= info.keys()
        and info.keys() <= {"name", "version", "title", "description", "websiteUrl"}
        and all(isinstance(text, str) for text in info.values())
    )


def _are_capabilities(said: object) -> bool:
    """Whether these are capabilities as hosts declare them: names of names, with few switches."""
    return isinstance(said, dict) and all(
        name in {"elicitation", "experimental", "extensions", "roots", "sampling"}
        and isinstance(parts, dict)
        and all(_is_capability(name, part, value) for part, value in parts.items())
        for name, parts in said.items()
    )


def _is_capability(name: str, part: str, value: object) -> bool:
    if (name, part) == ("roots", "listChanged"):
        return isinstance(value, bool)
    return isinstance(value, dict)
