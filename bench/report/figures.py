"""What was measured, as plain data; and how: in turn, medians, processor beside wall time."""

import json
import os
import platform
import re
import signal
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

ROUNDS = 3
SYNCED_CALLS = 20
ATTACHED_WITHIN_S = 10.0
LOAD = "load when it began"

Call = Callable[[], object]
Clock = Callable[[], float]
"""Says how many seconds of a processor something has taken so far."""


@dataclass(frozen=True, slots=True)
class Figure:
    """What one thing took: milliseconds on the wall (p50) and of a processor, and the rest."""

    what: str
    who: str
    wall_ms: float | None = None
    cpu_ms: float | None = None
    syncs: float | None = None
    size_bytes: int | None = None


@dataclass(slots=True)
class Section:
    """Figures that belong together, and what a reader must know of them."""

    name: str
    title: str
    note: str
    figures: list[Figure] = field(default_factory=list)

    def find(self, what: str, who: str) -> Figure | None:
        """Give a figure by its names."""
        found = [one for one in self.figures if (one.what, one.who) == (what, who)]
        return found[0] if found else None


@dataclass(frozen=True, slots=True)
class Subject:
    """Something that can be asked again and again, and what tells its processor time."""

    call: Call
    cpu_s: Clock = time.process_time
    pid: int | None = None
    """Whose syncs are counted."""


def in_turn(
    what: str, subjects: Mapping[str, Subject], *, calls: int, rounds: int = ROUNDS
) -> list[Figure]:
    """Measure subjects in turn, so that a busy machine is busy for all; medians of the rounds."""
    walls: dict[str, list[float]] = {who: [] for who in subjects}
    cpus: dict[str, list[float]] = {who: [] for who in subjects}
    for subject in subjects.values():
        subject.call()
    for _ in range(rounds):
        for who, subject in subjects.items():
            taken = []
            before = subject.cpu_s()
            for _ in range(calls):
                began = time.perf_counter()
                subject.call()
                taken.append(time.perf_counter() - began)
            cpus[who].append((subject.cpu_s() - before) / calls)
            walls[who].append(statistics.median(taken))
    return [
        Figure(
            what,
            who,
            statistics.median(walls[who]) * 1000,
            statistics.median(cpus[who]) * 1000,
            syncs_of(subject) if subject.pid else None,
        )
        for who, subject in subjects.items()
    ]


def syncs_of(subject: Subject) -> float | None:
    """Count the syncs of a call, where `strace` is there and may look; else none is known."""
    with tempfile.NamedTemporaryFile("r") as told:
        try:
            command = ["strace", "-f", "-qq", "-e", "trace=fsync,fdatasync,sync_file_range"]
            tracer = subprocess.Popen([*command, "-o", told.name, "-p", str(subject.pid)])
        except OSError:
            return None
        until = time.monotonic() + ATTACHED_WITHIN_S
        while not _is_traced(subject.pid) and tracer.poll() is None and time.monotonic() < until:
            time.sleep(0.01)
        if not _is_traced(subject.pid):
            tracer.kill()
            tracer.wait()
            return None
        for _ in range(SYNCED_CALLS):
            subject.call()
        tracer.send_signal(signal.SIGINT)
        tracer.wait()
        return len(re.findall(r"(?m)^\d+ +f(?:data)?sync\(", told.read())) / SYNCED_CALLS


def _is_traced(pid: int | None) -> bool:
    return "TracerPid:\t0" not in Path(f"/proc/{pid}/status").read_text()


def size_of(path: Path) -> int:
    """Add up the bytes of a file, or of all in a folder."""
    files = [path] if path.is_file() else path.rglob("*")
    return sum(one.stat().st_size for one in files if one.is_file())


def machine() -> dict[str, str]:
    """Say on what it is measured."""
    info = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    model = re.search(r"model name\s*:\s*(.+)", info)
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return {
        "processor": f"{os.cpu_count()} x {model[1] if model else platform.machine()}",
        "memory": f"{pages / 2**30:.0f} GiB",
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        LOAD: f"{os.getloadavg()[0]:.1f}",
    }


def load(path: Path) -> dict[str, Any]:
    """Read the last result; nothing if there is none."""
    found: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    return found


def save(path: Path, result: dict[str, Any]) -> None:
    """Write a result down, its numbers to three digits or so: more would only be noise."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(result, indent=1, sort_keys=True) + "\n")


def plain(section: Section) -> dict[str, Any]:
    """Give a section as JSON, without what was not measured."""
    figures = [
        {name: _short(value) for name, value in asdict(one).items() if value is not None}
        for one in section.figures
    ]
    return {"title": section.title, "note": section.note, "figures": figures}


def section_of(name: str, given: Mapping[str, Any]) -> Section:
    """Read a section back."""
    figures = [Figure(**one) for one in given["figures"]]
    return Section(name, given["title"], given["note"], figures)


def _short(value: Any) -> Any:
    return float(f"{value:.3g}") if isinstance(value, float) else value
