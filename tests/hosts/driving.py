"""Driving one host through two chats, and what it left."""

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.hosts.cast import Host, Stage
from tests.hosts.installing import installed
from tests.hosts.model import Asked, Model
from tests.hosts.script import Script
from tests.launcher.programs import PROGRAM, run
from tests.patience import PATIENCE_S

PASSED_ON = ("PATH", "LANG", "LC_ALL", "TERM", "TMPDIR", "TZ")

EDITED, SHELLED, RECORDED = "edited.txt", "shelled.txt", "recorded.txt"
BEFORE = "one\ntwo\nthree\n"
"""What each of them holds at first."""


@dataclass(frozen=True, slots=True)
class Chat:
    """One run of a host."""

    code: int
    said: str
    asked: list[Asked]

    @property
    def chat(self) -> list[Asked]:
        """What was asked in the chat itself, and not on the side."""
        return [one for one in self.asked if one.offered]


@dataclass
class Driver:
    """Runs a host, and Hansard beside it, as one person with one home would."""

    host: Host
    packages: Path
    stage: Stage
    model: Model
    variables: Mapping[str, str]
    started: list[subprocess.Popen[str]] = field(default_factory=list)

    @property
    def environment(self) -> dict[str, str]:
        """What the host finds around it: nothing of whoever runs the tests."""
        around = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        return {
            **around,
            "HOME": str(self.stage.home),
            "CI": "1",
            **self.variables,
            **self.host.variables(self.stage),
        }

    def prepare(self) -> None:
        """Make the home and the repository, answer first questions, and have `init` put us in."""
        self.stage.home.mkdir(exist_ok=True)
        self.stage.workspace.mkdir()
        for name in (EDITED, SHELLED, RECORDED):
            (self.stage.workspace / name).write_text(BEFORE)
        for arguments in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "a beginning"]):
            who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
            subprocess.run(["git", *who, *arguments], cwd=self.stage.workspace, check=True)
        for path, text in self.host.answers(self.stage).items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        if not self.host.plugin:
            self.hansard("init", self.host.name, "--yes", *self.host.flags)
        for command in self.host.plugin:
            process = self._start(*command)
            said, _ = process.communicate(timeout=PATIENCE_S)
            assert process.returncode == 0, f"{command} says:\n{said}"

    def hansard(self, *arguments: str) -> str:
        """Run a command of ours in the repository, as the person would."""
        done = run(
            [PROGRAM, *arguments],
            cwd=self.stage.workspace,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"hansard {arguments} says:\n{done.stdout}{done.stderr}"
        return str(done.stdout)

    def told(self, *arguments: str) -> list[Any]:
        """Ask Hansard for JSON, one value a line."""
        return [json.loads(line) for line in self.hansard(*arguments, "--json").splitlines()]

    def chat(self, prompt: str, script: Script) -> Chat:
        """Let the host answer a prompt to its end."""
        self.model.begin(script)
        process = self._start(*self.host.arguments(prompt))
        said, _ = process.communicate(timeout=PATIENCE_S)
        return Chat(process.returncode, said, self.model.asked)

    def _start(self, *arguments: str) -> subprocess.Popen[str]:
        program = self.packages / self.host.program
        node = [runtime()] if program.suffix == ".js" else []
        process = subprocess.Popen(
            [*node, program, *arguments],
            cwd=self.stage.workspace,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self.started.append(process)
        return process

    def close(self) -> None:
        """End what was started, and what that left behind: all that has this home."""
        mark = f"HOME={self.stage.home}".encode()
        for folder in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if mark in (folder / "environ").read_bytes().split(b"\0"):
                    os.kill(int(folder.name), signal.SIGKILL)
        for process in self.started:
            process.wait()

    def text(self, name: str) -> str:
        """Read a file of the repository."""
        return (self.stage.workspace / name).read_text()


def runtime() -> Path:
    """Give the Node for hosts that are scripts: the one fetched with them is new enough."""
    packages = installed("node")
    return packages / ".bin" / "node" if packages else Path(shutil.which("node") or "node")
