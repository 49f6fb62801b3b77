"""OpenAI's chat completions: messages with roles, tool calls beside the content. Pure."""

from collections.abc import Sequence
from typing import Any

from hansard.entities.formats import turns as t
from hansard.entities.formats.turns import Conversation, Json, Turn


def to_turns(document: Any) -> list[Turn]:
    """Read a request, a response, or the bare messages."""
    conversation = Conversation()
    for number, message in enumerate(_messages(document)):
        path = f"messages.{number}"
        role = t.needed(message, "role", path)
        if role == "tool":
            answered = t.needed(message, "tool_call_id", path)
            conversation.add(t.TOOL, t.response(answered, _joined(message.get("content"), path)))
            continue
        sender = t.SYSTEM if role == "developer" else role
        for partial in _contents(message.get("content"), path):
            conversation.add(sender, partial)
        if message.get("refusal"):
            conversation.add(sender, t.text(t.needed(message, "refusal", path)))
        for call in t.objects(message.get("tool_calls") or [], f"{path}.tool_calls"):
            conversation.add(sender, _request(call, f"{path}.tool_calls"))
    return conversation.turns


def from_turns(turns: Sequence[Turn]) -> Json:
    """Write a request's messages."""
    messages: list[Json] = []
    for role, partial in t.spoken(turns):
        payload = partial["payload"]
        if partial["type"] == "toolResponse":
            answer = {"tool_call_id": payload["callId"], "content": payload["output"]}
            messages.append({"role": "tool", **answer})
            continue
        last = messages[-1] if messages and messages[-1]["role"] == role else None
        if partial["type"] == "toolRequest":
            if last is None:
                messages.append(last := {"role": role, "content": None})
            last.setdefault("tool_calls", []).append(_call(payload))
        elif last is None or "tool_calls" in last:
            # A message says its text before it asks, so what is said afterwards is the next one.
            messages.append({"role": role, "content": payload["content"]})
        else:
            _extend(last, payload["content"])
    return {"messages": messages}


def _messages(document: Any) -> list[Json]:
    if isinstance(document, dict) and "choices" in document:
        choices = t.objects(document["choices"], "choices")
        return t.objects([one.get("message") for one in choices[:1]], "choices.message")
    listed = document.get("messages") if isinstance(document, dict) else document
    return t.objects(listed, "messages")


def _contents(content: Any, path: str) -> list[t.Partial | None]:
    if content is None or isinstance(content, str):
        return [t.text(content or "")]
    return [
        t.text(t.needed(part, "text", path))
        if part.get("type") == "text"
        else t.left_out(part.get("type", "part"))
        for part in t.objects(content, f"{path}.content")
    ]


def _joined(content: Any, path: str) -> str:
    said = (one["payload"]["content"] for one in _contents(content, path) if one)
    return "\n".join(said)


def _request(call: Json, path: str) -> t.Partial:
    identifier = t.needed(call, "id", path)
    if call.get("type", "function") != "function":
        [custom] = t.objects([call.get("custom")], f"{path}.custom")
        return t.request(identifier, t.needed(custom, "name", path), custom.get("input"))
    [function] = t.objects([call.get("function")], f"{path}.function")
    given = t.read_input(t.needed(function, "arguments", path))
    return t.request(identifier, t.needed(function, "name", path), given)


def _call(payload: Json) -> Json:
    function = {"name": payload["shortId"], "arguments": t.write_input(payload["input"])}
    return {"id": payload["callId"], "type": "function", "function": function}


def _extend(message: Json, content: str) -> None:
    """Say one more thing in a message: its content becomes a list of parts."""
    if isinstance(message["content"], str):
        message["content"] = [{"type": "text", "text": message["content"]}]
    message["content"].append({"type": "text", "text": content})
