"""`python -m bench.report`: measure ours and its floors; `… peers`: the peers, beside ours.

Both write into one result, and make the page and its charts of it.
"""

import importlib.metadata
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import hansard
from bench.report import callers, calls, commands, files, graphs, growth, page, web
from bench.report.figures import Section, load, machine, plain, save

DOCS = Path(__file__).parents[2] / "docs"
RESULT, PAGE, CHARTS = DOCS / "benchmarks/result.json", DOCS / "benchmarks.md", DOCS / "benchmarks"

OWN: tuple[Callable[[], Section], ...] = (
    calls.starting,
    commands.listing,
    calls.calling,
    files.changing,
    graphs.checkpointing,
    growth.growing,
    callers.sharing,
    web.answering,
    calls.memory,
)
LONGER: tuple[Callable[[], Section], ...] = (growth.growing_large,)
"""Only measured if they are named."""

PACKAGES = ("mcp", "pydantic", "apsw", "psycopg", "langgraph-checkpoint-sqlite")


def main(asked: Sequence[str]) -> None:
    """Measure what is asked for, all of ours if nothing is; then make the page."""
    # Programs that compile themselves at each start are not what is installed anywhere.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    result = load(RESULT)
    if list(asked) == ["page"]:
        page.write(PAGE, CHARTS, result)
        return
    result |= {"taken": f"{datetime.now(UTC):%Y-%m-%d}", "machine": machine()}
    result["versions"] = result.get("versions", {}) | _versions()
    for measure in (*OWN, *LONGER):
        if measure.__name__ in asked or (not asked and measure in OWN):
            _add(result, measure)
    if list(asked) == ["peers"]:
        from bench.report.peers import beside_ours

        measured = beside_ours()
        result["missing"] = measured.missing
        result["versions"] |= measured.versions
        _add(result, lambda: measured.section)
    save(RESULT, result)
    page.write(PAGE, CHARTS, result)


def _add(result: dict[str, Any], measure: Callable[[], Section]) -> None:
    began = time.monotonic()
    section = measure()
    result.setdefault("sections", {})[section.name] = plain(section)
    print(f"{section.title}: {time.monotonic() - began:.0f} s", flush=True)


def _versions() -> dict[str, str]:
    found = {"hansard": hansard.__version__}
    found |= {name: importlib.metadata.version(name) for name in PACKAGES}
    for program in ("git", "node"):
        if path := shutil.which(program):
            said = subprocess.run([path, "--version"], capture_output=True, text=True, check=True)
            found[program] = said.stdout.split()[-1].removeprefix("v")
    return found


if __name__ == "__main__":
    main(sys.argv[1:])
