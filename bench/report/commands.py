"""Commands that list: what each takes of a processor, from the interpreter's start to its end."""

import statistics
import tempfile
import time
from pathlib import Path

from bench.report.figures import ROUNDS, Figure, Section
from bench.stdio import Client, ours
from bench.taken import PYTHON, ran_ms

LISTINGS = ("projects", "records", "sessions", "log")


def listing() -> Section:
    """List what a small store holds, each command in turn with a bare interpreter."""
    section = Section(
        "commands",
        "Commands",
        "`hansard NAME` among a few records, from the start of the interpreter to its end; `bare "
        "Python` does nothing. Compiled files are in place, as they are once it is installed.",
    )
    taken: dict[tuple[str, str], list[tuple[float, float]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        store = str(Path(folder) / "store")
        client = Client(ours(), store)
        client.open()
        record = {"type": "note", "title": "A note", "summary": "Short", "body": "A text"}
        client.ask("tools/call", name="create_record", arguments=record)
        client.close()
        commands = {("start", "bare Python"): [PYTHON[0], "-c", "pass"]}
        commands |= {(f"hansard {name}", "Hansard"): [*PYTHON, name] for name in LISTINGS}
        for command in commands.values():
            ran_ms(command, {"HANSARD_STORE": store})  # compiles what is not
        for _ in range(ROUNDS):
            for key, command in commands.items():
                began = time.perf_counter()
                cpu_ms = ran_ms(command, {"HANSARD_STORE": store})
                taken.setdefault(key, []).append(((time.perf_counter() - began) * 1000, cpu_ms))
    for (what, who), times in taken.items():
        wall_ms, cpu_ms = (statistics.median(column) for column in zip(*times, strict=True))
        section.figures.append(Figure(what, who, wall_ms, cpu_ms))
    return section
