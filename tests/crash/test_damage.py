"""A database or log damaged behind Hansard's back: never a silent loss, and a backup mends it."""

import random
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest

from hansard.app.application import Application
from hansard.app.keeping.backup import Backup, back_up
from hansard.app.keeping.repair import salvage
from hansard.app.verify import verify
from hansard.engines.sqlite.database import DATABASE
from hansard.kernel.event import Receipt
from hansard.kernel.problem import StorageUnavailable
from tests.app import kept
from tests.cli.running import Hansard, write_sessions

pytestmark = pytest.mark.fault("damaged store")

LOG, SHARED = f"{DATABASE}-wal", f"{DATABASE}-shm"
PAGE = 4096
NEWER = 6
POINTS_MANY = 60

State = Literal["closed", "killed"]
"""Whether the store's last process closed it, or left a log behind that holds nearly all of it."""

Verdict = Literal["refused", "found", "sound"]


@dataclass(frozen=True)
class Originals:
    """A store to damage copies of, a backup of most of it, and what was acknowledged."""

    folders: dict[State, Path]
    backup: Backup
    receipts: list[Receipt]
    """Of the newest writes, in order; the first is in the backup."""


@pytest.fixture(scope="module")
def originals(tmp_path_factory: pytest.TempPathFactory) -> Originals:
    home = tmp_path_factory.mktemp("originals")
    store, killed = home / "store", home / "killed"
    with kept.opened(store, embedder="none") as app:
        kept.fill(app)
        receipts = [noted(app, "in the backup")]
        backup = back_up(app.store, store, home / "backups", at=kept.AT, open_store=kept.open_store)
        receipts += [noted(app, f"newer {number}") for number in range(NEWER)]
        # What a process leaves that is killed now: nothing of the log has been put in its place.
        shutil.copytree(store, killed, ignore=shutil.ignore_patterns("locks"))
        assert (killed / LOG).stat().st_size > 100 * PAGE
    return Originals({"closed": store, "killed": killed}, backup, receipts)


def noted(app: Application, text: str) -> Receipt:
    receipt = app.call("toy_note", {"text": text}, kept.caller()).model_dump()["receipt"]
    return Receipt(receipt["seq"], receipt["hash"])


@contextmanager
def damaged(originals: Originals, state: State, tmp_path: Path) -> Iterator[Path]:
    """Give a copy to damage; it is gone afterwards, so that many can be tried."""
    copy = tmp_path / "store"
    shutil.copytree(originals.folders[state], copy)
    yield copy
    for path in tmp_path.iterdir():
        shutil.rmtree(path)


def judged(folder: Path, receipts: list[Receipt]) -> Verdict:
    """Open and verify a store as its owner would, who kept these receipts."""
    try:
        with kept.opened(folder, embedder="none") as app:
            report = verify(app.store, receipts=receipts)
    except StorageUnavailable as refused:
        return "refused" if refused.recovery_hint else "sound"
    return "found" if report.exit_code > 1 else "sound"


def faults_after_repair(folder: Path, originals: Originals) -> list[str]:
    """Repair a store from the backup, and see that it holds at least that, and is sound."""
    salvage(folder, originals.backup, open_store=kept.open_store, stamp=kept.PERSON)
    verdict = judged(folder, originals.receipts[:1])
    return [] if verdict == "sound" else [f"after its repair it is {verdict}"]


# Damage to the database.

Damage = Callable[[Path], None]


def overwritten(at: int, size: int, *, by: bytes | None = None) -> Damage:
    def damage(database: Path) -> None:
        with database.open("r+b") as file:
            file.seek(at)
            file.write(by or bytes(size))

    return damage


def cut_to(share: float) -> Damage:
    def damage(database: Path) -> None:
        with database.open("r+b") as file:
            file.truncate(int(database.stat().st_size * share))

    return damage


def scribble(database: Path) -> None:
    database.write_text("this is no database\n" * 1_000)


