"""Gemini's contents: parts, with calls that may have no ids. Pure."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from hansard.entities.formats import turns as t
from hansard.entities.formats.turns import Conversation, Json, Turn
from hansard.kernel.problem import InvalidInput

_OUTPUT, _ERROR = "output", "error"
"""What Gemini itself calls the only key of a response that is no object."""


def to_turns(document: Any) -> list[Turn]:
    """Read a request, a response, or the bare contents."""
    conversation, calls = Conversation(), _Calls()
    system = _either(document, "systemInstruction", "system_instruction")
    for part in _parts(system or {"parts": []}, "systemInstruction"):
        conversation.add(t.SYSTEM, _said(part, calls, "systemInstruction"))
    for number, content in enumerate(_contents(document)):
        path = f"contents.{number}"
        sender = t.ASSISTANT if content.get("role") == "model" else t.USER
        for part in _parts(content, path):
            answer = _either(part, "functionResponse", "function_response")
            if answer is None:
                conversation.add(sender, _said(part, calls, path))
            else:
                conversation.add(t.TOOL, _response(answer, calls, path))
    return conversation.turns


def from_turns(turns: Sequence[Turn]) -> Json:
    """Write a request's contents, and its system instruction if there is one."""
    contents: list[Json] = []
    names = t.names_of(turns)
    for role, partial in t.spoken(turns):
        if role == "system":
            continue
        speaker = "model" if role == "assistant" else "user"
        if not contents or contents[-1]["role"] != speaker:
            contents.append({"role": speaker, "parts": []})
        contents[-1]["parts"].append(_part(partial, names))
    system = t.system_text(turns)
    instruction = {"systemInstruction": {"parts": [{"text": system}]}} if system else {}
    return instruction | {"contents": contents}


@dataclass(slots=True)
class _Calls:
    """Gives calls without ids one each, and finds which of them a response answers."""

    made: Counter[str] = field(default_factory=Counter)
    waiting: dict[str, list[str]] = field(default_factory=dict)

    def make(self, name: str, given: object) -> str:
        """Give the id of a call."""
        self.made[name] += 1
        identifier = given if isinstance(given, str) else f"{name}-{self.made[name]}"
        self.waiting.setdefault(name, []).append(identifier)
        return identifier

    def answer(self, name: str, given: object, path: str) -> str:
        """Find the call that is answered: the one of that id, else the first that waits."""
        waiting = self.waiting.get(name, [])
        if isinstance(given, str):
            if given in waiting:
                waiting.remove(given)
            return given
        if not waiting:
            raise InvalidInput(f"{path}: no call of {name} waits for an answer", argument=path)
        return waiting.pop(0)


def _contents(document: Any) -> list[Json]:
    if isinstance(document, dict) and "candidates" in document:
        candidates = t.objects(document["candidates"], "candidates")
        return t.objects([one.get("content") for one in candidates[:1]], "candidates.content")
    return t.objects(document["contents"] if isinstance(document, dict) else document, "contents")


def _parts(content: Any, path: str) -> list[Json]:
    return t.objects(content.get("parts") if isinstance(content, dict) else None, f"{path}.parts")


def _said(part: Json, calls: _Calls, path: str) -> t.Partial | None:
    called = _either(part, "functionCall", "function_call")
    if isinstance(called, dict):
        name = t.needed(called, "name", path)
        return t.request(calls.make(name, called.get("id")), name, called.get("args"))
    if isinstance(part.get("text"), str):
        return t.left_out("thought") if part.get("thought") is True else t.text(part["text"])
    return t.left_out(next(iter(part), "part"))


def _response(answer: Any, calls: _Calls, path: str) -> t.Partial:
    [given] = t.objects([answer], path)
    call = calls.answer(t.needed(given, "name", path), given.get("id"), path)
    returned = given.get("response")
    if isinstance(returned, dict) and len(returned) == 1:
        [(key, value)] = returned.items()
        if key in (_OUTPUT, _ERROR) and isinstance(value, str):
            return t.response(call, value, is_failed=key == _ERROR)
    return t.response(call, orjson.dumps(returned).decode())


def _part(partial: t.Partial, names: dict[str, str]) -> Json:
    payload = partial["payload"]
    match partial["type"]:
        case "toolRequest":
            called = {"id": payload["callId"], "name": payload["shortId"]}
            return {"functionCall": called | {"args": payload["input"]}}
        case "toolResponse":
            # A response to a call of another thread has no name to go by.
            name = names.get(payload["callId"], payload["callId"])
            answer = {"id": payload["callId"], "name": name, "response": _returned(payload)}
            return {"functionResponse": answer}
        case _:
            return {"text": payload["content"]}


def _returned(payload: Json) -> Json:
    """Write an answer as the object it is the text of, if it comes back the same; else as text."""
    if payload["status"] == "failed":
        return {_ERROR: payload["output"]}
    value = t.read_input(payload["output"])
    if not isinstance(value, dict) or value.keys() in ({_OUTPUT}, {_ERROR}):
        return {_OUTPUT: payload["output"]}
    comes_back = orjson.dumps(value).decode() == payload["output"]
    return value if comes_back else {_OUTPUT: payload["output"]}


def _either(given: Any, *names: str) -> Any:
    """Read a field that is spelled one way over the wire and another way in Python."""
    return next((given[name] for name in names if isinstance(given, dict) and name in given), None)
