"""What must hold after many clients have written for long. Each check says what it found amiss."""

import os
import statistics
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hansard.app import start
from hansard.app.application import Application
from hansard.app.secret_news import NOBODY_PROVED
from hansard.app.settings import Settings
from hansard.decisions.git import decision_log
from hansard.kernel.engine import ReadTx
from hansard.recorder.events import FileOpDone, FileOpDoneLate
from tests.crash import checks
from tests.crash.writers import DEEDS, Ack, Place, RefusedError, Server, read_ledger
from tests.launcher.programs import run

PROGRAM = (str(Path(sys.executable).with_name("hansard")),)
COMMAND_S = 900.0

SETTLED = "Settled what was left open: "
UNLOCKED = "Removed "
"""How lines begin in which a server says what of a dead one it settled, or unlocked in Git."""

LOOKS_MIN = 15
"""From fewer looks at a server nothing can be said about its growth."""

GROWTH_SHARE, GROWTH_KIB, GROWTH_DESCRIPTORS = 0.05, 12 * 1024, 4
"""How much more the last third of the looks may show than the second; the first is warming up.

A server whose turn it is to follow the journal takes some 8 MiB and 3 descriptors more, once.
"""


@dataclass(frozen=True, slots=True)
class Look:
    """What a server took at some time."""

    kib: int
    descriptors: int


def look(process: int) -> Look:
    """See what a process takes now, without what is mapped of files: that is the system's."""
    folder = Path(f"/proc/{process}")
    for line in (folder / "smaps_rollup").read_text().splitlines():
        if line.startswith("Pss_Anon:"):
            return Look(int(line.split()[1]), len(list((folder / "fd").iterdir())))
    raise AssertionError("the system does not say what a process takes for itself")


def creeping(looks: Mapping[int, Sequence[Look]]) -> list[str]:
    """Say which servers took more and more."""
    found = []
    for worker, seen in looks.items():
        if len(seen) < LOOKS_MIN:
            continue
        (_, middle, last) = thirds(seen)
        if last.kib > middle.kib * (1 + GROWTH_SHARE) + GROWTH_KIB:
            found.append(f"writer-{worker}: its server grew from {middle.kib} to {last.kib} KiB")
        if last.descriptors > middle.descriptors + GROWTH_DESCRIPTORS:
            grown = f"{middle.descriptors} to {last.descriptors} descriptors"
            found.append(f"writer-{worker}: its server went from {grown}")
    return found


def thirds(looks: Sequence[Look]) -> list[Look]:
    """Give what was typical in the first, the second and the last third of the time."""
    third = len(looks) // 3
    parts = (looks[:third], looks[third : 2 * third], looks[2 * third :])
    return [
        Look(
            int(statistics.median(look.kib for look in part)),
            int(statistics.median(look.descriptors for look in part)),
        )
        for part in parts
    ]


def environment(store: str) -> dict[str, str]:
    """Give no settings of whoever runs this, and no model: it would be what is measured."""
    kept = {name: value for name, value in os.environ.items() if "HANSARD" not in name}
    return kept | {
        "HANSARD_CONFIG": os.devnull,
        "HANSARD_STORE": store,
        "HANSARD_EMBEDDER": "none",
        "HANSARD_SECRET": "a secret of 16 characters or more",
    }


