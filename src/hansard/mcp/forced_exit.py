"""Forces the exit of a server that was told to end and cannot."""

import os
import sys
import threading
from types import TracebackType
from typing import Self

from hansard.kernel.limits import SHUTDOWN_S

GIVE_UP_S = SHUTDOWN_S - 1.0
"""How long requests that are already in may take to finish once the server is to end."""


class ForcedExit:
    """Ends the process some time after `start`, if it has not ended by itself.

    What was acknowledged is on disk by then, and the rest is settled at the next start.
    """

    def __init__(self) -> None:
        """Wait to be started."""
        self._is_served = False
        self._timer = threading.Timer(GIVE_UP_S, self._give_up)
        self._timer.daemon = True

    def start(self) -> None:
        """Begin to count, as the server begins to end."""
        self._timer.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._is_served = True

    def _give_up(self) -> None:
        # The interpreter waits for calls in other threads after the main thread is done.
        if self._is_served and threading.main_thread().is_alive():
            return
        sys.stderr.write("Hansard ends with requests still open, since they take too long.\n")
        sys.stderr.flush()
        os._exit(1)
