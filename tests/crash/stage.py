"""The child's side of the harness: where a scene stops, and how it tells what happened to it."""

import ctypes
import importlib
import json
import os
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from hansard.kernel.problem import Problem
from tests.crash.checks import Ack

_PR_SET_PTRACER = 0x59616D61
_PR_SET_PTRACER_ANY = -1


class Stage:
    """What a scene sees of the test that watches it. Everything said survives a kill."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def gate(self, name: str) -> None:
        """Stop until the test opens the gate."""
        self._say({"gate": name})
        sys.stdin.readline()

    def acknowledge(self, ack: Ack) -> None:
        """Tell that a write was acknowledged."""
        self._say({"ack": asdict(ack)})

    def tell(self, **words: Any) -> None:
        """Tell anything else."""
        self._say({"told": words})

    def refuse(self, problem: Problem) -> None:
        """Tell that the scene ended early, because it was refused."""
        self._say({"refusal": {"code": problem.code, **problem.details}})

    def _say(self, words: dict[str, Any]) -> None:
        # Not by `write`, which is one of the calls at which faults strike.
        os.writev(sys.stdout.fileno(), [json.dumps(words).encode() + b"\n"])


Scene = Callable[[Stage], None]


def play(module: str, scene: str, folder: str) -> None:
    """Play a scene in this process."""
    # Where only a parent may trace, strace would not be allowed to attach.
    ctypes.CDLL(None).prctl(_PR_SET_PTRACER, _PR_SET_PTRACER_ANY, 0, 0, 0)
    stage = Stage(Path(folder))
    try:
        getattr(importlib.import_module(module), scene)(stage)
    except Problem as problem:
        stage.refuse(problem)


if __name__ == "__main__":
    play(*sys.argv[1:])
