"""Notices commits: this process's at once, others' by polling."""

import threading
import time

import apsw

POLL_S = 0.02
"""How often a watch checks whether another process has committed."""


class SqliteWatch:
    """Notices commits of this process at once and those of others by polling."""

    def __init__(self, connection: apsw.Connection, committed: threading.Condition) -> None:
        self._connection = connection
        self._committed = committed
        self._seen = self._look()

    def wait(self, timeout_s: float) -> bool:
        deadline = time.monotonic() + timeout_s
        while True:
            now = self._look()
            if now != self._seen:
                self._seen = now
                return True
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            with self._committed:
                self._committed.wait(min(left, POLL_S))

    def close(self) -> None:
        self._connection.close()

    def _look(self) -> int:
        version: int = self._connection.pragma("data_version")
        return version
