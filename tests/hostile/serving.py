"""The real `hansard` on pipes, with every tool, on a store and a workspace of its own."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hansard.app.application import Application
from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.app.verify import verify
from tests.mcp.processes import Json, StdioServer

PROGRAM = "tests.hostile.command"


class HansardServer(StdioServer):
    """A server whose answers are read by their codes."""

    def __init__(self, home: Path, **settings: str) -> None:
        """Serve from a folder: `ws` lies in it, and so does `store`, if it is not said where."""
        self.store, self.workspace = Path(settings.get("store", home / "store")), home / "ws"
        self.workspace.mkdir(exist_ok=True)
        given = {
            "store": str(self.store),
            "workspace": str(self.workspace),
            "toolsets": "all",
            "embedder": "none",
        }
        super().__init__(PROGRAM, given | settings)
        self.open()

    def done(self, tool: str, meta: Json | None = None, /, **arguments: Any) -> Json:
        """Call a tool that is expected to do it; gives what it answered."""
        result = self.asked(tool, meta, **arguments)["result"]
        assert not result.get("isError"), result
        content: Json = result["structuredContent"]
        return content

    def code(self, tool: str, meta: Json | None = None, /, **arguments: Any) -> str | None:
        """Call a tool; gives the code of the refusal, `None` if it was done."""
        return code_of(self.asked(tool, meta, **arguments))

    def asked(self, tool: str, meta: Json | None = None, /, **arguments: Any) -> Json:
        """Call a tool that may have an argument of any name; gives the whole answer."""
        params: Json = {"name": tool, "arguments": arguments}
        return self.ask("tools/call", params | ({"_meta": meta} if meta else {}))


def code_of(answer: Json) -> str | None:
    """Give the code of a refusal, however it was put; `None` if there is none."""
    if "error" in answer:
        told = answer["error"].get("data") or {}
        return str(told.get("code", answer["error"]["code"]))
    result: Json = answer["result"]
    if not result.get("isError"):
        return None
    return str(result["structuredContent"]["error"]["code"])


@contextmanager
def serving_stdio(home: Path, **settings: str) -> Iterator[HansardServer]:
    """Serve until the block ends."""
    with HansardServer(home, **settings) as server:
        yield server


@contextmanager
def opened(store: Path) -> Iterator[Application]:
    """Open a store as another process would."""
    app = start(Settings(store=str(store)))
    try:
        yield app
    finally:
        app.close()


def findings(store: Path) -> list[str]:
    """Say what a whole verification of a store finds."""
    with opened(store) as app:
        return [found.message for found in verify(app.store).findings]


def heads(store: Path) -> dict[str, tuple[int, str]]:
    """Look at the ends of a store's journals."""
    with opened(store) as app:
        return {name: (head.seq, head.hash) for name, head in app.store.engine.heads().items()}
