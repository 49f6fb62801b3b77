"""Conversations in the spelling of the providers of models, read and written. Pure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from hansard.entities.formats import anthropic, gemini, openai_chat, openai_responses
from hansard.entities.formats.detection import Format, detect
from hansard.entities.formats.turns import Turn, read_json

__all__ = ["Format", "Turn", "detect", "from_partials", "read", "to_partials", "write"]


@dataclass(frozen=True, slots=True)
class _Spelling:
    """How one provider's conversations are read and written."""

    to_turns: Callable[[Any], list[Turn]]
    from_turns: Callable[[Sequence[Turn]], dict[str, Any]]


_SPELLINGS: dict[Format, _Spelling] = {
    "openai": _Spelling(openai_chat.to_turns, openai_chat.from_turns),
    "openai-responses": _Spelling(openai_responses.to_turns, openai_responses.from_turns),
    "anthropic": _Spelling(anthropic.to_turns, anthropic.from_turns),
    "gemini": _Spelling(gemini.to_turns, gemini.from_turns),
}


def to_partials(format: Format, document: Any) -> list[Turn]:
    """Make turns of a request, a response or bare messages."""
    return _SPELLINGS[format].to_turns(document)


def from_partials(format: Format, turns: Sequence[Turn]) -> dict[str, Any]:
    """Make what a request to the provider holds of turns."""
    return _SPELLINGS[format].from_turns(turns)


def read(text: str | bytes, format: Format | None = None) -> list[Turn]:
    """Read a conversation from JSON; without a format, in the one it looks like."""
    document = read_json(text)
    return to_partials(format or detect(document), document)


def write(turns: Sequence[Turn], format: Format) -> str:
    """Write a conversation as JSON."""
    document = from_partials(format, turns)
    return orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode()
