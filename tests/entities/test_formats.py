"""Conversations as providers spell them, read into turns and written back."""

import json
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hansard.app.application import Application
from hansard.entities import formats
from hansard.entities.formats import Format, Turn
from hansard.entities.formats.turns import request, response, text
from hansard.entities.types.message_thread import PARTIALS
from hansard.kernel.operation import Caller
from hansard.kernel.problem import InvalidInput

FORMATS: tuple[Format, ...] = get_args(Format)

QUESTION = "What is the weather in Paris and in Oslo?"
ANSWER = "Paris: 18 °C. Oslo could not be reached."

OPENAI = {
    "messages": [
        {"role": "system", "content": "You are terse."},
        {"role": "user", "content": QUESTION},
        {
            "role": "assistant",
            "content": "I will look.",
            "tool_calls": [
                {
                    "id": "call_1",
                    "type": "function",
                    "function": {"name": "weather", "arguments": '{"city":"Paris"}'},
                },
                {
                    "id": "call_2",
                    "type": "function",
                    "function": {"name": "weather", "arguments": '{"city":"Oslo"}'},
                },
            ],
        },
        {"role": "tool", "tool_call_id": "call_1", "content": '{"celsius":18}'},
        {"role": "tool", "tool_call_id": "call_2", "content": "timeout"},
        {"role": "assistant", "content": ANSWER},
        {
            "role": "user",
            "content": [{"type": "text", "text": "Thanks."}, {"type": "text", "text": "Bye."}],
        },
    ]
}

RESPONSES = {
    "input": [
        {
            "type": "message",
            "role": "system",
            "content": [{"type": "input_text", "text": "You are terse."}],
        },
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": QUESTION}]},
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "I will look."}],
        },
        {
            "type": "function_call",
            "call_id": "call_1",
            "name": "weather",
            "arguments": '{"city":"Paris"}',
        },
        {
            "type": "function_call",
            "call_id": "call_2",
            "name": "weather",
            "arguments": '{"city":"Oslo"}',
        },
        {"type": "function_call_output", "call_id": "call_1", "output": '{"celsius":18}'},
        {"type": "function_call_output", "call_id": "call_2", "output": "timeout"},
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": ANSWER}],
        },
        {
            "type": "message",
            "role": "user",
            "content": [
                {"type": "input_text", "text": "Thanks."},
                {"type": "input_text", "text": "Bye."},
            ],
        },
    ]
}

ANTHROPIC = {
    "system": "You are terse.",
    "messages": [
        {"role": "user", "content": QUESTION},
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "I will look."},
                {"type": "tool_use", "id": "call_1", "name": "weather", "input": {"city": "Paris"}},
                {"type": "tool_use", "id": "call_2", "name": "weather", "input": {"city": "Oslo"}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "call_1", "content": '{"celsius":18}'},
                {
                    "type": "tool_result",
                    "tool_use_id": "call_2",
                    "content": "timeout",
                    "is_error": True,
                },
            ],
        },
        {"role": "assistant", "content": ANSWER},
        {
            "role": "user",
            "content": [{"type": "text", "text": "Thanks."}, {"type": "text", "text": "Bye."}],
        },
    ],
}

GEMINI = {
    "systemInstruction": {"parts": [{"text": "You are terse."}]},
    "contents": [
        {"role": "user", "parts": [{"text": QUESTION}]},
        {
            "role": "model",
            "parts": [
                {"text": "I will look."},
                {"functionCall": {"id": "call_1", "name": "weather", "args": {"city": "Paris"}}},
                {"functionCall": {"id": "call_2", "name": "weather", "args": {"city": "Oslo"}}},
            ],
        },
        {
            "role": "user",
            "parts": [
                {
                    "functionResponse": {
                        "id": "call_1",
                        "name": "weather",
                        "response": {"celsius": 18},
                    }
                },
                {
                    "functionResponse": {
                        "id": "call_2",
                        "name": "weather",
                        "response": {"error": "timeout"},
                    }
                },
            ],
        },
        {"role": "model", "parts": [{"text": ANSWER}]},
        {"role": "user", "parts": [{"text": "Thanks."}, {"text": "Bye."}]},
    ],
}

DOCUMENTS: dict[Format, Any] = {
    "openai": OPENAI,
    "openai-responses": RESPONSES,
    "anthropic": ANTHROPIC,
    "gemini": GEMINI,
}


def weather(*, failed: bool) -> list[Turn]:
    """Give the turns that all the documents hold; only some formats know of failure."""
    said = [text("Thanks."), text("Bye.")]
    return [
        Turn("system", [text("You are terse.") or {}]),
        Turn("user", [text(QUESTION) or {}]),
        Turn(
            "assistant",
            [
                text("I will look.") or {},
                request("call_1", "weather", {"city": "Paris"}),
                request("call_2", "weather", {"city": "Oslo"}),
            ],
        ),
        Turn(
            "tool",
            [response("call_1", '{"celsius":18}'), response("call_2", "timeout", is_failed=failed)],
        ),
        Turn("assistant", [text(ANSWER) or {}]),
        Turn("user", [one for one in said if one]),
    ]


