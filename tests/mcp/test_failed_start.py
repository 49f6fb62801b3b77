"""A server whose store could not be opened: a request waits for the next try, and no longer."""

import json
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from hansard.kernel.problem import StorageUnavailable
from hansard.mcp import failed_start
from hansard.mcp.failed_start import Refusing
from hansard.mcp.pipe_reader import LineReader
from tests.patience import PATIENCE_S

PROBLEM = StorageUnavailable("The store is locked")


def request(number: int) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call"}).encode()


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    ends = os.pipe()
    yield ends
    for end in ends:
        os.close(end)


def test_a_request_waits_until_the_store_is_tried_again(pipe: tuple[int, int]) -> None:
    refusing = Refusing(PROBLEM, LineReader(pipe[0], pipe[1]))
    with ThreadPoolExecutor() as pool:
        taken = pool.submit(refusing.take, request(1))
        is_asked = pool.submit(refusing.is_asked)
        try:
            assert is_asked.result(PATIENCE_S)
        finally:
            refusing.end()
        refusing.refuse(PROBLEM)
        assert taken.result(PATIENCE_S)

    assert json.loads(os.read(pipe[0], 10_000))["id"] == 1


def test_those_that_came_while_it_was_waited_for_are_told_the_same(
    pipe: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(failed_start, "SAME_BREATH_S", PATIENCE_S)
    monkeypatch.setattr(failed_start, "RETRY_S", 0.0)
    refusing = Refusing(PROBLEM, LineReader(pipe[0], pipe[1]))
    refusing.refuse(PROBLEM)

    assert all(refusing.take(request(number)) for number in range(5))
    refusing.end()

    answers = os.read(pipe[0], 100_000).splitlines()
    assert [json.loads(one)["id"] for one in answers] == [*range(5)]
    assert [refusing.is_asked(), refusing.is_asked()] == [True, False]