TO_THE_DATABASE: dict[str, Damage] = {
    "header zeroed": overwritten(0, 100),
    "first page zeroed": overwritten(0, PAGE),
    "first page scrambled": overwritten(0, PAGE, by=random.Random(1).randbytes(PAGE)),
    "schema scrambled": overwritten(100, PAGE - 100, by=random.Random(2).randbytes(PAGE - 100)),
    "cut to nothing": cut_to(0),
    "cut in half": cut_to(0.5),
    "replaced by text": scribble,
    "deleted": Path.unlink,
}


@pytest.mark.parametrize("state", ["closed", "killed"])
@pytest.mark.parametrize("damage", TO_THE_DATABASE.values(), ids=TO_THE_DATABASE)
def test_a_damaged_database_is_refused_or_found_and_mended(
    damage: Damage, state: State, originals: Originals, tmp_path: Path
) -> None:
    with damaged(originals, state, tmp_path) as folder:
        damage(folder / DATABASE)
        verdict = judged(folder, originals.receipts)

        # A log that holds the whole store makes up for much of what happens to the database.
        assert verdict in ("refused", "found") or state == "killed"
        assert faults_after_repair(folder, originals) == []


@pytest.mark.parametrize("how", ["deleted", "cut to nothing"])
@pytest.mark.parametrize("state", ["closed", "killed"])
def test_no_new_store_is_begun_on_what_is_left_of_another(
    state: State, how: str, originals: Originals, tmp_path: Path
) -> None:
    with damaged(originals, state, tmp_path) as folder:
        TO_THE_DATABASE[how](folder / DATABASE)
        before = contents(folder)

        for _ in range(2):
            with pytest.raises(StorageUnavailable, match="gone"), kept.opened(folder):
                pass

        assert contents(folder) == before


def test_a_folder_with_nothing_of_a_store_becomes_one(tmp_path: Path) -> None:
    (tmp_path / "a-file-of-someone").write_text("theirs\n")

    with kept.opened(tmp_path) as app:
        assert app.store.engine.heads() == {}


def contents(folder: Path) -> dict[str, int]:
    return {
        path.name: path.stat().st_size
        for path in folder.iterdir()
        if path.is_file() and path.name != SHARED
    }