@pytest.mark.parametrize("spelling", FORMATS)
def test_a_conversation_is_read_as_turns_and_written_as_it_was(spelling: Format) -> None:
    document = DOCUMENTS[spelling]

    turns = formats.read(json.dumps(document))

    assert turns == weather(failed=spelling in ("anthropic", "gemini"))
    assert json.loads(formats.write(turns, spelling)) == document


@pytest.mark.parametrize("spelling", FORMATS)
def test_what_is_imported_can_be_a_thread(
    spelling: Format, app: Application, agent: Caller
) -> None:
    turns = formats.read(json.dumps(DOCUMENTS[spelling]))

    data = {"turns": [turn.plain() for turn in turns]}
    made = app.call("entity_create", {"type": "messageThread", "data": data}, agent)

    kept = made.model_dump(mode="json")["entity"]["turns"]
    assert [Turn(turn["senderId"], turn["partials"]) for turn in kept] == turns


TEXTS = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=20
)
NAMES = st.from_regex(r"[a-zA-Z0-9_-]{1,20}", fullmatch=True)
NUMBERS = st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
INPUTS = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)


@st.composite
def conversations(draw: st.DrawFn, *, knows_failure: bool) -> list[Turn]:
    """Make a conversation: perhaps a system prompt, then people, models and tools in any order."""
    turns = [Turn("system", [text(draw(TEXTS)) or {}])] if draw(st.booleans()) else []
    waiting: list[str] = []
    made = 0
    for _ in range(draw(st.integers(0, 6))):
        senders = {"user", "assistant", "tool"} - ({turns[-1].sender} if turns else set())
        sender = draw(st.sampled_from(sorted(senders - (set() if waiting else {"tool"}))))
        partials = []
        for _ in range(draw(st.integers(1, 3))):
            if sender == "tool":
                if waiting:
                    call = waiting.pop(draw(st.integers(0, len(waiting) - 1)))
                    failed = knows_failure and draw(st.booleans())
                    output = draw(TEXTS | INPUTS.map(json.dumps))
                    partials.append(response(call, output, is_failed=failed))
            elif sender == "assistant" and draw(st.booleans()):
                made += 1
                waiting.append(f"call-{made}")
                partials.append(request(f"call-{made}", draw(NAMES), draw(INPUTS)))
            else:
                partials.append(text(draw(TEXTS)) or {})
        turns.append(Turn(sender, partials))
    return turns


@pytest.mark.parametrize("spelling", FORMATS)
@given(choice=st.data())
@settings(deadline=None)
def test_any_conversation_comes_back_the_same(spelling: Format, choice: st.DataObject) -> None:
    knows_failure = spelling in ("anthropic", "gemini")
    turns = choice.draw(conversations(knows_failure=knows_failure))

    written = formats.write(turns, spelling)

    assert formats.read(written, spelling) == turns
    for turn in turns:
        PARTIALS.validate_python(turn.partials)


@given(turns=conversations(knows_failure=False))
@settings(deadline=None)
def test_a_conversation_survives_a_journey_through_all_formats(turns: list[Turn]) -> None:
    carried = turns
    for spelling in FORMATS:
        carried = formats.read(formats.write(carried, spelling), spelling)

    assert carried == turns


@pytest.mark.parametrize(
    ("document", "senders"),
    [
        ({"choices": [{"message": {"role": "assistant", "content": "hi"}}]}, ["assistant"]),
        (
            {"id": "msg_1", "type": "message", "role": "assistant", "content": [
                {"type": "thinking", "thinking": "hm", "signature": "x"},
                {"type": "text", "text": "hi"},
            ]},
            ["assistant"],
        ),
        (
            {"candidates": [{"content": {"role": "model", "parts": [{"text": "hi"}]}}]},
            ["assistant"],
        ),
        (
            {"output": [
                {"type": "reasoning", "summary": []},
                {"type": "message", "role": "assistant", "content": [
                    {"type": "output_text", "text": "hi", "annotations": []}]},
            ], "instructions": "Be kind.", "input": "hello"},
            ["system", "user", "assistant"],
        ),
        (
            [{"role": "developer", "content": "x"}, {"role": "user", "content": "y"}],
            ["system", "user"],
        ),
        ([{"role": "user", "parts": [{"text": "x"}]}], ["user"]),
    ],
)  # fmt: skip
def test_requests_responses_and_bare_messages_are_told_apart(
    document: Any, senders: list[str]
) -> None:
    assert [turn.sender for turn in formats.read(json.dumps(document))] == senders


def test_calls_of_gemini_without_ids_are_answered_in_their_order() -> None:
    called: list[Any] = [{"functionCall": {"name": name, "args": {}}} for name in ("a", "b", "a")]
    answers = [{"functionResponse": {"name": name, "response": {"output": name}}} for name in "aba"]
    contents = [{"role": "model", "parts": called}, {"role": "user", "parts": answers}]

    asked, answered = formats.to_partials("gemini", contents)

    calls = [one["payload"]["callId"] for one in asked.partials]
    assert calls == ["a-1", "b-1", "a-2"]
    assert [one["payload"]["callId"] for one in answered.partials] == calls
    with pytest.raises(InvalidInput):
        formats.to_partials("gemini", contents[1:])


