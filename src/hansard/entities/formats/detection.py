"""Which provider's spelling a conversation is in, by its shape. Pure."""

from collections.abc import Iterator
from typing import Any, Literal

from hansard.kernel.problem import InvalidInput

Format = Literal["openai", "openai-responses", "anthropic", "gemini"]

_BLOCKS = {"tool_use", "tool_result", "thinking", "redacted_thinking"}
_ITEMS = ("message", "function_call", "function_call_output", "reasoning")


def detect(document: Any) -> Format:
    """Say the format. Plain text is spelled alike by OpenAI and Anthropic, and read as OpenAI's."""
    if isinstance(document, dict):
        keys = document.keys()
        if keys & {"contents", "candidates"}:
            return "gemini"
        if keys & {"input", "output"}:
            return "openai-responses"
        if "choices" in keys:
            return "openai"
        if "system" in keys or ("content" in keys and document.get("type") == "message"):
            return "anthropic"
        document = document.get("messages")
    if not isinstance(document, list):
        raise InvalidInput(
            "This is no conversation that Hansard can read",
            hint="Give the JSON of a request, a response or a list of messages",
        )
    return _of_messages(document)


def _of_messages(messages: list[Any]) -> Format:
    for message in messages:
        if isinstance(message, dict) and "parts" in message:
            return "gemini"
        if isinstance(message, dict) and message.get("type") in _ITEMS:
            return "openai-responses"
    return "anthropic" if _BLOCKS & {*_block_types(messages)} else "openai"


def _block_types(messages: list[Any]) -> Iterator[str]:
    for message in messages:
        content = message.get("content") if isinstance(message, dict) else None
        for block in content if isinstance(content, list) else ():
            if isinstance(block, dict) and isinstance(block.get("type"), str):
                yield block["type"]