def pages_struck(originals: Originals, chance: random.Random, count: int) -> Iterator[Damage]:
    size = (originals.folders["closed"] / DATABASE).stat().st_size
    for number in chance.sample(range(1, size // PAGE), count):
        yield overwritten(number * PAGE, PAGE, by=chance.randbytes(PAGE))


def strike_pages(originals: Originals, tmp_path: Path, count: int, *, repair_every: int) -> None:
    for number, damage in enumerate(pages_struck(originals, random.Random(3), count)):
        with damaged(originals, "closed", tmp_path) as folder:
            damage(folder / DATABASE)
            verdict = judged(folder, originals.receipts)
            assert verdict in ("refused", "found"), f"page struck {number}: {verdict}"
            if number % repair_every == 0:
                assert faults_after_repair(folder, originals) == []


def test_a_scrambled_page_is_found_and_mended(
    originals: Originals, tmp_path: Path, record_property: Any
) -> None:
    record_property("points", 4)
    strike_pages(originals, tmp_path, 4, repair_every=1)


@pytest.mark.slow("scrambles a page of many copies of a store, one after the other")
def test_any_scrambled_page_is_found(
    originals: Originals, tmp_path: Path, record_property: Any
) -> None:
    record_property("points", POINTS_MANY)
    strike_pages(originals, tmp_path, POINTS_MANY, repair_every=10)


# Damage to the log.


def judge_log(folder: Path, originals: Originals) -> list[str]:
    """See that a store with a damaged log is a beginning of its history, and its loss is found."""
    try:
        with kept.opened(folder, embedder="none") as app:
            plain = verify(app.store)
            end = app.store.engine.heads().get(kept.PROJECT)
            there = [one for one in originals.receipts if end and one.seq <= end.seq]
            held = verify(app.store, receipts=there)
            whole = verify(app.store, receipts=originals.receipts)
    except StorageUnavailable:
        return []
    # That the log is damaged may be said; the rest of the store is sound up to there.
    amiss = [one.message for one in plain.findings if "write-ahead log" not in one.message]
    found = [f"it is not sound: {message}" for message in amiss]
    if any(one.project is None for one in held.receipts):
        found.append("a receipt of what is there does not check")
    if len(there) < len(originals.receipts) and whole.exit_code != 2:
        found.append("a receipt of what is lost checks")
    return found


def offsets(originals: Originals, count: int) -> list[int]:
    """Choose places in the log, with the most telling: its header, a frame's edge, its end."""
    size = (originals.folders["killed"] / LOG).stat().st_size
    edges = [0, 16, 32, 32 + 24, size - 1, size - (PAGE + 24), size - (PAGE + 24) - 1]
    return (edges + random.Random(4).sample(range(size), count))[:count]


def cut(log: Path, at: int) -> None:
    with log.open("r+b") as file:
        file.truncate(at)


def flip(log: Path, at: int) -> None:
    with log.open("r+b") as file:
        file.seek(at)
        byte = file.read(1)
        file.seek(at)
        file.write(bytes([byte[0] ^ 0x10]))


def strike_log(
    originals: Originals, tmp_path: Path, strike: Callable[[Path, int], None], count: int
) -> None:
    for at in offsets(originals, count):
        with damaged(originals, "killed", tmp_path) as folder:
            strike(folder / LOG, at)
            assert judge_log(folder, originals) == [], f"at {at:,}"


STRIKES = pytest.mark.parametrize("strike", [cut, flip], ids=["cut", "flipped"])


@STRIKES
def test_a_damaged_log_loses_only_its_end_and_a_receipt_tells(
    strike: Callable[[Path, int], None],
    originals: Originals,
    tmp_path: Path,
    record_property: Any,
) -> None:
    record_property("points", 7)
    strike_log(originals, tmp_path, strike, 7)


@STRIKES
@pytest.mark.slow("damages the log of many copies of a store, one after the other")
def test_a_log_damaged_anywhere_loses_only_its_end_and_a_receipt_tells(
    strike: Callable[[Path, int], None],
    originals: Originals,
    tmp_path: Path,
    record_property: Any,
) -> None:
    record_property("points", POINTS_MANY)
    strike_log(originals, tmp_path, strike, POINTS_MANY)


def test_a_deleted_log_is_no_silent_empty_store_and_is_mended(
    originals: Originals, tmp_path: Path
) -> None:
    with damaged(originals, "killed", tmp_path) as folder:
        (folder / LOG).unlink()

        assert judged(folder, originals.receipts) in ("refused", "found")
        assert faults_after_repair(folder, originals) == []


def test_a_log_deleted_after_a_checkpoint_loses_what_it_held_and_a_receipt_tells(
    tmp_path: Path,
) -> None:
    store, killed = tmp_path / "store", tmp_path / "killed"
    with kept.opened(store, embedder="none") as app:
        before = noted(app, "in the database")
        kept.sql(store, "PRAGMA wal_checkpoint(TRUNCATE)")
        after = noted(app, "in the log")
        shutil.copytree(store, killed, ignore=shutil.ignore_patterns("locks"))
    (killed / LOG).unlink()

    assert judged(killed, [before]) == "sound"
    assert judged(killed, [before, after]) == "found"


def test_the_program_says_that_the_database_is_gone_and_brings_it_back(tmp_path: Path) -> None:
    hansard = Hansard(tmp_path)
    hansard.environment["HANSARD_EMBEDDER"] = "none"
    write_sessions(hansard, ["default.1", "default.2"])
    assert hansard("backup", str(tmp_path / "backups")).code == 0
    anchor = hansard("anchor").out
    (hansard.store / DATABASE).unlink()

    assert hansard("verify").code == 3
    looked = hansard("doctor")
    mended = hansard.on_a_terminal("repair", "--from", str(tmp_path / "backups"), "--yes")

    assert looked.code == 1
    assert "The database of this store is gone" in looked.out
    assert mended.code == 0, mended.out
    assert hansard("verify", "--quick").code == 0
    assert hansard("anchor").out == anchor
