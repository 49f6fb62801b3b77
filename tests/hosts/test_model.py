"""The scripted model follows its script on every wire, however a host asks."""

import gzip
import json
import urllib.request
from typing import Any

import pytest

from tests.hosts.cast import COLUMNS
from tests.hosts.model import speaking
from tests.hosts.script import Call
from tests.hosts.table import lines

SCRIPT = [Call("look", {"at": 1}), Call("write", {"at": 2})]

WIRES: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "messages": (
        "/v1/messages",
        {"tools": [{"name": "look"}], "messages": []},
        {"messages": [{"role": "assistant", "content": [{"type": "tool_use"}]}]},
    ),
    "responses": (
        "/v1/responses",
        {"tools": [{"type": "namespace", "name": "ours", "tools": [{"name": "look"}]}]},
        {"input": [{"type": "function_call"}, {"type": "function_call_output"}]},
    ),
    "chat": (
        "/v1/chat/completions",
        {"tools": [{"function": {"name": "look"}}], "messages": []},
        {"messages": [{"role": "assistant", "tool_calls": [{"id": "1"}]}]},
    ),
    "gemini": (
        "/v1beta/models/any:generateContent",
        {"tools": [{"functionDeclarations": [{"name": "look"}]}], "contents": []},
        {"contents": [{"role": "model", "parts": [{"functionCall": {}}]}]},
    ),
}
"""For each a path, a first request, and what a second adds."""


def ask(url: str, body: dict[str, Any], **headers: str) -> str:
    content = json.dumps(body).encode()
    if headers.get("content-encoding") == "gzip":
        content = gzip.compress(content)
    request = urllib.request.Request(url, content, {"content-type": "application/json", **headers})
    with urllib.request.urlopen(request) as answer:
        return str(answer.read().decode())


@pytest.mark.parametrize("wire", WIRES)
def test_a_turn_is_due_by_what_the_request_already_holds(wire: str) -> None:
    path, first, later = WIRES[wire]

    with speaking() as model:
        model.begin(SCRIPT)
        answers = [ask(model.url + path, body) for body in (first, first | later, first)]

    assert ["look" in answer for answer in answers] == [True, False, True]
    assert ["write" in answer for answer in answers] == [False, True, False]
    assert [one.done for one in model.asked] == [0, 1, 0]


@pytest.mark.parametrize("wire", WIRES)
def test_a_request_without_tools_disturbs_nothing(wire: str) -> None:
    path, first, _ = WIRES[wire]

    with speaking() as model:
        model.begin(SCRIPT)
        answer = ask(model.url + path, {**first, "tools": []})

    assert "look" not in answer
    assert "ok" in answer


@pytest.mark.parametrize("wire", WIRES)
def test_what_is_streamed_says_the_same(wire: str) -> None:
    path, first, _ = WIRES[wire]
    path = path.replace(":generate", ":streamGenerate")

    with speaking() as model:
        model.begin(SCRIPT)
        answer = ask(model.url + path, {**first, "stream": True}, **{"content-encoding": "gzip"})

    data = [line for line in answer.splitlines() if line.startswith("data: ")]
    assert any("look" in line for line in data)


def test_the_table_shows_every_host_with_every_column() -> None:
    cells = dict.fromkeys(COLUMNS, "yes") | {"brief": "–"}

    head, row = lines([("a-host", cells, 12.3)])

    assert (
        head.split()
        == "host connects calls hook edit hook shell brief undo session joined seconds".split()
    )
    assert row.split() == ["a-host", "yes", "yes", "yes", "yes", "–", "yes", "yes", "12"]
