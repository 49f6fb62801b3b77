"""What recording a change costs, beside the same change made plainly; and reading it back."""

import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from bench import stdio
from bench.stdio import Client
from hansard.app.application import Application
from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.kernel.event import Actor
from hansard.kernel.operation import Caller, Seat

ROUNDS = 300
"""The two ways take turns this often, so that a busy machine is busy for both."""

FILES, EDITS = 200, 10_000
LINES = 250
"""Of a file of the long session: some 10 KB, as a module of source code is."""

READS = 30

FILESYSTEM_SERVER = (
    Path(__file__).parents[1]
    / "tests/clients/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js"
)


def main() -> None:
    """Print all of it."""
    with tempfile.TemporaryDirectory() as folder:
        measure_edits(Path(folder))
    with tempfile.TemporaryDirectory() as folder:
        measure_over_stdio(Path(folder))
    with tempfile.TemporaryDirectory() as folder:
        measure_session(Path(folder))


def measure_edits(folder: Path) -> None:
    """Compare a recorded edit with a plain one that is as durable."""
    app, caller, workspace = opened(folder)
    chance = random.Random(1)
    texts = [module(chance) for _ in range(2)]
    call(app, caller, "file_op", path="a", action="create", content=texts[0])
    plain, recorded = [], []
    for number in range(ROUNDS):
        text = edited(chance, texts[number % 2], number)
        plain.append(timed(partial(write_plainly, workspace / "plain", text)))
        change = partial(call, app, caller, "file_op", path="a", action="edit", content=text)
        recorded.append(timed(change))
    app.close()
    floor, ours = statistics.median(plain), statistics.median(recorded)
    print(f"\nA durable edit of {len(texts[0])} bytes, p50 of {ROUNDS}, taking turns")
    print(f"  write, fsync, rename, fsync   {floor * 1000:8.2f} ms")
    print(f"  file_op                       {ours * 1000:8.2f} ms   {ours / floor:.1f} x")


def measure_over_stdio(folder: Path) -> None:
    """Compare a client's recorded edit with its plain write through the official server."""
    if not FILESYSTEM_SERVER.exists():
        print("\nThe official filesystem server is not here; `make clients` brings it.")
        return
    workspace = folder / "workspace"
    workspace.mkdir()
    ours = Client([*stdio.ours(), "--workspace", str(workspace)], str(folder / "store"))
    theirs = Client(["node", str(FILESYSTEM_SERVER), str(workspace)], "")
    chance = random.Random(3)
    text = module(chance)
    times: dict[Client, list[float]] = {ours: [], theirs: []}
    for client in times:
        client.open()
    ask_tool(ours, "file_op", path="a", action="create", content=text)
    for number in range(ROUNDS):
        text = edited(chance, text, number)
        plain = {"path": str(workspace / "b"), "content": text}
        recorded = {"path": "a", "action": "edit", "content": text}
        times[theirs].append(timed(partial(ask_tool, theirs, "write_file", **plain)))
        times[ours].append(timed(partial(ask_tool, ours, "file_op", **recorded)))
    for client in times:
        client.close()
    floor, taken = (statistics.median(times[client]) for client in (theirs, ours))
    print(f"\nThe same over stdio, p50 of {ROUNDS}, taking turns")
    print(f"  write_file of the official server, which syncs nothing {floor * 1000:8.2f} ms")
    print(f"  file_op                       {taken * 1000:8.2f} ms   {taken / floor:.1f} x")


def ask_tool(client: Client, name: str, **arguments: Any) -> None:
    """Call a tool, and make sure that it did what it was asked."""
    answer = client.ask("tools/call", name=name, arguments=arguments)
    assert not answer.get("isError"), answer


def measure_session(folder: Path) -> None:
    """Make a long session, then see what it takes to keep and to read."""
    app, caller, _ = opened(folder)
    chance = random.Random(2)
    call(app, caller, "record_plan", steps=[f"step {number}" for number in range(20)])
    texts: dict[str, str] = {}
    total = 0
    begun = time.perf_counter()
    for number in range(EDITS):
        if number % (EDITS // 20) == 0:
            call(app, caller, "record_step", index=number * 20 // EDITS)
        path = f"src/module_{chance.randrange(FILES)}.py"
        is_new = path not in texts
        texts[path] = module(chance) if is_new else edited(chance, texts[path], number)
        total += len(texts[path])
        action = "create" if is_new else "edit"
        call(app, caller, "file_op", path=path, action=action, content=texts[path])
    taken = time.perf_counter() - begun
    print(
        f"\n{EDITS} edits over {FILES} files in {taken:.0f} s, {taken / EDITS * 1000:.2f} ms each"
    )
    measure_reading(app, caller)
    app.close()
    size = sum(path.stat().st_size for path in (folder / "store").rglob("*") if path.is_file())
    print(f"  all versions together {total / 1e6:8.1f} MB, {total / EDITS / 1000:.1f} KB each")
    print(f"  the store             {size / 1e6:8.1f} MB, {size / EDITS / 1000:.1f} KB an edit")
    print(f"  ratio                 {size / total:8.3f}")


def measure_reading(app: Application, caller: Caller) -> None:
    """Time the first pages."""
    path = "src/module_0.py"
    session = call(app, caller, "audit_event", type="note", description="x").session_id
    reads: dict[str, Callable[[], Any]] = {
        "get_story": lambda: call(app, caller, "get_story", session_id=session),
        "get_timeline": lambda: call(app, caller, "get_timeline", session_id=session),
        "get_evolution": lambda: call(app, caller, "get_evolution", session_id=session),
        "get_evolution path": lambda: call(app, caller, "get_evolution", path=path),
        "get_evolution diff": lambda: call(app, caller, "get_evolution", path=path, to=5),
        "restore preview": lambda: call(app, caller, "restore", preview=True),
    }
    for name, ask in reads.items():
        ask()
        times = [timed(ask) for _ in range(READS if "restore" not in name else 3)]
        print(f"  {name:20} p50 {statistics.median(times) * 1000:7.2f} ms, "
              f"max {max(times) * 1000:7.2f} ms")  # fmt: skip


def opened(folder: Path) -> tuple[Application, Caller, Path]:
    """Open a store and a workspace of their own."""
    workspace = folder / "workspace"
    workspace.mkdir()
    settings = Settings(store=str(folder / "store"), workspace=str(workspace))
    return start(settings), Caller(Actor("agent", "bench", "agent"), seat=Seat()), workspace


def call(app: Application, caller: Caller, name: str, **arguments: Any) -> Any:
    """Ask for one thing."""
    return app.call(name, arguments, caller)


def module(chance: random.Random) -> str:
    """Make up something like a module: lines of words, no two alike."""
    words = "def return value self name path entry row session if for in not None".split()
    return "".join(
        f"    {' '.join(chance.choices(words, k=6))} {chance.getrandbits(32):x}\n"
        for _ in range(LINES)
    )


def edited(chance: random.Random, text: str, number: int) -> str:
    """Change a few lines."""
    lines = text.splitlines(keepends=True)
    at = chance.randrange(len(lines))
    lines[at : at + 2] = [f"    edit {number} of {chance.getrandbits(32):x}\n" for _ in range(3)]
    return "".join(lines[:LINES])


def write_plainly(path: Path, text: str) -> None:
    """Replace a file durably, and keep no record of it."""
    temporary = path.with_name(f".{path.name}.new")
    with temporary.open("w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    temporary.rename(path)
    here = os.open(path.parent, os.O_RDONLY)
    os.fsync(here)
    os.close(here)


def timed(work: Callable[[], Any]) -> float:
    """Say how many seconds something takes."""
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
