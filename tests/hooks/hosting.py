"""Standing in for a host: its real events are told to the hook, and its tools are really used."""

import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

from hansard.cli.main import run
from tests.cli.running import Hansard, Ran

SAMPLES = Path(__file__).parent / "samples"
PROJECT = "/home/dev/project"
"""Where the samples were taken."""

FIRST, EDITED = "one\ntwo\n", "one\nTWO\n"
PREFIX = "HANSARD_"


@dataclass
class Host:
    """A project, a store, and the hook as a host runs it."""

    run: Hansard
    folder: Path
    name: str
    environment: dict[str, str] = field(default_factory=dict)

    def tell(self, told: object, *arguments: str, **environment: str) -> Ran:
        """Run the hook in this process with what the host tells it."""
        text = told if isinstance(told, str) else json.dumps(told)
        out, err = io.StringIO(), io.StringIO()
        known = self.run.environment | self.environment | environment
        known.pop("HANSARD_WORKSPACE", None)
        with (
            patch.dict(os.environ, known, clear=True),
            patch.object(sys, "stdin", io.StringIO(text)),
            redirect_stdout(out),
            redirect_stderr(err),
        ):
            code = run(["hook", self.name, *arguments])
        return Ran(code, out.getvalue(), err.getvalue())

    def see(self, *arguments: str) -> list[dict[str, Any]]:
        """Give what a command prints as JSON lines."""
        shown = self.run(*arguments, "--json", HANSARD_WORKSPACE=str(self.folder)).out
        return [json.loads(line) for line in shown.splitlines()]

    def waiting(self) -> list[dict[str, Any]]:
        """Give what is in the spool."""
        spooled = self.run.store / "hooks" / "events"
        lines = spooled.read_text().splitlines() if spooled.exists() else []
        return [json.loads(line) for line in lines]


@dataclass(frozen=True)
class Event:
    """One line of a sample."""

    told: dict[str, Any]
    name: str
    environment: dict[str, str]

    def arguments(self) -> list[str]:
        """Give what the command line has to say, for a host that does not tell."""
        named = any(key in self.told for key in ("hook_event_name", "k"))
        return [] if named or not self.name else [f"--event={self.name}"]


def events_of(sample: str, folder: Path) -> Iterator[Event]:
    """Give the events of a sample, as they would be in another folder."""
    text = (SAMPLES / f"{sample}.jsonl").read_text().replace(PROJECT, str(folder))
    for line in text.splitlines():
        one = json.loads(line)
        told = one.get("stdin") or one | {"directory": str(folder)}
        yield Event(told, one.get("event_arg") or "", one.get("env") or {})


def act(event: Event, folder: Path) -> None:
    """Do what the host's tool did between an event before it and the one after it."""
    text = json.dumps(event.told)
    is_after = any(word in text for word in ("tool_response", "tool_result", "toolResult")) or (
        event.told.get("k") == "tool.execute.after"
    )
    if not is_after or "PostToolBatch" in text or "hansard" in text:
        return
    if "by_shell" in text:
        command = "echo shell >> a.txt; echo made > by_shell.txt; "
        command += "rm -f new.txt" if "rm -f" in text else "mv new.txt moved.txt"
        subprocess.run(["sh", "-c", command], cwd=folder, check=True)
    elif "TWO" in text or "fresh" in text:
        if "TWO" in text:
            (folder / "a.txt").write_text(EDITED)
        if "fresh" in text:
            (folder / "new.txt").write_text("fresh\n")
