"""The stores that push and pull reach: a folder, a program over SSH, a server."""

import os
import re
import shlex
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from hansard.app.application import Application
from hansard.app.keeping import frames
from hansard.app.keeping.frames import PeerRefused, PeerUnreachable
from hansard.app.keeping.peer_store import Answer, Exchange
from hansard.app.keeping.push_pull import Peer
from hansard.app.openapi import BASE
from hansard.app.settings import LOOPBACK, Settings
from hansard.app.start import start
from hansard.cli.opened_store import store_exists
from hansard.cli.person_proof import PersonProof, moving, secret_of_another
from hansard.kernel.operation import Caller
from hansard.kernel.problem import InvalidInput, PermissionDenied, StorageUnavailable
from hansard.kernel.temporary_files import temporary_root

TOKEN_VARIABLE = "HANSARD_TOKEN"  # noqa: S105 - where the token is found, not the token

ANSWER_S = 600.0
"""How long a server may take for one message, such as to prove a large part."""

_SSH = re.compile(r"(?P<host>[^/:\s][^/:\s]*):(?P<path>.+)", re.DOTALL)
SECRET = "_secret"  # noqa: S105 - the name of a field
HEADER = "x-hansard-secret"


@dataclass(slots=True)
class LocalPeer:
    """A store that this process has open."""

    name: str
    exchange: Exchange
    caller: Caller

    def ask(self, message: dict[str, Any], body: bytes = b"") -> Answer:
        """Answer in this process; a person is asked for proof when that is needed."""
        try:
            return self.exchange.answer(message, body, self.caller)
        except PermissionDenied as problem:
            if problem.details.get("needs") != "secret" or self.caller.secret is not None:
                raise
            given = PersonProof(self.exchange.application).secret(self.caller)
            if given is None:
                raise
            self.caller = replace(self.caller, secret=given)
        return self.exchange.answer(message, body, self.caller)


class AskedAgain:
    """A peer that gets the secret of its store, if it asks for it."""

    def __init__(
        self, name: str, send: Callable[[dict[str, Any], bytes, str | None], Answer]
    ) -> None:
        """Send by this."""
        self.name = name
        self._send = send
        self._secret: str | None = None

    def ask(self, message: dict[str, Any], body: bytes = b"") -> Answer:
        """Send a message, once more with the secret if that is what it lacks."""
        try:
            return frames.accepted(self._send(message, body, self._secret), self.name)
        except PeerRefused as refused:
            if refused.details.get("needs") != "secret" or self._secret is not None:
                raise
            self._secret = secret_of_another(self.name)
            if self._secret is None:
                raise
        return frames.accepted(self._send(message, body, self._secret), self.name)


@contextmanager
def own(application: Application, name: str) -> Iterator[Peer]:
    """Give the store that is open as a peer."""
    with tempfile.TemporaryDirectory(prefix="hansard-", dir=temporary_root()) as folder:
        exchange = Exchange(application, Path(folder), is_own=True)
        yield LocalPeer(name, exchange, moving())


@contextmanager
def reached(address: str, settings: Settings, *, makes: bool) -> Iterator[Peer]:
    """Reach the store that an address names; one that is not there yet is made if it `makes`."""
    if "://" in address:
        with _server(address) as peer:
            yield peer
    elif (found := _SSH.fullmatch(address)) and not Path(address).exists():
        with _program(found["host"], found["path"], settings) as peer:
            yield peer
    else:
        with _folder(Path(address).expanduser(), settings, makes=makes) as peer:
            yield peer


@contextmanager
def _folder(folder: Path, settings: Settings, *, makes: bool) -> Iterator[Peer]:
    there = replace(settings, store=str(folder.resolve()), session="", project="")
    if not makes and not store_exists(there):
        raise StorageUnavailable(f"There is no store in {folder}", hint="Name a store's folder")
    application = start(there)
    try:
        with own(application, str(folder)) as peer:
            yield peer
    finally:
        application.close()


@contextmanager
def _program(host: str, path: str, settings: Settings) -> Iterator[Peer]:
    """Run Hansard at the other end of SSH, and talk to it on its stdin and stdout."""
    if host.startswith("-"):
        raise InvalidInput(f"{host} is no name of a machine")
    # SSH hands what follows to a shell there: each word is quoted for it.
    words = [*shlex.split(settings.remote_program), "exchange", "--store", path]
    command = [*shlex.split(settings.ssh), "--", host, shlex.join(words)]
    try:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    except OSError as error:
        raise PeerUnreachable(f"{command[0]} cannot be run: {error.strerror}") from error
    assert process.stdin is not None, "it was asked for"
    assert process.stdout is not None, "it was asked for"
    incoming, outgoing = process.stdout, process.stdin

    def send(message: dict[str, Any], body: bytes, secret: str | None) -> Answer:
        told = message if secret is None else message | {SECRET: secret}
        try:
            outgoing.write(frames.packed(told, body))
            outgoing.flush()
        except OSError as error:
            raise PeerUnreachable(f"{host} has hung up") from error
        answer = frames.read(incoming)
        if answer is None:
            raise PeerUnreachable(f"{host} has hung up")
        return answer

    try:
        yield AskedAgain(f"{host}:{path}", send)
    finally:
        with suppress(OSError):  # it may have closed with something still unsent
            outgoing.close()
        incoming.close()
        process.wait()


@contextmanager
def _server(url: str) -> Iterator[Peer]:
    """Talk to a server, with the token of the environment."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if parts.scheme not in {"http", "https"} or not host:
        raise InvalidInput(f"{url} is no address of a server")
    if parts.scheme == "http" and host not in LOOPBACK:
        raise InvalidInput(
            "A token and a project do not go over http to another machine in the open",
            hint="Name the server by https, or push over SSH",
        )
    token = os.environ.get(TOKEN_VARIABLE, "").strip()
    if not token:
        raise InvalidInput(
            f"{url} needs a token", hint=f"Put an admin's token into the variable {TOKEN_VARIABLE}"
        )
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    with closing(kind(parts.netloc.rpartition("@")[2], timeout=ANSWER_S)) as connection:
        sender = _Posting(connection, f"{parts.path.rstrip('/')}{BASE}/exchange", token)
        yield AskedAgain(f"{parts.scheme}://{host}", sender.send)


@dataclass(slots=True)
class _Posting:
    """Posts messages, each as a request of its own; redirects are not followed."""

    connection: HTTPConnection
    path: str
    token: str

    def send(self, message: dict[str, Any], body: bytes, secret: str | None) -> Answer:
        """Post one message."""
        headers = {
            "Authorization": f"Bearer {self.token}",
            "Content-Type": "application/json",
        }
        headers |= {HEADER: secret} if secret else {}
        try:
            self.connection.request("POST", self.path, frames.as_json(message, body), headers)
            response = self.connection.getresponse()
            said = response.read()
        except (OSError, HTTPException) as error:
            raise PeerUnreachable(f"The server does not answer: {error}") from error
        if response.headers.get_content_type() != "application/json":
            raise PeerUnreachable(f"The server answers with {response.status}, and no message")
        return frames.from_json(said)
