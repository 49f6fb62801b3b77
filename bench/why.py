"""What it costs to say why a line is there, in a long file with a long history."""

import random
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from bench.recorder import call, opened

LINES, REVISIONS, ASKED = 5_000, 1_000, 200


def main() -> None:
    """Print the times of asking about one line, and about all of them."""
    with tempfile.TemporaryDirectory() as folder:
        measure(Path(folder))


def measure(folder: Path) -> None:
    """Make the history, then ask about lines at random."""
    app, caller, workspace = opened(folder)
    chance = random.Random(1)
    lines = [f"line {number} = {chance.random()}" for number in range(LINES)]
    call(app, caller, "file_op", path="a.py", action="create", content="\n".join(lines) + "\n")
    for number in range(1, REVISIONS):
        edited(chance, lines, number)
        call(app, caller, "file_op", path="a.py", action="edit", content="\n".join(lines) + "\n")
    del workspace
    asked = [chance.randrange(LINES) + 1 for _ in range(ASKED)]
    times = [timed(partial(call, app, caller, "why", path="a.py", line=line)) for line in asked]
    all_at_once = partial(call, app, caller, "why", path="a.py", line=1, end_line=LINES)
    wall, cpu = timed(all_at_once)
    app.close()
    print(f"\nwhy, of one line of {LINES} with {REVISIONS} revisions, {ASKED} lines at random")
    for name, taken in zip(("wall", "CPU"), map(sorted, zip(*times, strict=True)), strict=True):
        p50, p95 = statistics.median(taken), taken[int(0.95 * len(taken))]
        print(f"  {name:4} p50 {p50 * 1000:8.2f} ms   p95 {p95 * 1000:8.2f} ms")
    print(f"  all lines at once {wall * 1000:8.2f} ms, CPU {cpu * 1000:8.2f} ms")


def edited(chance: random.Random, lines: list[str], number: int) -> None:
    """Change a place of the file: some lines go, some come, as many on the whole."""
    place = chance.randrange(len(lines) - 3)
    gone = chance.randrange(1, 3)
    come = chance.randrange(1, 3) if len(lines) >= LINES else 2
    new = [f"line {number}.{one} = {chance.random()}" for one in range(come)]
    lines[place : place + gone] = new
    while len(lines) < LINES:
        lines.append(f"line {number}.more = {chance.random()}")


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Time one call: by the clock, and what this process itself took of it."""
    begun, used = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - begun, time.process_time() - used


if __name__ == "__main__":
    main()
