"""Anthropic's messages: blocks, with what tools answer in the user's mouth. Pure."""

from collections.abc import Sequence
from typing import Any

from hansard.entities.formats import turns as t
from hansard.entities.formats.turns import Conversation, Json, Turn


def to_turns(document: Any) -> list[Turn]:
    """Read a request, a response, or the bare messages."""
    conversation = Conversation()
    if isinstance(document, dict):
        for block in _blocks(document.get("system") or "", "system"):
            conversation.add(t.SYSTEM, _said(block, "system"))
    for number, message in enumerate(_messages(document)):
        path = f"messages.{number}"
        role = t.needed(message, "role", path)
        for block in _blocks(message.get("content"), path):
            if block.get("type") == "tool_result":
                conversation.add(t.TOOL, _response(block, path))
            else:
                conversation.add(role, _said(block, path))
    return conversation.turns


def from_turns(turns: Sequence[Turn]) -> Json:
    """Write a request's messages, and its system prompt if there is one."""
    messages: list[Json] = []
    for role, partial in t.spoken(turns):
        if role == "system":
            continue
        speaker = "assistant" if role == "assistant" else "user"
        if not messages or messages[-1]["role"] != speaker:
            messages.append({"role": speaker, "content": []})
        messages[-1]["content"].append(_block(partial))
    for message in messages:
        if len(message["content"]) == 1 and message["content"][0]["type"] == "text":
            message["content"] = message["content"][0]["text"]
    system = t.system_text(turns)
    return ({"system": system} if system else {}) | {"messages": messages}


def _messages(document: Any) -> list[Json]:
    if isinstance(document, dict) and "messages" not in document:
        return t.objects([document], "messages")
    return t.objects(document["messages"] if isinstance(document, dict) else document, "messages")


def _blocks(content: Any, path: str) -> list[Json]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return t.objects(content, f"{path}.content")


def _said(block: Json, path: str) -> t.Partial | None:
    match block.get("type"):
        case "text":
            return t.text(t.needed(block, "text", path))
        case "tool_use":
            name = t.needed(block, "name", path)
            return t.request(t.needed(block, "id", path), name, block.get("input"))
        case other:
            return t.left_out(other)


def _response(block: Json, path: str) -> t.Partial:
    parts = (_said(part, path) for part in _blocks(block.get("content") or "", path))
    output = "\n".join(part["payload"]["content"] for part in parts if part)
    call = t.needed(block, "tool_use_id", path)
    return t.response(call, output, is_failed=block.get("is_error") is True)


def _block(partial: t.Partial) -> Json:
    payload = partial["payload"]
    match partial["type"]:
        case "toolRequest":
            called = {"id": payload["callId"], "name": payload["shortId"]}
            return {"type": "tool_use", **called, "input": payload["input"]}
        case "toolResponse":
            answer = {"tool_use_id": payload["callId"], "content": payload["output"]}
            failed = {"is_error": True} if payload["status"] == "failed" else {}
            return {"type": "tool_result", **answer, **failed}
        case _:
            return {"type": "text", "text": payload["content"]}
