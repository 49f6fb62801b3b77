"""What is written to a client is whole and in order, however slowly it reads."""

import json
import os
import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import anyio
import pytest
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCResponse

from hansard.mcp.pipe_writer import LineWriter
from hansard.mcp.pipes import never_waits, write_ready
from tests.patience import PATIENCE_S

MESSAGES = 300
SIZES = (10, 4_000, 5_000, 70_000, 200_000)
"""Below and above what a pipe takes at once, and what it holds."""


@contextmanager
def reading(descriptor: int) -> Iterator[list[bytes]]:
    """Read lines in a thread, until the other end is closed."""
    lines: list[bytes] = []

    def read() -> None:
        with os.fdopen(descriptor, "rb") as pipe:
            lines.extend(pipe)

    thread = threading.Thread(target=read)
    thread.start()
    yield lines
    thread.join(PATIENCE_S)
    assert not thread.is_alive()


def a_writer(descriptor: int, answered: list[object], broken: threading.Event) -> LineWriter:
    return LineWriter(
        descriptor,
        framed=lambda line: line + b"\n",
        answered=answered.append,
        broken=broken.set,
    )


def test_messages_of_two_threads_are_whole_and_each_in_its_order() -> None:
    their_end, our_end = os.pipe()
    answered: list[object] = []
    writer = a_writer(our_end, answered, threading.Event())
    chance = random.Random(1)
    sizes = [chance.choice(SIZES) for _ in range(MESSAGES)]

    def other() -> None:
        for number in range(MESSAGES):
            params = {"n": number, "text": "y" * sizes[-number - 1]}
            said = {"jsonrpc": "2.0", "method": "other", "params": params}
            writer.put(json.dumps(said).encode())

    async def own() -> None:
        for number, size in enumerate(sizes):
            message = JSONRPCResponse(jsonrpc="2.0", id=number, result={"text": "x" * size})
            await writer.send(SessionMessage(message))

    with reading(their_end) as lines:
        beside = threading.Thread(target=other)
        beside.start()
        anyio.run(own)
        beside.join(PATIENCE_S)
        writer.finish()
        os.close(our_end)

    read = [Read(line) for line in lines]
    assert [one.number for one in read if one.is_answer] == list(range(MESSAGES))
    assert [one.size for one in read if one.is_answer] == sizes
    assert [one.number for one in read if not one.is_answer] == list(range(MESSAGES))
    assert [one.size for one in read if not one.is_answer] == sizes[::-1]
    assert answered == list(range(MESSAGES))


class Read:
    """A line that was read."""

    def __init__(self, line: bytes) -> None:
        message = json.loads(line)
        self.is_answer = "result" in message
        said = message["result"] if self.is_answer else message["params"]
        self.number = message["id"] if self.is_answer else said["n"]
        self.size = len(said["text"])


def test_nobody_who_reads_is_noticed() -> None:
    their_end, our_end = os.pipe()
    broken = threading.Event()
    writer = a_writer(our_end, [], broken)
    os.close(their_end)

    async def own() -> None:
        message = JSONRPCResponse(jsonrpc="2.0", id=1, result={})
        await writer.send(SessionMessage(message))

    anyio.run(own)

    assert broken.wait(PATIENCE_S)
    writer.finish()
    os.close(our_end)


def test_only_what_there_is_room_for_is_written_at_once() -> None:
    their_end, our_end = os.pipe()
    message = b"x" * 1_000_000

    left = write_ready(our_end, message)

    assert never_waits(our_end)
    assert 0 < len(left) < len(message)
    assert len(os.read(their_end, len(message))) == len(message) - len(left)
    os.close(their_end)
    os.close(our_end)


@pytest.mark.parametrize("path", ["/dev/null", "file"])
def test_what_is_no_pipe_may_wait(tmp_path: Path, path: str) -> None:
    descriptor = os.open(tmp_path / path, os.O_CREAT | os.O_WRONLY)

    assert not never_waits(descriptor)
    os.close(descriptor)
