"""Others beside ours: each in an environment of its own, asked through the door it has for all.

`HANSARD_PEERS_PYTHON` names the interpreter of those in Python. Else it is the first of those that
are here which is new enough, one whose sqlite3 loads extensions if there is one.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from bench.report import graphs
from bench.report.figures import Figure, Section, Subject, in_turn, size_of
from bench.report.peer_client import PeerClient, PeerFailedError
from bench.report.scripts import GRAPHS, POSTGRES, SCRIPTS
from bench.stdio import ours
from bench.taken import processor_s
from bench.world import locations

BUILD = Path(__file__).parents[2] / "build" / "peers"
CALLS = 20
SIZES = (100, 1_000)
"""How many things a server holds when it is asked."""

TEXT = "The upload to the archive fails at night since May, after the certificate was renewed. "
BODY = "def retry(value): return value  # once more, with feeling\n" * 180
INSTALL_S = float(os.environ.get("HANSARD_PEERS_INSTALL_S", "600"))
"""How long installing one may take; some bring a whole machine-learning library along."""

Arguments = Callable[[int, Path], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Peer:
    """A server over stdio: how it is had, started and asked."""

    name: str
    package: str
    """What is installed; of a Python package, versions that will do, the newest first."""
    command: Sequence[str]
    write: tuple[str, Arguments]
    look: tuple[str, Arguments]
    search: tuple[str, Arguments] | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    older: Sequence[str] = ()
    within: Sequence[str] = ()
    """What it is installed with, where the newest of what it rests on does not do."""
    python: tuple[int, int] = (3, 11)
    """The oldest interpreter that it runs on."""

    @property
    def is_node(self) -> bool:
        """Whether npm brings it."""
        return self.package.startswith("@")


def _memory(number: int, _: Path) -> dict[str, Any]:
    entity = {"name": f"task {number}", "entityType": "task", "observations": [TEXT * 2]}
    return {"entities": [entity]}


HANSARD = Peer(
    "Hansard",
    "",
    (),
    (
        "create_record",
        lambda number, _: {
            "type": "task",
            "title": f"task {number}",
            "summary": "It fails.",
            "body": TEXT * 2,
        },
    ),
    ("get_record_ref", lambda _, __: {"id": "R001"}),
    ("search_records", lambda number, _: {"query": f"certificate {number}"}),
)

PEERS: tuple[Peer, ...] = (
    Peer(
        "server-memory",
        "@modelcontextprotocol/server-memory",
        ("node", "{modules}/@modelcontextprotocol/server-memory/dist/index.js"),
        ("create_entities", _memory),
        ("open_nodes", lambda _, __: {"names": ["task 1"]}),
        ("search_nodes", lambda number, _: {"query": f"certificate {number}"}),
        {"MEMORY_FILE_PATH": "{folder}/memory.json"},
    ),
    Peer(
        "server-filesystem",
        "@modelcontextprotocol/server-filesystem",
        ("node", "{modules}/@modelcontextprotocol/server-filesystem/dist/index.js", "{folder}"),
        ("write_file", lambda n, at: {"path": f"{at}/file{n}", "content": f"{BODY}{n}"}),
        ("read_text_file", lambda _, at: {"path": f"{at}/file1"}),
    ),
    Peer(
        "basic-memory",
        "basic-memory",
        ("{bin}/basic-memory", "mcp"),
        (
            "write_note",
            lambda number, _: {"title": f"task {number}", "content": TEXT * 2, "folder": "tasks"},
        ),
        ("read_note", lambda _, __: {"identifier": "task 1"}),
        ("search_notes", lambda number, _: {"query": f"certificate {number}"}),
        {
            "HOME": "{folder}",
            "BASIC_MEMORY_HOME": "{folder}/notes",
            # By words only: its vectors need an SQLite that loads extensions, and a model.
            "BASIC_MEMORY_SEMANTIC_SEARCH_ENABLED": "false",
        },
        within=("fastmcp<4",),
        python=(3, 12),
    ),
    Peer(
        "mcp-memory-service",
        "mcp-memory-service",
        ("{bin}/memory", "server"),
        ("memory_store", lambda number, _: {"content": f"{TEXT}{number}"}),
        ("memory_list", lambda _, __: {"page_size": 1}),
        ("memory_search", lambda number, _: {"query": f"certificate {number}"}),
        {
            "HOME": "{folder}",
            "MCP_MEMORY_STORAGE_BACKEND": "sqlite_vec",
            "MCP_MEMORY_BASE_DIR": "{folder}",
        },
    ),
    Peer(
        "ledgermind",
        "ledgermind",
        ("{bin}/ledgermind", "run", "--path", "{folder}/ledger"),
        (
            "record_decision",
            lambda number, _: {
                "title": f"task {number}",
                "target": f"area{number}",
                "rationale": TEXT * 2,
            },
        ),
        ("search_decisions", lambda _, __: {"query": "certificate"}),
        environment={"HOME": "{folder}"},
        within=("mcp<2",),
    ),
)


@dataclass(slots=True)
class Measured:
    """What came of it."""

    section: Section
    missing: dict[str, str] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)


def beside_ours() -> Measured:
    """Measure each peer with ours in the same run, in turn."""
    with locations() as places:
        os.environ[POSTGRES] = places.get("postgresql", "")
        return _beside_ours()


def _beside_ours() -> Measured:
    section = Section(
        "peers",
        "Peers over the same door",
        "Each takes turns with Hansard: a small text written (by server-filesystem a file of "
        "10 KB), one thing read, a search, among 100 and 1,000 things. Where fsyncs are 0, what "
        "was answered is not yet on disk. DBOS and the checkpointer are libraries, and run in "
        "processes of their own.",
    )
    measured = Measured(section)
    for peer in PEERS:
        try:
            section.figures += _compared(peer, measured)
        except (PeerFailedError, subprocess.SubprocessError, OSError) as error:
            measured.missing[peer.name] = _told(error)
        print(f"  {peer.name}: {measured.missing.get(peer.name, 'done')}", flush=True)
    for name, (package, script) in SCRIPTS.items():
        try:
            section.figures += _scripted(name, package, script, measured)
            if name == GRAPHS:
                section.figures += graphs.on_postgres(os.environ[POSTGRES], name)
        except (PeerFailedError, subprocess.SubprocessError, OSError) as error:
            measured.missing[name] = _told(error)
        print(f"  {name}: {measured.missing.get(name, 'done')}", flush=True)
    return measured


def _compared(peer: Peer, measured: Measured) -> list[Figure]:
    places = _installed(peer, measured)
    figures: list[Figure] = []
    with (
        tempfile.TemporaryDirectory() as theirs,
        tempfile.TemporaryDirectory() as own,
        _serving(peer, Path(theirs), places) as other,
        _serving(HANSARD, Path(own), places) as us,
    ):
        asked = {
            peer.name: Asked(peer, other, Path(theirs)),
            "Hansard": Asked(HANSARD, us, Path(own)),
        }
        for size in SIZES:
            for one in asked.values():
                while one.written < size:
                    one.write()
            for name in ("write", "look", "search"):
                subjects = {
                    who: Subject(getattr(one, name), partial(processor_s, one.pid), one.pid)
                    for who, one in asked.items()
                    if name != "search" or one.peer.search
                }
                what = f"{peer.name}: {name} at {size:,}"
                figures += in_turn(what, subjects, calls=CALLS)
    return figures


class Asked:
    """A server that is being asked."""

    def __init__(self, peer: Peer, client: PeerClient, folder: Path) -> None:
        """Have written nothing."""
        self.peer = peer
        self.pid = client.pid
        self.written = 0
        self._client = client
        self._folder = folder
        self._queries = count(1)

    def write(self) -> None:
        """Write one more."""
        self.written += 1
        self._ask(self.peer.write, self.written)

    def look(self) -> None:
        """Read one."""
        self._ask(self.peer.look, 1)

    def search(self) -> None:
        """Search for something else than before."""
        assert self.peer.search, "only what can be searched is asked to"
        self._ask(self.peer.search, next(self._queries))

    def _ask(self, asked: tuple[str, Arguments], number: int) -> None:
        name, arguments = asked
        self._client.call(name, arguments(number, self._folder))


@contextmanager
def _serving(peer: Peer, folder: Path, places: Mapping[str, str]) -> Iterator[PeerClient]:
    known = {**places, "folder": str(folder)}
    command = [part.format(**known) for part in peer.command] or ours()
    extra = {name: value.format(**known) for name, value in peer.environment.items()}
    own = {} if peer.command else {"HANSARD_STORE": f"{folder}/store"}
    client = PeerClient(command, os.environ | own | extra, folder)
    try:
        client.open()
        yield client
    finally:
        client.close()


def _installed(peer: Peer, measured: Measured) -> dict[str, str]:
    """Install a peer, unless it is; gives where it lies."""
    place = BUILD / peer.name
    place.mkdir(parents=True, exist_ok=True)
    if peer.is_node:
        modules = place / "node_modules"
        if not (modules / peer.package).exists():
            command = ["npm", "install", "--silent", "--prefix", str(place), peer.package]
            subprocess.run(command, check=True, timeout=INSTALL_S, capture_output=True)
        about = json.loads((modules / peer.package / "package.json").read_text())
        measured.versions[peer.name] = about["version"]
        return {"modules": str(modules), "bin": str(modules / ".bin")}
    choices = [peer.package, *peer.older]
    folder = python_environment(peer.name, choices, *peer.within, oldest=peer.python)
    measured.versions[peer.name] = _version(folder, peer.package)
    return {"bin": str(folder), "modules": ""}


def python_environment(
    name: str, choices: Sequence[str], *others: str, oldest: tuple[int, int] = (3, 11)
) -> Path:
    """Make an environment with the first of these that can be installed; gives its programs."""
    place = BUILD / name
    programs = place / "venv" / "bin"
    if (place / "ready").exists():
        return programs
    python = os.environ.get("HANSARD_PEERS_PYTHON") or _interpreter(oldest)
    subprocess.run([python, "-m", "venv", str(place / "venv")], check=True)
    why = ""
    for choice in choices:
        command = [str(programs / "python"), "-m", "pip", "install", "-q", choice, *others]
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=INSTALL_S, check=False
        )
        if done.returncode == 0:
            (place / "ready").touch()
            return programs
        lines = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        why = lines[-1] if lines else "pip failed"
    raise PeerFailedError(f"cannot be installed: {why[:150]}")


ABOUT = (
    "import sqlite3, sys, venv; "
    "print(*sys.version_info[:2], hasattr(sqlite3.Connection, 'enable_load_extension'))"
)


def _interpreter(oldest: tuple[int, int]) -> str:
    """Choose an interpreter that is new enough, one that loads extensions of SQLite if it can."""
    installed = sorted(Path.home().glob(".pyenv/versions/*/bin/python3"))
    fit: dict[bool, str] = {}
    for one in (sys.executable, "/usr/bin/python3", *map(str, installed)):
        told = subprocess.run([one, "-c", ABOUT], capture_output=True, text=True, check=False)
        major, minor, loads = (told.stdout or "0 0 False").split()
        if (int(major), int(minor)) >= oldest:
            fit.setdefault(loads == "True", one)
    if not fit:
        raise PeerFailedError("needs Python {}.{} or newer".format(*oldest))
    return fit[max(fit)]


def _version(programs: Path, package: str) -> str:
    code = f"import importlib.metadata as m; print(m.version('{package}'))"
    done = subprocess.run(
        [str(programs / "python"), "-c", code], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def _scripted(
    name: str, package: str, script: Callable[[str], str], measured: Measured
) -> list[Figure]:
    """Run a library that is no server, in its own environment; it prints what it took."""
    programs = python_environment(name, [package], "psycopg[binary]")
    measured.versions[name] = _version(programs, package)
    with tempfile.TemporaryDirectory() as folder:
        code = script(folder)
        done = subprocess.run(
            [str(programs / "python"), "-c", code],
            capture_output=True,
            text=True,
            timeout=INSTALL_S,
            check=False,
        )
        if done.returncode:
            lines = [line for line in done.stderr.splitlines() if "Error: " in line]
            raise PeerFailedError(lines[-1][:150] if lines else "fails")
        told = json.loads(done.stdout.strip().splitlines()[-1])
        size = size_of(Path(folder))
    return [
        Figure(f"{name}: {what}", name, wall_ms, cpu_ms, size_bytes=size if not number else None)
        for number, (what, (wall_ms, cpu_ms)) in enumerate(told.items())
    ]


def _told(error: Exception) -> str:
    if isinstance(error, subprocess.TimeoutExpired):
        return f"takes longer than {error.timeout:g} s to be installed"
    if isinstance(error, subprocess.CalledProcessError | OSError):
        return "cannot be installed"
    return " ".join(str(error).split())[:160]
