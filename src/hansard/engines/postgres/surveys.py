"""The thread that asks several servers again which of them is the primary.

Whoever goes on using a connection asks nobody, and would not learn of a server that was promoted
beside its own.
"""

import threading
from contextlib import suppress

import psycopg

from hansard.engines.postgres import servers
from hansard.engines.postgres.connections import Connector


class Surveys:
    """Asks all servers now and then, until it is closed."""

    def __init__(self, connector: Connector) -> None:
        """Start the thread."""
        self._connector = connector
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._serve, name="postgres-surveys", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the thread."""
        self._ended.set()
        self._thread.join()

    def _serve(self) -> None:
        while not self._ended.wait(servers.SURVEY_HOLDS_S):
            # What is found is noted there, and a caller is told.
            with suppress(psycopg.Error):
                self._connector.connect().close()
