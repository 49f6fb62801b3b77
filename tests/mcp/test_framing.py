"""Messages that say how long they are: cut where they end, however they arrive."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hansard.mcp.framing import HEADERS_BYTES_MAX, Splitter, framed
from hansard.mcp.lines import Line, TooLong
from hansard.mcp.messages import ID_SEARCH_BYTES, find_id
from tests.mcp.conftest import StartStdio
from tests.mcp.processes import Json, StdioServer

BYTES_MAX = 2 * ID_SEARCH_BYTES


def cut(stream: bytes, *sizes: int) -> list[Line]:
    """Feed a stream in pieces of these sizes, the rest at once."""
    splitter = Splitter(bytes_max=BYTES_MAX)
    lines: list[Line] = []
    for size in sizes:
        lines += splitter.feed(stream[:size])
        stream = stream[size:]
    return [*lines, *splitter.feed(stream), *splitter.end()]


@given(
    messages=st.lists(st.binary(min_size=1, max_size=40), min_size=1, max_size=5),
    sizes=st.lists(st.integers(1, 30), max_size=20),
)
def test_framed_messages_come_out_as_they_went_in(messages: list[bytes], sizes: list[int]) -> None:
    assert cut(b"".join(map(framed, messages)), *sizes) == messages


@given(sizes=st.lists(st.integers(1, 12), max_size=12))
def test_lines_are_lines_however_they_arrive(sizes: list[int]) -> None:
    assert cut(b'\n{"a":1}\n\nContent-Length: 3\n', *sizes) == [b'{"a":1}', b"Content-Length: 3"]


@pytest.mark.parametrize(
    "headers",
    [
        b"content-length:2\n\n",
        b"Content-Length: 2\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n",
        b"CONTENT-LENGTH:\t2 \r\n\r\n",
    ],
)
def test_headers_may_be_written_as_in_mail(headers: bytes) -> None:
    assert cut(headers + b"{}" + headers + b"[]") == [b"{}", b"[]"]


def test_headers_without_a_length_are_given_to_be_refused() -> None:
    assert cut(framed(b"{}") + b"Content-Type: x\r\n\r\n" + framed(b"[]")) == [
        b"{}",
        b"Content-Type: x",
        b"[]",
    ]


def test_headers_without_an_end_are_not_held() -> None:
    stream = b"Content-Length: " + b"9" * HEADERS_BYTES_MAX

    assert cut(stream) == [stream]


@pytest.mark.parametrize("piece", [1_000, ID_SEARCH_BYTES, 10 * BYTES_MAX])
def test_a_message_that_is_too_long_is_let_go_and_the_next_one_read(piece: int) -> None:
    long = b'{"id":7,"x":"' + b"x" * 2 * BYTES_MAX + b'"}'
    stream = framed(long) + framed(b"{}")

    refused, after = cut(stream, *[piece] * (len(stream) // piece))

    assert isinstance(refused, TooLong)
    assert find_id(refused.head, refused.tail) == 7
    assert after == b"{}"


def ask(server: StdioServer, request_id: int, method: str, **params: object) -> Json:
    """Ask as a client that was written after the Language Server Protocol."""
    message = {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}
    server.write(framed(json.dumps(message).encode()))
    length = server.stdout.readline()
    assert length.startswith(b"Content-Length: ")
    assert server.stdout.readline() == b"\r\n"
    answer: Json = json.loads(server.stdout.read(int(length.partition(b":")[2])))
    return answer


@pytest.mark.parametrize("program", ["tests.mcp.programs", "tests.clients.stdio_command"])
def test_a_client_that_frames_its_messages_is_answered_in_frames(
    start_stdio: StartStdio, program: str
) -> None:
    server = start_stdio(program, reads=False)
    info = {"name": "@cline/core", "version": "0.0.0"}

    opened = ask(
        server, 1, "initialize", protocolVersion="2024-11-05", capabilities={}, clientInfo=info
    )
    listed = ask(server, 2, "tools/list")
    called = ask(server, 3, "tools/call", name="list_projects", arguments={})

    assert opened["result"]["protocolVersion"] == "2024-11-05"
    assert listed["result"]["tools"]
    assert (called["id"], called["result"]["isError"]) == (3, False)
    assert server.end() == 0
