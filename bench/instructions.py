"""How many instructions a call takes, ours and its floor, as valgrind counts them.

`python -m bench instructions`. Unlike times they are the same on a busy machine. Each is run twice
in a process of its own, the second time with twice as many calls: what it takes more are the
calls alone. All threads of the process count, the system's own work and a database server do not.
"""

import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from itertools import count
from pathlib import Path

from bench.stdio import BARE, WITHOUT_CLI, Client
from bench.table import Cell, print_table

COUNTER = "valgrind"
CALLS = 30
WARM = 21
END_S = 300.0
"""How long a server may take to end: under the counter all takes fifty times as long."""

Call = Callable[[], object]


def main() -> None:
    """Print the table, or say why there is none."""
    if shutil.which(COUNTER) is None:
        print(f"Instructions are not counted: {COUNTER} is not installed here")
        return
    counted = {named: _of_a_call(*named) for named in (*SUBJECTS, *SERVERS)}
    rows: list[Sequence[Cell]] = []
    for what in dict.fromkeys(what for what, _ in counted):
        ours, floor = (found for (name, _), found in counted.items() if name == what)
        rows.append([what, ours / 1000, floor / 1000, ours / floor])
    print_table("Thousands of instructions of a call", ["call", "Hansard", "floor", "ratio"], rows)


def _of_a_call(what: str, who: str) -> float:
    _do(what, who, 1, [sys.executable])  # once uncounted: from then on all is compiled
    once, twice = (_counted(what, who, calls) for calls in (CALLS, 2 * CALLS))
    return (twice - once) / CALLS


def _counted(what: str, who: str, calls: int) -> int:
    with tempfile.NamedTemporaryFile("r") as log:
        counter = [COUNTER, "--tool=callgrind", "--callgrind-out-file=/dev/null"]
        _do(what, who, calls, [*counter, f"--log-file={log.name}", sys.executable])
        return collected(log.read())


def _do(what: str, who: str, calls: int, python: list[str]) -> None:
    """Have so many calls done by an interpreter, which may run under the counter."""
    if server := SERVERS.get((what, who)):
        with tempfile.TemporaryDirectory() as folder:
            client = Client([*python, *server], f"{folder}/store")
            client.open()
            for _ in range(WARM + calls):
                client.ask("tools/call", name="list_projects", arguments={})
            client.close(within_s=END_S)
    else:
        command = [*python, "-m", "bench.instructions", what, who, str(calls)]
        # Sets and dicts lie alike in both runs then.
        subprocess.run(command, check=True, env=os.environ | {"PYTHONHASHSEED": "0"})


def collected(log: str) -> int:
    """Read from the counter's log how many instructions there were."""
    found = re.search(r"^==\d+== Collected : ([\d,]+)", log, re.MULTILINE)
    if found is None:
        raise ValueError(f"The counter did not say how many instructions there were:\n{log}")
    return int(found[1].replace(",", ""))


@contextmanager
def _graph(folder: Path, who: str, what: str) -> Iterator[Call]:
    from bench.checkpoints import words
    from bench.report.graphs import Graph, sqlite_saver
    from hansard.langgraph import HansardSaver

    with ExitStack() as stack:
        if who == "Hansard":
            graph = Graph(stack.enter_context(HansardSaver(folder)), words(random.Random(2), 1_000))
        else:
            saver = sqlite_saver(folder / "theirs.db")
            stack.callback(saver.conn.close)
            graph = Graph(saver, words(random.Random(2), 1_000))
        for _ in range(WARM):
            graph.put()
        call: Call = getattr(graph, what)
        yield call


@contextmanager
def _file(folder: Path, who: str) -> Iterator[Call]:
    from bench.recorder import call, edited, module, opened, write_plainly

    app, caller, workspace = opened(folder)
    chance, numbers, text = random.Random(1), count(), module(random.Random(1))

    def edit() -> None:
        nonlocal text
        text = edited(chance, text, next(numbers))
        if who == "plain":
            write_plainly(workspace / "plain", text)
        else:
            call(app, caller, "file_op", path="a", action="edit", content=text)

    with closing(app):
        call(app, caller, "file_op", path="a", action="create", content=text)
        for _ in range(WARM):
            edit()
        yield edit


SERVERS = {
    ("look (list_projects)", "Hansard"): ["-c", WITHOUT_CLI],
    ("look (list_projects)", "bare SDK"): BARE[1:],
}
SUBJECTS = {
    (name, who): (name, who)
    for name, whom in (
        ("put 1 KB", ("Hansard", "sqlite")),
        ("get 1 KB", ("Hansard", "sqlite")),
        ("file_op 10 KB", ("Hansard", "plain")),
    )
    for who in whom
}


def _run(what: str, who: str, calls: int) -> None:
    """Do so many calls; what is around them is done each time alike."""
    with tempfile.TemporaryDirectory() as folder:
        name = what.partition(" ")[0]
        made = _file(Path(folder), who) if name == "file_op" else _graph(Path(folder), who, name)
        with made as call:
            for _ in range(calls):
                call()


if __name__ == "__main__":
    _run(sys.argv[1], sys.argv[2], int(sys.argv[3]))
