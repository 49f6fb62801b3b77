"""Who asks in a random history: a chat in this process, or one in a process of its own."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Protocol

from hansard.app import start
from hansard.app.application import Application
from hansard.app.settings import Settings
from hansard.kernel.event import Actor
from hansard.kernel.operation import Caller, Seat
from hansard.kernel.problem import Problem

Json = dict[str, Any]


class Hand(Protocol):
    """A chat."""

    def call(self, name: str, **arguments: Any) -> Json:
        """Ask for something; a refusal is given as its code."""

    def head(self) -> int:
        """Give the seq of the journal's end."""


class Chat:
    """A chat of an application that is open here."""

    def __init__(self, app: Application, name: str) -> None:
        self.app = app
        self._caller = Caller(Actor("agent", name, "agent"), seat=Seat())

    def call(self, name: str, **arguments: Any) -> Json:
        try:
            return self.app.call(name, arguments, self._caller).model_dump(
                mode="json", exclude_none=True
            )
        except Problem as problem:
            return {"refused": problem.code, "message": problem.message}

    def head(self) -> int:
        heads = self.app.store.engine.heads()
        return heads[self.app.default_project].seq if self.app.default_project in heads else 0


class Elsewhere:
    """A chat in a process of its own, which is asked over a pipe."""

    def __init__(self, store: str, workspace: Path, name: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.recorder.undo_hands", store, str(workspace), name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )

    def call(self, name: str, **arguments: Any) -> Json:
        answer: Json = self._ask([name, arguments])
        return answer

    def head(self) -> int:
        seq: int = self._ask(["head", {}])
        return seq

    def close(self) -> None:
        self._process.communicate(timeout=60)

    def _ask(self, question: list[Any]) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())


def serve(store: str, workspace: str, name: str) -> None:
    """Answer on stdin and stdout until nobody asks any more."""
    app = start.start(Settings(store=store, workspace=workspace, embedder="none"))
    chat = Chat(app, name)
    for line in sys.stdin:
        asked, arguments = json.loads(line)
        answer = chat.head() if asked == "head" else chat.call(asked, **arguments)
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()
    app.close()


if __name__ == "__main__":
    serve(*sys.argv[1:])
