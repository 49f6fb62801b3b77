"""A process that saves what it is told, line by line, until it is killed; and who tells it."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Self

from hansard.sdk import Hansard
from tests.launcher.programs import Popen
from tests.mcp.processes import ROOT, environment

Json = dict[str, Any]


class Obeying:
    """A process of its own that has the store open, and may be killed at any moment."""

    def __init__(self, store: Path) -> None:
        """Start it."""
        command = [sys.executable, "-m", "tests.checkpoints.obeying", str(store)]
        self._process: Popen[bytes] = Popen(
            command, cwd=ROOT, env=environment({}), stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert self.answer() == {"ready": True}

    def save(self, **arguments: Any) -> Json:
        """Have it save something, and wait for the answer."""
        self.tell(**arguments)
        return self.answer()

    def tell(self, **arguments: Any) -> None:
        """Have it save something, and do not wait."""
        assert self._process.stdin
        self._process.stdin.write(json.dumps(arguments).encode() + b"\n")
        self._process.stdin.flush()

    def kill(self) -> None:
        """Kill it as it stands."""
        self._process.kill()
        self._process.communicate()

    def answer(self) -> Json:
        """Wait for the answer to what it was told first."""
        assert self._process.stdout
        line = self._process.stdout.readline()
        assert line, f"it ended with {self._process.wait()}"
        answer: Json = json.loads(line)
        return answer

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()


def main() -> None:
    """Save what each line says."""
    with Hansard(sys.argv[1]) as hansard:
        _say({"ready": True})
        for line in sys.stdin:
            saved = hansard.call("workflow_checkpoint_save", **json.loads(line))
            _say(saved.model_dump(mode="json"))


def _say(answer: Json) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
