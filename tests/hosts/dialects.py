"""The wires on which hosts speak with models: what they ask, and how an answer is put. Pure.

How far a chat is, is read from the request itself, which holds all that was said: so that what
hosts ask on the side, for titles and summaries, disturbs nothing.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tests.hosts.script import Call, Turn

Body = Mapping[str, Any]
Event = tuple[str, Any]
"""An event of a stream: its name, which may be empty, and its data."""

TOKENS_IN, TOKENS_OUT = 100, 10


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer in both forms that a host may ask for."""

    whole: dict[str, Any]
    events: list[Event]


@dataclass(frozen=True, slots=True)
class Dialect:
    """One wire."""

    offered: Callable[[Body], list[str]]
    """Names the tools that a request offers."""
    done: Callable[[Body], int]
    """Counts the turns with calls that a request holds."""
    answer: Callable[[Body, Turn, int], Answer]
    """Puts the answer to the request of that number."""


def spoken_at(path: str) -> Dialect | None:
    """Tell the wire by the path of a request."""
    for ending, dialect in DIALECTS.items():
        if path.endswith(ending):
            return dialect
    return None


# Anthropic's Messages.


def _messages_done(body: Body) -> int:
    return sum(
        any(part.get("type") == "tool_use" for part in message["content"])
        for message in body["messages"]
        if message["role"] == "assistant" and isinstance(message["content"], list)
    )


def _messages_answer(body: Body, turn: Turn, number: int) -> Answer:
    blocks: list[dict[str, Any]] = [
        {"type": "tool_use", "id": f"toolu_{number}_{at}", "name": call.tool, "input": call.args}
        for at, call in enumerate(turn.calls)
    ] or [{"type": "text", "text": turn.text}]
    message = {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model", "scripted"),
        "stop_sequence": None,
        "usage": {"input_tokens": TOKENS_IN, "output_tokens": TOKENS_OUT},
    }
    stop = "tool_use" if turn.calls else "end_turn"
    events = [_typed("message_start", message=message | {"content": [], "stop_reason": None})]
    for at, block in enumerate(blocks):
        events += _block_events(at, block)
    said = {"stop_reason": stop, "stop_sequence": None}
    events.append(_typed("message_delta", delta=said, usage=message["usage"]))
    events.append(_typed("message_stop"))
    return Answer(message | {"content": blocks, "stop_reason": stop}, events)


def _block_events(at: int, block: dict[str, Any]) -> Iterator[Event]:
    if block["type"] == "text":
        empty, delta = {"text": ""}, {"type": "text_delta", "text": block["text"]}
    else:
        told = json.dumps(block["input"])
        empty, delta = {"input": {}}, {"type": "input_json_delta", "partial_json": told}  # type: ignore[dict-item]
    yield _typed("content_block_start", index=at, content_block=block | empty)
    yield _typed("content_block_delta", index=at, delta=delta)
    yield _typed("content_block_stop", index=at)


# OpenAI's Responses.


def _responses_offered(body: Body) -> list[str]:
    names = []
    for tool in body.get("tools") or []:
        inside = tool.get("tools", [])
        names += [f"{tool['name']}.{one.get('name', '')}" for one in inside] or [
            tool.get("name") or tool.get("type", "")
        ]
    return names


def _responses_done(body: Body) -> int:
    said = body.get("input")
    items = said if isinstance(said, list) else []
    return sum(str(item.get("type")).endswith("_call_output") for item in items)


def _responses_item(call: Call, name: str) -> dict[str, Any]:
    common = {"call_id": f"call_{name}", "name": call.tool, "status": "completed"}
    if isinstance(call.args, str):
        return {"type": "custom_tool_call", "id": f"ctc_{name}", "input": call.args, **common}
    item = {"type": "function_call", "id": f"fc_{name}", "arguments": json.dumps(call.args)}
    return item | common | ({"namespace": call.namespace} if call.namespace else {})


def _responses_answer(body: Body, turn: Turn, number: int) -> Answer:
    text = {"type": "output_text", "text": turn.text, "annotations": []}
    says = {"type": "message", "id": f"msg_{number}", "role": "assistant", "status": "completed"}
    items = [_responses_item(call, f"{number}_{at}") for at, call in enumerate(turn.calls)] or [
        says | {"content": [text]}
    ]
    whole = {
        "id": f"resp_{number}",
        "object": "response",
        "created_at": number,
        "status": "completed",
        "model": body.get("model", "scripted"),
        "output": items,
        "usage": {
            "input_tokens": TOKENS_IN,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": TOKENS_OUT,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": TOKENS_IN + TOKENS_OUT,
        },
    }
    begun = whole | {"status": "in_progress", "output": []}
    events = [_typed("response.created", response=begun)]
    for at, item in enumerate(items):
        events.append(_typed("response.output_item.added", output_index=at, item=item))
        events.append(_typed("response.output_item.done", output_index=at, item=item))
    return Answer(whole, [*events, _typed("response.completed", response=whole)])


