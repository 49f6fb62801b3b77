"""Who asks in a random history: a chat in this process, or one in a process of its own."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Protocol

from hansard.app import start
from hansard.app.application import Application
from hansard.app.settings import Settings
from hansard.kernel.engine import ReadTx
from hansard.kernel.event import Actor
from hansard.kernel.operation import Caller, Seat
from hansard.kernel.problem import Problem
from hansard.recorder.tables import FILES, REVISIONS
from tests.patience import PATIENCE_S

Json = dict[str, Any]


class Hand(Protocol):
    """A chat."""

    def call(self, name: str, **arguments: Any) -> Json:
        """Ask for something; a refusal is given as its code."""

    def head(self) -> int:
        """Give the seq of the journal's end."""

    def revisions(self, path: str) -> list[Json]:
        """Give all that is recorded of a file, whatever it was called before or after."""


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

    def revisions(self, path: str) -> list[Json]:
        return self.app.store.read(self.app.default_project, lambda tx: _revisions(tx, path))


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

    def revisions(self, path: str) -> list[Json]:
        rows: list[Json] = self._ask(["revisions", {"path": path}])
        return rows

    def close(self) -> None:
        self._process.communicate(timeout=PATIENCE_S)

    def _ask(self, question: list[Any]) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())


def _revisions(tx: ReadTx, path: str) -> list[Json]:
    found = [one for one in tx.scan(FILES, limit=1000) if one.row["path"] == path]
    rows = [tx.scan(REVISIONS, {"file": one.key}, order="seq", limit=100_000) for one in found]
    return [one.row for each in rows for one in each]


def serve(store: str, workspace: str, name: str) -> None:
    """Answer on stdin and stdout until nobody asks any more."""
    app = start.start(Settings(store=store, workspace=workspace, embedder="none"))
    chat = Chat(app, name)
    for line in sys.stdin:
        asked, arguments = json.loads(line)
        answer: Any
        match asked:
            case "head":
                answer = chat.head()
            case "revisions":
                answer = chat.revisions(**arguments)
            case _:
                answer = chat.call(asked, **arguments)
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()
    app.close()


if __name__ == "__main__":
    serve(*sys.argv[1:])
