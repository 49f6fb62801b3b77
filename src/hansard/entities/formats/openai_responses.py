"""OpenAI's responses: a list of items, of which messages are one kind. Pure."""

from collections.abc import Sequence
from typing import Any

from hansard.entities.formats import turns as t
from hansard.entities.formats.turns import Conversation, Json, Turn


def to_turns(document: Any) -> list[Turn]:
    """Read a request, a response, or the bare items."""
    conversation = Conversation()
    for number, item in enumerate(_items(document)):
        path = f"input.{number}"
        match item.get("type", "message"):
            case "message":
                role = t.needed(item, "role", path)
                for partial in _contents(item.get("content"), path):
                    conversation.add(t.SYSTEM if role == "developer" else role, partial)
            case "function_call":
                given = t.read_input(t.needed(item, "arguments", path))
                name = t.needed(item, "name", path)
                called = t.request(t.needed(item, "call_id", path), name, given)
                conversation.add(t.ASSISTANT, called)
            case "function_call_output":
                output = item.get("output")
                said = output if isinstance(output, str) else _joined(output, path)
                conversation.add(t.TOOL, t.response(t.needed(item, "call_id", path), said))
            case other:
                conversation.add(t.ASSISTANT, t.left_out(other))
    return conversation.turns


def from_turns(turns: Sequence[Turn]) -> Json:
    """Write a request's items."""
    items: list[Json] = []
    for role, partial in t.spoken(turns):
        payload = partial["payload"]
        match partial["type"]:
            case "toolRequest":
                arguments = t.write_input(payload["input"])
                called = {"call_id": payload["callId"], "name": payload["shortId"]}
                items.append({"type": "function_call", **called, "arguments": arguments})
            case "toolResponse":
                answer = {"call_id": payload["callId"], "output": payload["output"]}
                items.append({"type": "function_call_output", **answer})
            case _:
                _say(items, role, payload["content"])
    return {"input": items}


def _items(document: Any) -> list[Json]:
    if not isinstance(document, dict):
        return t.objects(document, "input")
    items: list[Json] = []
    if document.get("instructions"):
        items.append({"role": "system", "content": document["instructions"]})
    given = document.get("input", [])
    asked = [{"role": "user", "content": given}] if isinstance(given, str) else given
    return [*items, *t.objects(asked, "input"), *t.objects(document.get("output", []), "output")]


def _contents(content: Any, path: str) -> list[t.Partial | None]:
    if isinstance(content, str):
        return [t.text(content)]
    return [
        t.text(t.needed(part, "text", path))
        if part.get("type") in ("input_text", "output_text", "text")
        else t.left_out(part.get("type", "part"))
        for part in t.objects(content, f"{path}.content")
    ]


def _joined(content: Any, path: str) -> str:
    return "\n".join(one["payload"]["content"] for one in _contents(content, path) if one)


def _say(items: list[Json], role: str, content: str) -> None:
    kind = "output_text" if role == "assistant" else "input_text"
    part = {"type": kind, "text": content}
    if items and items[-1].get("role") == role:
        items[-1]["content"].append(part)
    else:
        items.append({"type": "message", "role": role, "content": [part]})