def ran(store: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    return run(
        [*PROGRAM, *arguments],
        env=environment(store),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=COMMAND_S,
    )


def last_receipts(acks: Sequence[Ack]) -> list[str]:
    """Give the newest receipt of each project, as `hansard verify` takes them."""
    newest = {ack.project: ack for ack in sorted(acks, key=lambda ack: ack.seq)}
    return [word for ack in newest.values() for word in ("--receipt", f"{ack.seq}:{ack.hash}")]


def amiss(store: str, places: Sequence[Place]) -> list[str]:
    """Look at the store as the next process finds it, and at all that lies around."""
    found, acks = [], list[Ack]()
    for place in places:
        told = read_ledger(place)
        found += unlike(place, told)
        acks += told
    settings = Settings(store=store, embedder="none", workspace=str(places[0].workspace))
    app = start.start(settings)
    try:
        found += [*journal_faults(app, acks), *checks.findings(app)]
    finally:
        app.close()
    done = ran(store, "verify", "--quick", *last_receipts(acks))
    if done.returncode:
        found.append(f"`hansard verify` ended with {done.returncode}: {done.stdout}{done.stderr}")
    return found + _leftovers(store, places[0].folder, is_cut=places[0].is_cut)


def journal_faults(app: Application, acks: Sequence[Ack]) -> Iterator[str]:
    """Compare what was acknowledged with the journals: each there, once, and nothing else."""
    for project in {ack.project for ack in acks}:
        own = [ack for ack in acks if ack.project == project]
        hashes, kinds = _entries(app, project)
        for ack in own:
            if hashes.get(ack.seq) != ack.hash:
                yield f"{project}: {ack.subject}, acknowledged as {ack.seq}, is not there"
        kinds[FileOpDone.kind] += kinds[FileOpDoneLate.kind]
        told = Counter(DEEDS[ack.deed].kind for ack in own)
        for kind, count in told.items():
            if kinds[kind] != count:
                yield f"{project}: {count} {kind} were acknowledged, and {kinds[kind]} are there"
        tick = app.store.engine.heads()[project].tick
        ticking = sum(DEEDS[ack.deed].capability == "records" for ack in own)
        if tick != ticking:
            yield f"{project}: {ticking} ticking writes were acknowledged, and the tick is {tick}"


def _entries(app: Application, project: str) -> tuple[dict[int, str], Counter[str]]:
    """Give the hash of each entry, and how many there are of each kind."""

    def work(tx: ReadTx) -> tuple[dict[int, str], Counter[str]]:
        hashes, kinds, after = dict[int, str](), Counter[str](), 0
        while page := tx.entries(after=after, limit=1_000):
            hashes |= {entry.seq: entry.hash for entry in page}
            kinds.update(entry.kind for entry in page)
            after = page[-1].seq
        return hashes, kinds

    return app.store.read(project, work)


def unlike(place: Place, acks: Sequence[Ack]) -> list[str]:
    """Read everything that a writer wrote, through a new server, and say what is not the same."""
    last = {(DEEDS[ack.deed].thing, ack.subject): ack for ack in acks}
    server = place.start()
    try:
        server.open()
        found = [
            f"{place.name}: {DEEDS[ack.deed].thing} {ack.subject} reads otherwise than acknowledged"
            for ack in acks
            if not DEEDS[ack.deed].is_replaced or last[DEEDS[ack.deed].thing, ack.subject] is ack
            if not _reads_back(server, ack)
        ]
        found += _sum_faults(server, place, acks)
    finally:
        server.end()
    wanted = {ack.subject for ack in acks if DEEDS[ack.deed].thing == "file"}
    files = (path for path in place.workspace.rglob("*") if path.is_file())
    there = {path.relative_to(place.workspace).as_posix() for path in files}
    return found + [f"{place.name}: {path} is left over or missing" for path in there ^ wanted]


def _reads_back(server: Server, ack: Ack) -> bool:
    deed = DEEDS[ack.deed]
    if deed.look is None:
        return True
    try:
        return deed.read(server.call(*deed.look(ack))) == ack.digest
    except RefusedError:
        return False  # what is not there cannot be shown


def _sum_faults(server: Server, place: Place, acks: Sequence[Ack]) -> list[str]:
    """Compare what was measured: a sample that is there twice shows in the sum."""
    numbers = [ack.number for ack in acks if DEEDS[ack.deed].thing == "metric"]
    groups = server.call("metric_query", {"name": place.name})["groups"] if numbers else []
    if all((one["count"], one["sum"]) == (len(numbers), sum(numbers)) for one in groups):
        return []
    return [f"{place.name}: {len(numbers)} samples were acknowledged, and are {groups}"]


def settled(place: Place) -> int:
    """Count how often a server said, as it started, what its dead predecessor had left open."""
    return sum(line.startswith(SETTLED) for line in place.said.read_text().splitlines())


def _is_amiss(line: str, *, is_cut: bool) -> bool:
    """Whether a server should not have said this; it may say that a connection was lost."""
    if is_cut:
        return "Traceback" in line or "AssertionError" in line
    return not line.startswith((SETTLED, UNLOCKED, NOBODY_PROVED))


def _leftovers(store: str, folder: Path, *, is_cut: bool) -> list[str]:
    found = [
        f"{path.name}: {line}"
        for path in folder.glob("*.said")
        for line in path.read_text().splitlines()
        if _is_amiss(line, is_cut=is_cut)
    ]
    patterns = (".*", "backups/.incoming*", "restored-*", "imported-*", "*.bundle")
    strange = [path for pattern in patterns for path in folder.glob(pattern)]
    if not store.startswith("postgres"):
        strange += Path(store, decision_log.FOLDER).rglob("*.lock")
        left = checks.leftovers(Path(store))
        found += [
            line
            for line in left
            if not line.startswith((f"{decision_log.FOLDER} ", f"{decision_log.FOLDER}/"))
        ]
    return found + [f"{path} is left over" for path in strange]
