"""A process that has loaded all tests, and forks for each fault: a part of pytest.

`pytest -p tests.mutants.forking` runs no test by itself. Through the socket whose number
`HANSARD_FORKING` holds it is told which fault to put where, and by which tests to judge it; a fork
of it has the fault, runs them, and ends with the first that fails.
"""

import gc
import json
import os
import resource
import select
import signal
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import sql

from tests import postgres_server
from tests.mutants.swapping import Loaded, OnImportError

PLACE = "HANSARD_FORKING"
PASSED, FAILED, UNFIT = 0, 1, 3
"""How a fork ends. `UNFIT`: the fault is in what is done on import, which is over."""

OWN_SCHEMAS = "SELECT nspname FROM pg_namespace WHERE nspname !~ '^(pg_|information_schema$)'"


class Forking:
    """Judges what it is asked to."""

    def __init__(self, session: pytest.Session) -> None:
        """Take what was collected."""
        self._session = session
        self._items = {item.nodeid: item for item in session.items}
        self._loaded = Loaded()
        self._server: AbstractContextManager[str] | None = None
        self._url = ""

    def serve(self, channel: socket.socket) -> None:
        """Judge until nobody asks any more."""
        gc.collect()
        gc.freeze()
        with channel, channel.makefile("rw") as lines:
            for line in lines:
                lines.write(json.dumps(self._judged(**json.loads(line))) + "\n")
                lines.flush()
        if self._server is not None:
            self._server.__exit__(None, None, None)

    def _judged(
        self, file: str, faulty: str | None, tests: Sequence[str], patience_s: float
    ) -> dict[str, Any]:
        """Run tests with a fault, or with none, and say how that ended."""
        # A case that a helper no longer makes is gone, though its test's file is as it was.
        items = [self._items[test] for test in tests if test in self._items]
        if any(item.get_closest_marker("postgres") for item in items):
            self._empty_server()
        assert threading.active_count() == 1, "a fork would lose the other threads"
        said, saying = os.pipe()
        began = time.monotonic()
        child = os.fork()
        if not child:
            os.close(said)
            self._be_fork(Path(file), faulty, items, saying, work_s=int(patience_s) // 3)
        os.close(saying)
        ended = _waited_for(child, patience_s)
        # Servers and programs that the tests started go with it.
        with suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
        if ended is None:
            os.waitpid(child, 0)
        is_worn_out = ended in {-signal.SIGXCPU, -signal.SIGKILL}
        if is_worn_out:
            ended = None
        with os.fdopen(said, "rb") as told:
            failed = told.read().decode()
        took_s = time.monotonic() - began
        return {"ended": ended, "failed": failed, "took_s": took_s, "is_worn_out": is_worn_out}

    def _be_fork(
        self,
        file: Path,
        faulty: str | None,
        items: Sequence[pytest.Item],
        saying: int,
        *,
        work_s: int,
    ) -> None:
        os.setpgid(0, 0)
        # What goes round without end is told by its work: on a busy machine all else takes long.
        resource.setrlimit(resource.RLIMIT_CPU, (work_s, work_s + 1))
        code = UNFIT
        try:
            nowhere = os.open(os.devnull, os.O_RDWR)
            for stream in (1, 2):
                os.dup2(nowhere, stream)
            if faulty is not None:
                self._loaded.change(file, faulty)
            code = self._run(items, saying)
        except OnImportError:
            pass
        finally:
            os._exit(code)

    def _run(self, items: Sequence[pytest.Item], saying: int) -> int:
        for item, after in zip(items, [*items[1:], None], strict=True):
            item.ihook.pytest_runtest_protocol(item=item, nextitem=after)
            if self._session.testsfailed:
                os.write(saying, item.nodeid.encode())
                return FAILED
        return PASSED

    def _empty_server(self) -> None:
        """Have a PostgreSQL at hand for all forks, with nothing in it of an earlier one."""
        if self._server is None:
            kept = self._session.config.cache.mkdir("locales")
            self._server = postgres_server.postgres_server(kept)
            self._url = self._server.__enter__()
            postgres_server.postgres_server = self._given  # type: ignore[assignment]
        with psycopg.connect(self._url, autocommit=True) as connection:
            for (name,) in connection.execute(OWN_SCHEMAS).fetchall():
                connection.execute(sql.SQL("DROP SCHEMA {} CASCADE").format(sql.Identifier(name)))
            connection.execute("CREATE SCHEMA public")

    @contextmanager
    def _given(self, _: Path | None = None) -> Iterator[str]:
        yield self._url


def _waited_for(child: int, patience_s: float) -> int | None:
    """Wait for the end of a fork, and give its code, or `None` if it does not end."""
    watching = os.pidfd_open(child)
    try:
        waiting = select.poll()
        waiting.register(watching, select.POLLIN)
        if not waiting.poll(patience_s * 1000):
            return None
        _, status = os.waitpid(child, 0)
        return os.waitstatus_to_exitcode(status)
    finally:
        os.close(watching)


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool:
    """Judge instead of running."""
    Forking(session).serve(socket.socket(fileno=int(os.environ[PLACE])))
    return True