# OpenAI's Chat Completions, which many others speak.


def _chat_done(body: Body) -> int:
    said = body.get("messages", [])
    return sum(bool(one.get("tool_calls")) for one in said if one.get("role") == "assistant")


def _chat_answer(body: Body, turn: Turn, number: int) -> Answer:
    calls = [
        {
            "index": at,
            "id": f"call_{number}_{at}",
            "type": "function",
            "function": {"name": call.tool, "arguments": json.dumps(call.args)},
        }
        for at, call in enumerate(turn.calls)
    ]
    message: dict[str, Any] = {"role": "assistant", "content": None if calls else turn.text}
    message |= {"tool_calls": calls} if calls else {}
    common = {"id": f"cc_{number}", "created": number, "model": body.get("model", "scripted")}
    stop = "tool_calls" if calls else "stop"
    usage = {
        "prompt_tokens": TOKENS_IN,
        "completion_tokens": TOKENS_OUT,
        "total_tokens": TOKENS_IN + TOKENS_OUT,
    }
    choice = {"index": 0, "message": message, "finish_reason": stop}
    whole = common | {"object": "chat.completion", "choices": [choice], "usage": usage}
    chunk = common | {"object": "chat.completion.chunk"}
    first = {"index": 0, "delta": message, "finish_reason": None}
    last = {"index": 0, "delta": {}, "finish_reason": stop}
    events: list[Event] = [
        ("", chunk | {"choices": [first]}),
        ("", chunk | {"choices": [last], "usage": usage}),
        ("", "[DONE]"),
    ]
    return Answer(whole, events)


# Gemini's.


def _gemini_done(body: Body) -> int:
    return sum(
        any("functionCall" in part for part in said.get("parts", []))
        for said in body.get("contents", [])
        if said.get("role") == "model"
    )


def _gemini_answer(body: Body, turn: Turn, number: int) -> Answer:
    parts: list[dict[str, Any]] = [
        {"functionCall": {"id": f"fc_{number}_{at}", "name": call.tool, "args": call.args}}
        for at, call in enumerate(turn.calls)
    ] or [{"text": turn.text}]
    asks = body.get("generationConfig") or {}
    if not turn.calls and asks.get("responseMimeType") == "application/json":
        parts = [{"text": json.dumps(_GEMINI_SIDE)}]
    whole = {
        "candidates": [
            {"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}
        ],
        "usageMetadata": {
            "promptTokenCount": TOKENS_IN,
            "candidatesTokenCount": TOKENS_OUT,
            "totalTokenCount": TOKENS_IN + TOKENS_OUT,
        },
        "modelVersion": "scripted",
        "responseId": f"r{number}",
    }
    return Answer(whole, [("", whole)])


_GEMINI_SIDE = {
    "next_speaker": "user",
    "model_choice": "flash",
    "reasoning": "It is simple.",
    "complexity_reasoning": "It is simple.",
    "complexity_score": 1,
}
"""The answer to what it asks on the side: which model should answer, who is to speak next."""


def _typed(kind: str, **rest: Any) -> Event:
    return kind, {"type": kind, **rest}


_GEMINI = Dialect(
    lambda body: [
        one.get("name", "")
        for tool in body.get("tools") or []
        for one in tool.get("functionDeclarations", [])
    ],
    _gemini_done,
    _gemini_answer,
)

DIALECTS = {
    "/messages": Dialect(
        lambda body: [tool.get("name", "") for tool in body.get("tools") or []],
        _messages_done,
        _messages_answer,
    ),
    "/responses": Dialect(_responses_offered, _responses_done, _responses_answer),
    "/chat/completions": Dialect(
        lambda body: [tool["function"]["name"] for tool in body.get("tools") or []],
        _chat_done,
        _chat_answer,
    ),
    ":generateContent": _GEMINI,
    ":streamGenerateContent": _GEMINI,
}
"""The wires, by how the path of a request ends."""
