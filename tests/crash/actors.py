"""The process that plays scenes with faults: it has imported everything, and forks for each.

Run as `python -m tests.crash.actors`, with `faulty.c`, built, as its argument and in LD_PRELOAD if
library calls shall fail. It opens no store and has one thread, so that each fork begins where a new
process would, only the imports are done. Each order is a line of JSON, and so is each answer.
"""

import ctypes
import gc
import importlib
import json
import os
import socket
import sys
import threading
import traceback
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from hansard.app import start
from hansard.app.settings import Settings
from hansard.kernel.model import Model
from hansard.kernel.problem import Problem
from tests.crash import overseeing, syscalls
from tests.crash.overseeing import Strike
from tests.crash.stage import Stage
from tests.launcher import process
from tests.patience import lengthen


@dataclass(frozen=True, slots=True)
class Order:
    """A scene to play, and the fault that strikes it."""

    module: str
    scene: str
    folder: str
    said: str
    """The file in which it notes what it tells, and which a kill does not take away."""
    strike: Strike

    @classmethod
    def read(cls, line: str) -> "Order":
        """Read an order."""
        given = json.loads(line)
        return cls(**given | {"strike": Strike(**given["strike"])})

    def line(self) -> str:
        """Write it down."""
        return json.dumps(asdict(self)) + "\n"


class Struck(Stage):
    """A stage at whose gates nobody waits: after one of them, faults may strike."""

    def tell_test(self, **words: Any) -> None:
        """Tell the test itself something, past the scene."""
        self._say(words)

    def end(self) -> None:
        """Let nothing strike any more."""


class AtLibraryCalls(Struck):
    """Here they strike from within."""

    def __init__(self, folder: Path, strike: Strike, library: ctypes.CDLL) -> None:
        super().__init__(folder)
        self._library, self._strike, self._is_armed = library, strike, False

    def gate(self, name: str) -> None:
        """Begin or end to count calls."""
        self.end()
        if name == self._strike.gate:
            self._is_armed = True
            where, how = os.fsencode(self.folder), self._strike
            self._library.faulty_arm(where, how.nth, how.what, how.error)

    def end(self) -> None:
        """Let nothing strike any more, and tell what was met."""
        if self._is_armed:
            self._is_armed = False
            met = self._library.faulty_disarm()
            self.tell_test(met=met, struck=self._library.faulty_struck())


class AtSystemCalls(Struck):
    """Here they strike from outside: calls ask the process that has forked this one."""

    def __init__(self, folder: Path, strike: Strike, overseer: socket.socket) -> None:
        super().__init__(folder)
        self._overseer, self._strike, self._asks = overseer, strike, False

    def gate(self, name: str) -> None:
        """Begin to ask, or say that what is asked from here on does not count."""
        if name == self._strike.gate:
            listener = syscalls.ask_first()
            socket.send_fds(self._overseer, [overseeing.BEGUN], [listener])
            os.close(listener)
            self._asks = True
        elif self._asks:
            self._overseer.send(overseeing.PASSED)
        if self._asks:
            self._overseer.recv(1)


def reopen(stage: Stage) -> None:
    """Open what a scene left, as the next process does, and close it."""
    stage.gate("open")
    app = start.start(
        Settings(store=str(stage.folder / "store"), workspace=str(stage.folder / "ws"))
    )
    app.close()


def play(order: Order, stage: Struck) -> None:
    """Play one scene in this process, and end it.

    Every second point is struck in the main thread, as of a command, which never leads a commit;
    the others in a thread beside it, as of a server, which leads.
    """
    lasting = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(os.open(order.said, lasting, 0o600), 1)
    if order.strike.nth % 2:
        thread = threading.Thread(target=perform, args=(order, stage))
        thread.start()
        thread.join()
    else:
        perform(order, stage)
    stage.end()
    os._exit(0)


def perform(order: Order, stage: Struck) -> None:
    """Do what the scene says, and tell how it ended."""
    try:
        getattr(importlib.import_module(order.module), order.scene)(stage)
    except Problem as problem:
        stage.refuse(problem)
    except Exception:  # noqa: BLE001 - told to the test, which judges it
        stage.tell_test(bug=traceback.format_exc())


def carry_out(order: Order, library: ctypes.CDLL | None) -> dict[str, Any]:
    """Fork for a scene and watch it; says how it ended."""
    ours, theirs = socket.socketpair()
    folder = Path(order.folder)
    child = os.fork()
    if not child:
        ours.close()
        if order.strike.call is not None:
            play(order, AtSystemCalls(folder, order.strike, theirs))
        assert library is not None, "library calls strike only where the library is loaded"
        play(order, AtLibraryCalls(folder, order.strike, library))
    theirs.close()
    with ours, overseeing.Overseer(child, ours, order.strike, folder) as overseer:
        status = overseer.until_end()
    return {"status": status, "met": overseer.met, "struck": overseer.has_struck}


def loaded(path: str) -> ctypes.CDLL:
    """Find the library that was loaded before all others."""
    library = ctypes.CDLL(path)
    library.faulty_disarm.restype = library.faulty_struck.restype = ctypes.c_long
    library.faulty_arm.argtypes = (ctypes.c_char_p, ctypes.c_long, ctypes.c_int, ctypes.c_int)
    return library


def main() -> None:
    """Take orders until there are no more."""
    library = loaded(sys.argv[1]) if sys.argv[1:] else None
    process.preload()
    importlib.import_module("tests.crash.drills")
    process.build(Model)
    lengthen()
    assert len(list(Path("/proc/self/task").iterdir())) == 1, "a fork would lose the other threads"
    # What is here stays as it is, so that no fork has to copy it in order to look at it.
    gc.collect()
    gc.freeze()
    for line in sys.stdin:
        sys.stdout.write(json.dumps(carry_out(Order.read(line), library)) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