@pytest.mark.parametrize(
    ("spelling", "part"),
    [
        ("openai", {"type": "image_url", "image_url": {"url": "https://example.org/cat.png"}}),
        ("openai-responses", {"type": "input_image", "image_url": "https://example.org/cat.png"}),
        ("anthropic", {"type": "image", "source": {"type": "url", "url": "https://example.org"}}),
        ("gemini", {"inlineData": {"mimeType": "image/png", "data": "aGk="}}),
    ],
)
def test_what_is_no_text_leaves_a_note_in_its_place(spelling: Format, part: Any) -> None:
    key = "parts" if spelling == "gemini" else "content"
    said = {"text": "Look:"} if spelling == "gemini" else {"type": "text", "text": "Look:"}

    [turn] = formats.to_partials(spelling, [{"role": "user", key: [said, part]}])

    kind = "inlineData" if spelling == "gemini" else part["type"]
    assert turn.partials == [text("Look:"), text(f"[{kind} left out]")]


@pytest.mark.parametrize(
    "arguments", ["{broken", "3" * 40, '{"n":1e999}', '"\\ud800"', "[" * 9_999]
)
def test_what_a_model_gave_that_is_no_json_is_kept_to_the_letter(arguments: str) -> None:
    function = {"name": "look", "arguments": arguments}
    call = {"id": "1", "type": "function", "function": function}
    document = {"messages": [{"role": "assistant", "content": None, "tool_calls": [call]}]}

    turns = formats.to_partials("openai", document)

    assert turns[0].partials == [request("1", "look", arguments)]
    assert formats.from_partials("openai", turns) == document


def test_other_senders_speak_in_the_role_that_fits_what_they_do() -> None:
    turns = [
        Turn("alice", [text("Hello") or {}]),
        Turn("agent-7", [text("Hi") or {}, request("1", "look", {})]),
        Turn("runner", [response("1", "seen"), text("That was all.") or {}]),
        Turn("agent-7", [text("Good.") or {}]),
    ]

    messages = formats.from_partials("openai", turns)["messages"]

    roles = [message["role"] for message in messages]
    assert roles == ["user", "assistant", "tool", "user", "assistant"]


@pytest.mark.parametrize(
    "document",
    [
        "no JSON",
        "3",
        "[" * 99_999,
        '{"contents": [{"parts": [{"functionCall": {"name": "f", "args": [1e999]}}]}]}',
        "{}",
        '{"messages": "hi"}',
        '{"messages": [{"content": "hi"}]}',
        '{"messages": [{"role": "tool", "content": "hi"}]}',
        '{"messages": [{"role": "user", "content": [3]}]}',
        '{"messages": [{"role": "assistant", "tool_calls": [{"id": "1"}]}]}',
        '{"contents": [{"role": "user"}]}',
        '{"contents": [{"parts": [{"functionResponse": 3}]}]}',
        '{"input": [{"type": "function_call"}]}',
        '{"input": 3}',
        '{"output": 3}',
        '{"choices": [{}]}',
        '{"system": "x"}',
        '{"system": [{"type": "text"}], "messages": []}',
    ],
)
def test_what_is_no_conversation_is_refused(document: str) -> None:
    with pytest.raises(InvalidInput):
        formats.read(document)


@pytest.mark.parametrize("spelling", FORMATS)
@given(choice=st.data())
@settings(deadline=None)
def test_whatever_stands_where_a_field_should_be_is_read_or_refused(
    spelling: Format, choice: st.DataObject
) -> None:
    document = json.loads(json.dumps(DOCUMENTS[spelling]))
    places = [(document, key) for key in document]
    for holder, key in places:
        inner = holder[key]
        if isinstance(inner, dict | list):
            keys = list(inner) if isinstance(inner, dict) else list(range(len(inner)))
            places += [(inner, one) for one in keys]
    holder, key = choice.draw(st.sampled_from(places))
    holder[key] = choice.draw(INPUTS)

    try:
        turns = formats.read(json.dumps(document), choice.draw(st.sampled_from([spelling, None])))
    except InvalidInput:
        return
    assert all(turn.partials for turn in turns)


@pytest.mark.parametrize("spelling", FORMATS)
def test_of_a_tools_answers_a_provider_is_given_the_last_one(spelling: Format) -> None:
    def answer(status: str, output: str) -> Turn:
        payload = {"callId": "1", "status": status, "output": output}
        return Turn("tool", [{"type": "toolResponse", "payload": payload}])

    asks = Turn("assistant", [request("1", "look", {})])
    told = [asks, answer("inProgress", "half way"), answer("completed", "there")]

    written = formats.write(told, spelling)

    assert "half way" not in written
    assert formats.read(written, spelling)[-1] == answer("completed", "there")
