"""What is asked of a request before anything else: how long it is, and how often it was wrong."""

import json
import socket
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from hansard.app.quotas import CALLERS_MAX
from hansard.app.tokens import RateLimited
from hansard.http.rate_limits import FAILURES_AT_ONCE, Failures
from hansard.kernel.limits import REQUEST_BYTES_MAX
from tests.http.serving import Answer, Server, let_in, make_token, serving
from tests.patience import PATIENCE_S

PATHS = ["/mcp", "/api/v1/list_projects", "/api/v1/door", "/api/v1/nowhere", "/metrics", "/"]
OVER = REQUEST_BYTES_MAX + 1
CHUNK = b"x" * (1 << 20)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def token(home: Path) -> str:
    return make_token(home, "agent", name="builder")[0]


@pytest.fixture(scope="module")
def guarded(home: Path, token: str) -> Iterator[Server]:
    """A server that lets in nobody without a token."""
    assert token
    with serving(home) as server:
        yield server


def status_of(server: Server, path: str, headers: str, parts: Iterator[bytes]) -> int:
    """Send a request as it is, whatever it says of itself; gives the status of the answer."""
    host = server.base.removeprefix("http://")
    head = f"POST {path} HTTP/1.1\r\nHost: {host}\r\n{headers}\r\n"
    with closing(socket.create_connection(("127.0.0.1", server.port), PATIENCE_S)) as wire:
        wire.sendall(head.encode())
        for part in parts:
            wire.sendall(part)
        with wire.makefile("rb") as answer:
            return int(answer.readline().split()[1])


def chunked(size_bytes: int) -> Iterator[bytes]:
    for _ in range(size_bytes // len(CHUNK)):
        yield b"%x\r\n%s\r\n" % (len(CHUNK), CHUNK)
    yield b"1\r\nx\r\n0\r\n\r\n"


@pytest.mark.parametrize("path", PATHS)
def test_a_body_over_the_limit_is_413_whatever_else_is_wrong(guarded: Server, path: str) -> None:
    for wrong in ({}, {"authorization": "Bearer x"}, {"host": "evil.example"}, {"origin": "null"}):
        answer = guarded.request("POST", path, b"x" * OVER, **wrong)

        assert answer.status == 413, wrong
        assert b"REQUEST_TOO_LARGE" in answer.body


@pytest.mark.parametrize("path", PATHS)
def test_a_body_of_unsaid_length_is_413_too(guarded: Server, path: str) -> None:
    headers = "Transfer-Encoding: chunked\r\nContent-Type: application/json\r\n"

    assert status_of(guarded, path, headers, chunked(REQUEST_BYTES_MAX)) == 413


@pytest.mark.parametrize("path", PATHS)
def test_a_length_that_is_a_lie_is_taken_at_its_word(guarded: Server, path: str) -> None:
    announced = f"Content-Length: {10**12}\r\n"

    assert status_of(guarded, path, announced, iter([b"{}"])) == 413


def test_a_body_of_unsaid_length_within_the_limit_is_served(guarded: Server, token: str) -> None:
    headers = f"Authorization: Bearer {token}\r\nContent-Type: application/json\r\n"
    parts = iter([b"2\r\n{}\r\n0\r\n\r\n"])

    path = "/api/v1/list_projects"
    assert status_of(guarded, path, f"{headers}Transfer-Encoding: chunked\r\n", parts) == 200


FOREIGN: list[tuple[dict[str, str], int]] = [
    ({"host": "evil.example"}, 421),
    ({"origin": "https://evil.example"}, 403),
    ({"origin": "null"}, 403),
]


@pytest.mark.parametrize("path", ["/api/v1/openapi.json", "/metrics", "/mcp", "/api/v1"])
def test_every_door_is_guarded_alike(guarded: Server, token: str, path: str) -> None:
    bearer = {"authorization": f"Bearer {token}"}

    assert guarded.request("GET", path).status == 401
    for headers, status in FOREIGN:
        assert guarded.request("GET", path, None, **bearer | headers).status == status


def test_the_description_is_for_who_may_come_in(guarded: Server, token: str) -> None:
    path = "/api/v1/openapi.json"

    assert guarded.request("GET", path, authorization=f"Bearer {token}").status == 200
    assert guarded.request("GET", path, cookie=let_in(guarded).cookie).status == 200


# Wrong tokens.


def asked(server: Server, bearer: str, path: str = "/api/v1/list_projects") -> Answer:
    headers = {"content_type": "application/json", "authorization": f"Bearer {bearer}"}
    return server.request("POST", path, json.dumps({}).encode(), **headers)


@pytest.mark.parametrize("way", ["/api/v1/list_projects", "/mcp", "/api/v1/door", "/?token="])
def test_wrong_tokens_are_told_to_wait_and_good_ones_are_not(tmp_path: Path, way: str) -> None:
    good, identity = make_token(tmp_path, "agent", name="builder")
    assert identity in good
    with serving(tmp_path) as server:
        wrong = f"{good[:-4]}{'AAAA' if not good.endswith('AAAA') else 'BBBB'}"

        def guess() -> Answer:
            return server.request("GET", way + wrong) if "?" in way else asked(server, wrong, way)

        first = [guess().status for _ in range(FAILURES_AT_ONCE)]
        # While we guess, some are forgiven.
        limited = next(one for one in iter(guess, None) if one.status == 429)

        assert set(first) <= {401, 303}
        assert int(limited.headers["retry-after"]) >= 1
        assert limited.json()["error"]["code"] == "RATE_LIMITED"
        assert asked(server, good).status == 200


class Client:
    """An address, as a request names it."""

    def __init__(self, host: str) -> None:
        self.client = type("Address", (), {"host": host})()


def test_failures_of_one_address_do_not_count_for_another() -> None:
    now = [0.0]
    failures = Failures(clock=lambda: now[0])
    one, other = Client("10.0.0.1"), Client("10.0.0.2")
    for _ in range(FAILURES_AT_ONCE):
        failures.count(one)  # type: ignore[arg-type]

    with pytest.raises(RateLimited):
        failures.count(one)  # type: ignore[arg-type]
    failures.count(other)  # type: ignore[arg-type]
    now[0] = 60.0
    failures.count(one)  # type: ignore[arg-type]


def test_addresses_that_come_and_go_do_not_fill_the_memory() -> None:
    failures = Failures()

    for number in range(CALLERS_MAX + 10):
        failures.count(Client(f"10.0.0.{number}"))  # type: ignore[arg-type]

    assert len(failures._shown._buckets) == CALLERS_MAX
