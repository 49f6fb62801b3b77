"""What answers cost a model: tokens of both forms, over the wire, on the example project.

`BEFORE=/path/to/src python -m bench answers` asks an older checkout the same. Tokens are o200k's,
counted by the tokenizer among the tests' Node packages (`make clients`).
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.table import Cell, print_table

CLIENTS = Path(__file__).parents[1] / "tests" / "clients"
HERE = str(Path(__file__).parents[1] / "src")
HANDSHAKE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}
FILL = """
import sys
from pathlib import Path
from hansard.app.settings import Settings
from hansard.cli.demo import fill, settings_in
fill(settings_in(Path(sys.argv[1]), Settings(embedder="none")))
"""
WHY = "Of the links that failed once, nine in ten answered the second time."
BODY = "A line of a body, as long as such lines are.\n" * 445

Asked = tuple[str, str, dict[str, Any]]
Forms = dict[str, tuple[str, str]]


def main() -> None:
    """Ask, count and print."""
    sources = {"now": HERE}
    if before := os.environ.get("BEFORE"):
        sources = {"before": before, "now": HERE}
    told = {name: forms_of(source) for name, source in sources.items()}
    texts = [form for one in told.values() for forms in one.values() for form in forms]
    counted = dict(zip(texts, tokens(texts), strict=True))
    rows: list[Sequence[Cell]] = [
        [label, *(counted[form] for one in told.values() for form in one[label])]
        for label in told["now"]
    ]
    head = [f"{form} {name}" for name in told for form in ("text", "structured")]
    print_table("Tokens of an answer (o200k)", ["answer", *head], rows)


def tokens(texts: list[str]) -> list[int]:
    """Count what texts cost a model."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(texts, file)
        file.flush()
        command = ["node", str(CLIENTS / "tokens.mjs"), file.name]
        ran = subprocess.run(command, check=True, capture_output=True, text=True)
    counts: list[int] = json.loads(ran.stdout)
    return counts


def forms_of(source: str) -> Forms:
    """Ask a server of some source all there is to ask; gives the text and the JSON of each."""
    with tempfile.TemporaryDirectory() as folder, serving(source, Path(folder)) as server:
        return {label: server.call(name, arguments) for label, name, arguments in server.asked()}


class Server:
    """A server at the other end of a pipe."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        """Shake hands."""
        self._process = process
        self._count = 0
        self._ask("initialize", HANDSHAKE)
        self._send({"method": "notifications/initialized"})

    def asked(self) -> Iterator[Asked]:
        """Say what to ask, one after the other: later ones need what earlier ones made."""
        record = json.loads(self.call("list_records", {"limit": 1})[1])["records"][0]["id"]
        sessions = json.loads(self.call("list_sessions", {})[1])["sessions"]
        edited = max(sessions, key=lambda one: int(one.get("edits", 0)))["session_id"]
        yield "get_project_overview", "get_project_overview", {}
        yield "activate", "activate", {"id": record, "override": True}
        yield "search", "search", {"query": "retry"}
        yield "search_decisions", "search_decisions", {"query": "retry"}
        yield "get_story", "get_story", {"session_id": edited}
        yield "get_timeline", "get_timeline", {"session_id": edited, "limit": 25}
        yield "get_recent_activity", "get_recent_activity", {"limit": 50}
        yield "file_op", "file_op", {"action": "create", "path": "a.py", "content": "one\n"}
        context = {"goal": "Links that hang", "done": ["measured"], "next": "retry twice"}
        yield "checkpoint save", "workflow_checkpoint_save", {"context": context}
        yield "checkpoint load", "workflow_checkpoint_load", {}
        yield "create_record", "create_record", {**record_of("A long one"), "body": BODY}
        yield "update_record, 20,000 characters", "update_record", {"id": record, "body": BODY}
        decided = {"title": "Retry twice", "target": "how often a link is tried", "rationale": WHY}
        yield "record_decision", "record_decision", decided
        yield "a refusal", "record_decision", decided

    def call(self, name: str, arguments: dict[str, Any]) -> tuple[str, str]:
        """Call a tool; gives what hosts show a model of its answer."""
        result = self._ask("tools/call", {"name": name, "arguments": arguments})["result"]
        structured = json.dumps(
            result["structuredContent"], separators=(",", ":"), ensure_ascii=False
        )
        return result["content"][0]["text"], structured

    def _ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self._count += 1
        self._send({"id": self._count, "method": method, "params": params})
        assert self._process.stdout, "there is a pipe"
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin, "there is a pipe"
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self._process.stdin.flush()


def record_of(title: str) -> dict[str, str]:
    """Give what every record has."""
    return {"type": "question", "title": title, "summary": "How long may it be?"}


@contextmanager
def serving(source: str, folder: Path) -> Iterator[Server]:
    """Serve the example project over stdio, from some source."""
    environment = {**os.environ, "PYTHONPATH": source, "HANSARD_CONFIG": os.devnull}
    subprocess.run([sys.executable, "-c", FILL, str(folder)], check=True, env=environment)
    settings = {"STORE": folder / "store", "WORKSPACE": folder / "workspace", "PROJECT": "lantern"}
    chosen = {f"HANSARD_{name}": str(value) for name, value in settings.items()}
    process = subprocess.Popen(
        [sys.executable, "-m", "hansard.cli.main"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment | chosen | {"HANSARD_EMBEDDER": "none"},
    )
    with process:
        yield Server(process)
        assert process.stdin, "there is a pipe"
        process.stdin.close()


if __name__ == "__main__":
    main()
