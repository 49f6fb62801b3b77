"""Every line is a message or has an answer, and the answer names its request where it can."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp_types import JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

from hansard.kernel.limits import ID_CHARS_MAX, NESTING_MAX
from hansard.mcp.messages import ENVELOPE_LEVELS, ID_SEARCH_BYTES, Malformed, find_id, parse

PARSE, REQUEST, PARAMS = -32700, -32600, -32602


def refused(raw: bytes) -> Malformed:
    with pytest.raises(Malformed) as caught:
        parse(raw)
    return caught.value


def request(arguments: str = "{}", request_id: str = "7") -> bytes:
    params = f'{{"name":"x","arguments":{arguments}}}'
    return f'{{"jsonrpc":"2.0","id":{request_id},"method":"tools/call","params":{params}}}'.encode()


def nested(levels: int) -> str:
    return '{"a":' * (levels - 1) + "{}" + "}" * (levels - 1)


def test_a_request_a_notification_and_a_response_are_told_apart() -> None:
    notification = parse(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')
    response = parse(b'{"jsonrpc":"2.0","id":"a","result":{}}')

    assert isinstance(parse(request()), JSONRPCRequest)
    assert isinstance(notification, JSONRPCNotification)
    assert isinstance(response, JSONRPCResponse)


@pytest.mark.holds("ALL-06.9", "ALL-06.10")
@pytest.mark.parametrize(
    ("raw", "code", "request_id"),
    [
        pytest.param(request("[" * 100_000), PARAMS, 7, id="P-01 nesting 100,000"),
        pytest.param(request("[" * 10_000 + "]" * 10_000), PARAMS, 7, id="nesting 10,000"),
        pytest.param(request(nested(NESTING_MAX + 2)), PARAMS, 7, id="nesting 66"),
        pytest.param(request(f'{{"n":{"9" * 5_000}}}'), PARAMS, 7, id="P-05 5,000 digits"),
        pytest.param(request(f'{{"n":-{"9" * 30}}}'), PARAMS, 7, id="30 digits"),
        pytest.param(request('{"n":1e999}'), PARAMS, 7, id="a float beyond all"),
        pytest.param(request('{"path":"a","path":"../b"}'), PARAMS, 7, id="P-07 duplicate key"),
        pytest.param(request(r'{"t":"\ud800"}'), PARAMS, 7, id="a lone surrogate"),
        pytest.param(request(r'{"\uDFFF":1}'), PARAMS, 7, id="a lone surrogate as key"),
        pytest.param(
            request().replace(b'"x"', b'"\xff\xfe"'), PARSE, 7, id="P-09 bytes that are not UTF-8"
        ),
        pytest.param(request().replace(b'"x"', b'"\xed\xa0\x80"'), PARSE, 7, id="CESU-8"),
        pytest.param(request('{"n":NaN}'), PARSE, 7, id="NaN"),
        pytest.param(request('{"n":-Infinity}'), PARSE, 7, id="-Infinity"),
        pytest.param(request('{"n":01}'), PARSE, 7, id="a leading zero"),
        pytest.param(request('{"n":"a\tb"}'), PARSE, 7, id="a control character"),
        pytest.param(b"[" + request() + b"]", REQUEST, None, id="P-11 a batch"),
        pytest.param(b"[]", REQUEST, None, id="an empty batch"),
        pytest.param(b"hello", PARSE, None, id="garbage"),
        pytest.param(b"\x00", PARSE, None, id="NUL"),
        pytest.param(b"7", REQUEST, None, id="a number"),
        pytest.param(b"{}", REQUEST, None, id="nothing"),
        pytest.param(b'{"jsonrpc":"1.0","id":3,"method":"x"}', REQUEST, 3, id="another version"),
        pytest.param(b'{"jsonrpc":"2.0","id":3}', REQUEST, 3, id="no method"),
        pytest.param(b'{"jsonrpc":"2.0","id":3,"method":4}', REQUEST, 3, id="a method of 4"),
        pytest.param(
            b'{"jsonrpc":"2.0","id":3,"method":"x","params":[1]}', PARAMS, 3, id="params in a list"
        ),
        pytest.param(request(request_id="null"), REQUEST, None, id="id null"),
        pytest.param(request(request_id="true"), REQUEST, None, id="id true"),
        pytest.param(request(request_id="1.5"), REQUEST, None, id="id 1.5"),
        pytest.param(request(request_id="{}"), REQUEST, None, id="id an object"),
        pytest.param(
            request(request_id=json.dumps("i" * (ID_CHARS_MAX + 1))), REQUEST, None, id="a long id"
        ),
    ],
)
def test_what_is_no_request_is_refused_by_its_id(
    raw: bytes, code: int, request_id: int | None
) -> None:
    malformed = refused(raw)

    assert (malformed.code, malformed.request_id, malformed.owed) == (code, request_id, True)


@pytest.mark.holds("CHK-hash-5")
@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity"])
def test_what_is_no_number_is_a_named_problem_that_names_it(value: str) -> None:
    error = json.loads(refused(request(f'{{"n":{value}}}')).answer())["error"]

    assert error["data"]["code"] == "NOT_JSON"
    assert value in error["message"] == error["data"]["message"]
    assert error["code"] == error["data"]["rpc_code"] == PARSE


def test_an_argument_may_be_nested_as_deep_as_the_limit() -> None:
    parsed = parse(request(f'{{"value":{nested(NESTING_MAX)}}}'))

    assert isinstance(parsed, JSONRPCRequest)
    assert json.dumps(parsed.model_dump()).count("{") == ENVELOPE_LEVELS + NESTING_MAX


def test_brackets_inside_texts_are_no_nesting() -> None:
    assert isinstance(parse(request(json.dumps({"text": "[{" * 10_000}))), JSONRPCRequest)


def test_a_whole_surrogate_pair_and_an_escaped_backslash_are_text() -> None:
    parsed = parse(request(r'{"smile":"\ud83d\ude00","path":"\\ud800"}'))

    assert isinstance(parsed, JSONRPCRequest)
    assert parsed.params
    assert parsed.params["arguments"] == {"smile": "\N{GRINNING FACE}", "path": r"\ud800"}


@pytest.mark.parametrize(
    "raw",
    [
        b'{"jsonrpc":"2.0","method":"x","params":[1]}',
        b'{"jsonrpc":"2.0","method":5}',
        b'{"jsonrpc":"2.0","id":{},"result":5}',
        b'{"jsonrpc":"2.0","id":1,"error":5}',
    ],
)
def test_what_is_no_request_at_all_is_never_answered(raw: bytes) -> None:
    assert not refused(raw).owed


def test_an_id_is_only_taken_from_the_outermost_object() -> None:
    assert find_id(b'{"params":{"id":5},"x":[{"id":6}],"id":"seven","y":', b"") == "seven"
    assert find_id(b'{"params":{"id":5},"note":"\\"id\\":8", "x', b"") is None
    assert find_id(b'{"params":"{\\"id\\":8,', b"") is None


def test_an_id_that_may_have_been_cut_is_not_taken() -> None:
    assert find_id(b'{"id":12', b"") is None
    assert find_id(b'{"id":12,', b"") == 12


def test_the_id_at_the_end_of_a_long_message_is_found() -> None:
    long = b'{"method":"x","params":{"t":"' + b"a" * ID_SEARCH_BYTES + b'\xff"},"id":41}'

    assert refused(long).request_id == 41


values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=10,
)


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_a_message_or_have_an_answer(raw: bytes) -> None:
    with suppress(Malformed):
        parse(raw)


@settings(deadline=None)
@given(st.integers(0, 2**63) | st.text(max_size=20), st.dictionaries(st.text(max_size=5), values))
def test_a_request_comes_out_as_it_went_in(request_id: int | str, params: dict[str, Any]) -> None:
    sent = {"jsonrpc": "2.0", "method": "m", "params": params, "id": request_id}

    assert parse(json.dumps(sent).encode()).model_dump() == sent


@settings(deadline=None)
@given(
    st.integers(0, 2**63) | st.text(max_size=20),
    st.dictionaries(st.text(max_size=5), values),
    st.data(),
)
def test_the_id_of_a_cut_request_is_found_or_left_out_but_never_mistaken(
    request_id: int | str, params: dict[str, Any], data: st.DataObject
) -> None:
    sent = {"jsonrpc": "2.0", "method": "m", "params": params, "id": request_id, "more": params}
    whole = json.dumps(sent).encode()
    place = data.draw(st.integers(0, len(whole) - 1))

    assert find_id(whole[:place], whole[:place]) in {request_id, None}
    assert find_id(whole, whole) == request_id
