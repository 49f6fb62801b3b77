"""Scenes in a child process that stop at gates, and strace between one gate and the next.

A scene is a function of a module, given a `Stage`. It opens what it needs, and before each part in
which faults are wanted it stops at a gate. The test attaches strace there and lets it go on, so
that what strace counts begins at the gate. strace counts the calls of each thread apart, so a part
should make the same system call in one thread only.

A sweep has its scenes played in another way: see `player`.
"""

import json
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import IO, Any

import pytest

from tests.crash import stage
from tests.crash.checks import Ack
from tests.crash.stage import Scene
from tests.launcher.programs import Popen
from tests.patience import PATIENCE_S

ROOT = Path(__file__).parents[2]

SOON_S = PATIENCE_S


class Child:
    """A scene being played."""

    def __init__(self, scene: Scene, folder: Path) -> None:
        self.folder = folder
        self.acks: list[Ack] = []
        self.told: list[dict[str, Any]] = []
        self.refusal: dict[str, Any] | None = None
        self.at: str | None = None
        """The gate at which it stands."""
        self.is_over = False
        self.process: Popen[bytes] = Popen(
            [sys.executable, "-m", stage.__name__, scene.__module__, scene.__name__, str(folder)],
            cwd=ROOT,
            env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._said = _Lines(self.process.stdout)
        self._complaints = _Lines(self.process.stderr)

    def until(self, gate: str | None) -> None:
        """Open every gate on the way to this one, where it stops; `None` means the end."""
        while (reached := self.at or self.next_gate()) != gate:
            assert reached is not None, f"never came to {gate}: {self.complaint}"
            self.go_on()

    def go_on(self) -> None:
        """Open the gate it stands at."""
        assert self.process.stdin is not None
        self.at = None
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()

    def end(self) -> int:
        """Open all gates; returns how the process ended."""
        self.until(None)
        return self.process.wait(SOON_S)

    @property
    def complaint(self) -> str:
        """What it wrote to its standard error until it ended."""
        return "".join(self._complaints)

    def close(self) -> None:
        """Kill it if it is still there."""
        self.process.kill()
        self.process.wait(SOON_S)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()

    def next_gate(self) -> str | None:
        """Wait until it stops at a gate, and say at which; `None` if it came to its end."""
        for line in self._said:
            words = json.loads(line)
            match words:
                case {"gate": str(gate)}:
                    self.at = gate
                    return gate
                case {"ack": ack}:
                    self.acks.append(Ack(**ack))
                case {"told": told}:
                    self.told.append(told)
                case {"refusal": refusal}:
                    self.refusal = refusal
        self.is_over = True
        return None


@contextmanager
def playing(scene: Scene, folder: Path) -> Iterator[Child]:
    """Play a scene; whatever is left of it when the block ends is killed."""
    child = Child(scene, folder)
    try:
        yield child
    finally:
        child.close()


@contextmanager
def traced(child: Child, *options: str) -> Iterator[Path]:
    """Attach strace to a child that stands at a gate; gives the file strace writes to."""
    output = child.folder.with_name(f"{child.folder.name}.strace")
    command = ["strace", "-f", "-y", "-o", str(output), *options, "-p", str(child.process.pid)]
    strace = subprocess.Popen(command, stderr=subprocess.PIPE)
    try:
        said = _Lines(strace.stderr)
        assert any("attached" in line for line in said), "strace could not attach"
        yield output
        # It ends with the child. Told to let go of one that is dying, it may wait for ever.
        if child.is_over:
            child.process.wait(SOON_S)
        else:
            strace.terminate()
        strace.wait(SOON_S)
    finally:
        strace.kill()
        strace.wait()
        assert strace.stderr is not None
        strace.stderr.close()


@dataclass(frozen=True, slots=True)
class Point:
    """The nth time that a process makes this call after a gate."""

    gate: str
    call: str
    nth: int


@dataclass(frozen=True, slots=True)
class Aftermath:
    """What a scene left behind."""

    point: Point
    folder: Path
    acks: list[Ack] = field(default_factory=list)
    told: list[dict[str, Any]] = field(default_factory=list)
    refusal: dict[str, Any] | None = None
    """What the scene was refused with, if it ended by that."""


@dataclass(frozen=True, slots=True)
class Call:
    """A system call as strace wrote it down."""

    thread: str
    name: str
    text: str


def calls_in(output: Path) -> list[Call]:
    """Read the calls that strace saw, in the order in which they began."""
    lines = (line.split(maxsplit=1) for line in output.read_text().splitlines())
    return [
        Call(thread, text.partition("(")[0], text)
        for thread, text in lines
        if not text.startswith(("+++", "---", "<..."))
    ]


@cache
def can_trace() -> bool:
    """Whether strace is here and may be used."""
    if shutil.which("strace") is None:
        return False
    return not subprocess.run(["strace", "-o", os.devnull, "true"], check=False).returncode


needs_strace = pytest.mark.skipif(
    not can_trace(), reason="strace is not installed or may not trace here"
)


def copied(prepared: Path, space: Path) -> Path:
    """Copy a folder to where nothing was before."""
    folder = Path(tempfile.mkdtemp(dir=space))
    return shutil.copytree(prepared, folder, dirs_exist_ok=True)


class _Lines:
    """The lines of a stream, none of which is waited for without end."""

    def __init__(self, stream: IO[bytes] | None) -> None:
        assert stream is not None
        self._queue: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        threading.Thread(target=self._read, args=(stream,), daemon=True).start()

    def __iter__(self) -> Iterator[str]:
        while (line := self._queue.get(timeout=SOON_S)) is not None:
            yield line
        self._queue.put(None)

    def _read(self, stream: IO[bytes]) -> None:
        # A stream that is closed while it is read has ended, too.
        with suppress(ValueError):
            for line in stream:
                self._queue.put(line.decode())
        self._queue.put(None)
