"""`hansard serve` in a process of its own, and a browser's side of talking to it."""

import json
import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from email.message import Message
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from hansard.app import people, tokens
from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.kernel.clock import to_text, utc_now
from hansard.kernel.event import Actor, Proof, Stamp
from hansard.kernel.store import Store
from hansard.sessions.projects import make as make_project
from tests.launcher.programs import PROGRAM, Popen, run
from tests.patience import PATIENCE_S

MODERN_META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
META_ONLY = {"_meta": MODERN_META}

WAIT_S = PATIENCE_S


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    headers: Message
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Server:
    """A server that runs, and what it said where it is."""

    base: str
    token: str
    home: Path
    process: subprocess.Popen[str] = field(repr=False)

    @property
    def port(self) -> int:
        port = urlsplit(self.base).port
        assert port
        return port

    def request(self, method: str, path: str, body: bytes | None = None, **headers: str) -> Answer:
        """Make one request, with just these headers."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        with closing(HTTPConnection(urlsplit(self.base).netloc, timeout=WAIT_S)) as connection:
            connection.request(method, path, body, named)
            answer = connection.getresponse()
            return Answer(answer.status, answer.headers, answer.read())

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run the program as the same person."""
        return run(
            [PROGRAM, *arguments],
            env=environment(self.home),
            capture_output=True,
            text=True,
            timeout=WAIT_S,
            check=False,
        )


@dataclass
class Browser:
    """Something with a cookie."""

    server: Server
    cookie: str

    def post(self, path: str, arguments: Any = None, **headers: str) -> tuple[int, Any]:
        """Post as the page does, save for the headers given."""
        usual = {
            "content_type": "application/json",
            "x_hansard_page": "1",
            "cookie": self.cookie,
            "origin": self.server.base,
        }
        body = json.dumps(arguments if arguments is not None else {}).encode()
        sent = {name: value for name, value in (usual | headers).items() if value}
        answer = self.server.request("POST", f"/api/v1/{path}", body, **sent)
        return answer.status, answer.json()

    def call(self, operation: str, **arguments: Any) -> Any:
        """Do an operation that is expected to be done."""
        status, answer = self.post(operation, arguments)
        assert status == 200, answer
        return answer


def environment(home: Path) -> dict[str, str]:
    return os.environ | {
        "HOME": str(home),
        "XDG_STATE_HOME": str(home / "state"),
        "HANSARD_STORE": str(home / "store"),
        "HANSARD_WORKSPACE": str(home),
        "HANSARD_EMBEDDER": "none",
        "BROWSER": "true",
    }


@contextmanager
def store_in(home: Path) -> Iterator[Store]:
    """Open the store of a server for a moment, beside it."""
    application = start(Settings(store=str(home / "store"), workspace=str(home), embedder="none"))
    try:
        yield application.store
    finally:
        application.close()


def make_token(
    home: Path, role: str, *, proof: Proof | None = "proved", **wanted: Any
) -> tuple[str, str]:
    """Make a token in the store of a server, as who has proved it; gives its text and its id."""
    stamp = Stamp(Actor("human", "maria", "admin"), to_text(utc_now()))
    with store_in(home) as store:
        for project in wanted.get("projects", ()):
            make_project(store, project, stamp)
        asked = tokens.WantedToken(role, **wanted)  # type: ignore[arg-type]
        made, text = tokens.create(store, asked, stamp, proof)
    return text, made.id


def set_secret(home: Path, secret: str) -> None:
    """Have the store of a server know a secret, as if a person had typed it."""
    stamp = Stamp(Actor("human", "maria", "admin"), to_text(utc_now()))
    with store_in(home) as store:
        people.set_secret(store, secret, stamp, before=people.known(store))


def revoke(home: Path, identity: str) -> None:
    """Take a token back while the server runs."""
    stamp = Stamp(Actor("human", "maria", "admin"), to_text(utc_now()))
    with store_in(home) as store:
        tokens.revoke(store, identity, stamp)


def mcp_call(server: Server, name: str, arguments: Any = None, **headers: str) -> Answer:
    """Call a tool in the current era of the protocol, with just these headers more."""
    params = {"name": name, "arguments": arguments or {}, "_meta": MODERN_META}
    return mcp_request(server, "tools/call", params, mcp_name=name, **headers)


def mcp_request(
    server: Server, method: str, params: dict[str, Any] | None = None, **headers: str
) -> Answer:
    """Send one request of the current era."""
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params or META_ONLY}
    usual = {
        "content_type": "application/json",
        "accept": "application/json, text/event-stream",
        "mcp_protocol_version": "2026-07-28",
        "mcp_method": method,
    }
    return server.request("POST", "/mcp", json.dumps(message).encode(), **usual | headers)


@contextmanager
def serving(home: Path, *flags: str, **variables: str) -> Iterator[Server]:
    """Serve a new store until the block ends."""
    process: Popen[str] = Popen(
        [PROGRAM, "serve", "--port", "0", *flags],
        env=environment(home) | variables,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stderr
        lines = [process.stderr.readline() for _ in range(2)]
        found = re.search(r"(http://\S+)/\?token=(\S+)", lines[1])
        assert found, lines
        yield Server(found[1], found[2], home, process)
    finally:
        process.terminate()
        process.communicate(timeout=WAIT_S)


def let_in(server: Server, token: str | None = None) -> Browser:
    """Enter with a token."""
    answer = server.request("GET", f"/?token={token or server.token}")
    assert (answer.status, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"]
    assert cookie, "the door stayed shut"
    return Browser(server, cookie.partition(";")[0])
