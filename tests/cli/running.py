"""Running the command: here, in a process of its own, or on a terminal."""

import io
import os
import pty
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from hansard.app import people
from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.cli.main import run
from hansard.kernel.engine import WriteTx
from hansard.kernel.event import Actor, Stamp
from hansard.sessions.events import SessionStarted
from hansard.sessions.projects import make as make_project
from tests.launcher.programs import Popen
from tests.patience import PATIENCE_S, is_readable

WAIT_S = PATIENCE_S
AGENT = Actor("agent", "stdio", "agent")
AT = "2026-01-02T03:04:05.000000Z"


@dataclass(frozen=True)
class Ran:
    """How a command went."""

    code: int
    out: str
    err: str = ""


class Hansard:
    """The command, with a store of its own and no settings of whoever runs the tests."""

    def __init__(self, folder: Path) -> None:
        self.store = folder / "store"
        kept = {name: value for name, value in os.environ.items() if "HANSARD" not in name}
        self.environment = kept | {
            "HANSARD_CONFIG": os.devnull,
            "HANSARD_STORE": str(self.store),
            "PAGER": "cat",
        }

    def command(self, *arguments: str) -> Sequence[str]:
        return [sys.executable, "-m", "hansard.cli.main", *arguments]

    def __call__(self, *arguments: str, **environment: str) -> Ran:
        """Run it in this process, which is what most tests can afford."""
        out, err = io.StringIO(), io.StringIO()
        with (
            patch.dict(os.environ, self.environment | environment, clear=True),
            patch.object(sys, "stdin", io.StringIO()),
            redirect_stdout(out),
            redirect_stderr(err),
        ):
            code = run(list(arguments))
        return Ran(code, out.getvalue(), err.getvalue())

    def start(self, *arguments: str, **environment: str) -> subprocess.Popen[str]:
        """Start it in a process of its own."""
        return Popen(
            self.command(*arguments),
            env=self.environment | environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )

    def on_a_terminal(self, *arguments: str, **environment: str) -> Ran:
        """Run it where stdin, stdout and stderr are a terminal."""
        ours, theirs = pty.openpty()
        process: Popen[bytes] = Popen(
            self.command(*arguments),
            env=self.environment | environment,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
        )
        os.close(theirs)
        try:
            shown = _read_all(ours)
            return Ran(process.wait(WAIT_S), shown)
        finally:
            os.close(ours)
            process.kill()
            process.wait(WAIT_S)


def _read_all(terminal: int) -> str:
    shown = b""
    deadline = time.monotonic() + WAIT_S
    while time.monotonic() < deadline:
        if not is_readable(terminal, 0.5):
            continue
        try:
            read = os.read(terminal, 65536)
        except OSError:
            # Linux says that the other end was closed in this way.
            break
        if not read:
            break
        shown += read
    return shown.decode().replace("\r\n", "\n")


def know_secret(store: Path, secret: str) -> None:
    """Have a store know its secret, as if a person had typed it; it is made if need be."""
    app = start(Settings(store=str(store)))
    try:
        people.set_secret(app.store, secret, Stamp(Actor("human", "ada", "admin"), AT))
    finally:
        app.close()


def write_sessions(hansard: Hansard, names: Sequence[str], project: str = "default") -> None:
    """Put an entry into the journal for each name."""
    app = start(Settings(store=str(hansard.store)))
    try:
        make_project(app.store, project, Stamp(AGENT, AT))

        def work(tx: WriteTx) -> None:
            for name in names:
                app.store.record(tx, SessionStarted(id=name), Stamp(AGENT, AT, name))

        app.store.write(project, work)
    finally:
        app.close()
