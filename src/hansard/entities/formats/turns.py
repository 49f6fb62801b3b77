"""Turns of a conversation, between the spelling of a provider and ours. Pure.

A turn is what one sender said until another did. Providers have roles instead of senders, and put
what tools answer in different mouths; here a tool's answer is always a turn of `tool`.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import orjson

from hansard.kernel.problem import InvalidInput
from hansard.kernel.values import check_values

Json = dict[str, Any]
Partial = Json
"""A partial message, as the wire spells it: `{"type", "payload"}`."""

Role = Literal["system", "user", "assistant", "tool"]

SYSTEM, USER, ASSISTANT, TOOL = "system", "user", "assistant", "tool"
"""The senders of imported turns."""

_ROLES: dict[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "model": "assistant",
    "tool": "tool",
    "function": "tool",
}


@dataclass(frozen=True, slots=True)
class Turn:
    """What one sender said until another did."""

    sender: str
    partials: list[Partial]

    def plain(self) -> Json:
        """Give it as messageThread spells it."""
        return {"senderId": self.sender, "partials": self.partials}


@dataclass(slots=True)
class Conversation:
    """Gathers turns, message by message."""

    turns: list[Turn] = field(default_factory=list)

    def add(self, sender: str, partial: Partial | None) -> None:
        """Add a partial to the sender's turn, or begin one; `None` adds nothing."""
        if partial is None:
            return
        if not self.turns or self.turns[-1].sender != sender:
            self.turns.append(Turn(sender, []))
        self.turns[-1].partials.append(partial)


def text(content: str) -> Partial | None:
    """Make a partial of what was said, if anything was."""
    return {"type": "text", "payload": {"content": content}} if content else None


def left_out(what: object) -> Partial:
    """Make a partial that says what stood here and is not kept: an image, a sound, a thought."""
    return {"type": "text", "payload": {"content": f"[{what} left out]"}}


def request(call: str, tool: str, given: Any) -> Partial:
    """Make a partial of what a tool is asked."""
    return {"type": "toolRequest", "payload": {"callId": call, "shortId": tool, "input": given}}


def response(call: str, output: str, *, is_failed: bool = False) -> Partial:
    """Make a partial of what a tool answered."""
    status = "failed" if is_failed else "completed"
    return {"type": "toolResponse", "payload": {"callId": call, "status": status, "output": output}}


def roles_of(turns: Iterable[Turn]) -> dict[str, Role]:
    """Say in which role each sender is: by its name, else by whether it asks tools."""
    roles: dict[str, Role] = {}
    for turn in turns:
        asks = any(partial["type"] == "toolRequest" for partial in turn.partials)
        known = _ROLES.get(turn.sender) or ("assistant" if asks else None)
        roles[turn.sender] = known or roles.get(turn.sender, "user")
    return roles


def spoken(turns: Sequence[Turn]) -> list[tuple[Role, Partial]]:
    """Give every partial with its role: only assistants ask tools, and only tools answer."""
    roles = roles_of(turns)
    fixed: dict[str, Role] = {"toolRequest": "assistant", "toolResponse": "tool"}
    return [
        (fixed.get(partial["type"], _speaker(roles[sender])), partial)
        for sender, partial in _last_answers(turns)
    ]


def _last_answers(turns: Sequence[Turn]) -> list[tuple[str, Partial]]:
    """Give every partial with its sender, and of several answers to a request only the last.

    Providers know one answer to a call; those before it told of its progress.
    """
    kept: list[tuple[str, Partial]] = []
    answered: set[str] = set()
    said = [(turn.sender, partial) for turn in turns for partial in turn.partials]
    for sender, partial in reversed(said):
        call = partial["payload"].get("callId")
        if partial["type"] == "toolRequest":
            answered.discard(call)
        elif call is not None:
            if call in answered:
                continue
            answered.add(call)
        kept.append((sender, partial))
    return kept[::-1]


def names_of(turns: Iterable[Turn]) -> dict[str, str]:
    """Say which tool each call is for."""
    return {
        partial["payload"]["callId"]: partial["payload"]["shortId"]
        for turn in turns
        for partial in turn.partials
        if partial["type"] == "toolRequest"
    }


def system_text(turns: Sequence[Turn]) -> str:
    """Gather what the system said, for formats in which it speaks only once, before all."""
    said = [partial["payload"]["content"] for role, partial in spoken(turns) if role == "system"]
    return "\n\n".join(said)


def read_json(document: str | bytes) -> Any:
    """Read JSON, or refuse what is none or would not come back the same."""
    try:
        value = json.loads(document)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"This is not JSON: {error}") from None
    check_values(value)
    return value


def read_input(arguments: str) -> Any:
    """Read what a model gives a tool as JSON text; what is no JSON is kept as text."""
    try:
        return read_json(arguments)
    except InvalidInput:
        return arguments


def write_input(given: Any) -> str:
    """Write what a tool is given as JSON text; text that is no JSON came as it is."""
    if isinstance(given, str) and not _is_json(given):
        return given
    return orjson.dumps(given).decode()


def objects(value: object, path: str) -> list[Json]:
    """Read a list of objects, or say where none is."""
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise InvalidInput(f"{path}: not a list of objects", argument=path)
    return value


def needed(one: Mapping[str, Any], key: str, path: str) -> str:
    """Read a text that must be there, or say where it is not."""
    value = one.get(key)
    if not isinstance(value, str):
        raise InvalidInput(f"{path}.{key}: text is needed here", argument=f"{path}.{key}")
    return value


def _speaker(role: Role) -> Role:
    """A tool that says something other than an answer speaks as a user."""
    return "user" if role == "tool" else role


def _is_json(given: str) -> bool:
    try:
        read_json(given)
    except InvalidInput:
        return False
    return True
