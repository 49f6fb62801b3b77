"""Plays scenes with faults at library calls: run with `faulty.c`, built, in LD_PRELOAD.

Run as `python -m tests.crash.preloaded LIBRARY`. It has imported everything once, and forks for
each order that it reads: a line of JSON, answered by a line when the scene is over.
"""

import ctypes
import json
import os
import signal
import sys
import time
import traceback
from importlib import import_module
from pathlib import Path
from typing import Any

from hansard.app import start
from hansard.app.settings import Settings
from hansard.kernel.problem import Problem
from tests.crash.stage import Stage

POLL_S = 0.002


class Struck(Stage):
    """A stage at whose gates nobody waits: after one of them, faults may strike."""

    def __init__(self, folder: Path, library: ctypes.CDLL, order: dict[str, Any]) -> None:
        super().__init__(folder)
        self._library = library
        self._order = order
        self._is_armed = False

    def gate(self, name: str) -> None:
        """Begin or end to count calls."""
        self.disarm()
        if name == self._order["gate"]:
            self._is_armed = True
            where, how = os.fsencode(self.folder), self._order
            self._library.faulty_arm(where, how["nth"], how["what"], how["error"])

    def disarm(self) -> None:
        """Let nothing strike any more, and tell what was met."""
        if self._is_armed:
            self._is_armed = False
            met = self._library.faulty_disarm()
            self.tell_test(met=met, struck=self._library.faulty_struck())

    def tell_test(self, **words: Any) -> None:
        """Tell the test itself something, past the scene."""
        self._say(words)


def reopen(stage: Stage) -> None:
    """Open what a scene left, as the next process does, and close it."""
    stage.gate("open")
    app = start.start(
        Settings(store=str(stage.folder / "store"), workspace=str(stage.folder / "ws"))
    )
    app.close()


def play(order: dict[str, Any], library: ctypes.CDLL) -> None:
    """Play one scene in this process, and end it."""
    os.dup2(os.open(order["said"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), 1)
    stage = Struck(Path(order["folder"]), library, order)
    try:
        getattr(import_module(order["module"]), order["scene"])(stage)
    except Problem as problem:
        stage.refuse(problem)
    except Exception:  # noqa: BLE001 - told to the test, which judges it
        stage.tell_test(bug=traceback.format_exc())
    stage.disarm()
    os._exit(0)


def status_of(child: int, patience_s: float) -> int | None:
    """Wait for a child; `None` if it never ends, and had to be killed."""
    deadline = time.monotonic() + patience_s
    while time.monotonic() < deadline:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(POLL_S)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def main() -> None:
    """Take orders until there are no more."""
    library = ctypes.CDLL(sys.argv[1])
    library.faulty_disarm.restype = library.faulty_struck.restype = ctypes.c_long
    library.faulty_arm.argtypes = (ctypes.c_char_p, ctypes.c_long, ctypes.c_int, ctypes.c_int)
    for line in sys.stdin:
        order = json.loads(line)
        child = os.fork()
        if not child:
            play(order, library)
        sys.stdout.write(json.dumps({"status": status_of(child, order["patience_s"])}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
