"""What a scripted model says: in each turn some calls of tools, or a text."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a tool that the host offers."""

    tool: str
    args: dict[str, Any] | str = field(default_factory=dict)
    """A text for the tools that take one, such as a patch."""
    namespace: str = ""
    """Where the host groups tools."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What the model answers to one request."""

    calls: tuple[Call, ...] = ()
    text: str = "Done."


Script = Sequence[Call]
"""One call for each turn, and a text when they are used up."""


def due(script: Script, *, done: int, offers_tools: bool) -> Turn:
    """Say what comes after so many turns; a request without tools is for a title or the like."""
    if not offers_tools:
        return Turn(text="ok")
    return Turn(calls=(script[done],)) if done < len(script) else Turn()
