"""Damage on disk: a save proves what it rests on, and one damaged file harms few checkpoints."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from hansard.app.keeping.garbage_collection import collect
from hansard.app.keeping.redaction import WantedErasure, erase
from hansard.app.verify import verify
from hansard.checkpoints.limits import KEYFRAME_EVERY
from hansard.checkpoints.reading import context_of, find
from hansard.kernel.blob import Digest, canonical_json, digest_of
from hansard.kernel.engine import ReadTx
from hansard.kernel.event import SYSTEM, Actor, Stamp
from hansard.kernel.problem import BlobDamaged, BlobRedacted
from hansard.sdk import Hansard
from tests.checkpoints.contexts import hardly_packed, library, near_identical, sql
from tests.checkpoints.damaging import all_blobs, flip, flip_base_of, flipped

LATER = "2999-01-01T00:00:00.000000Z"
GC = Stamp(SYSTEM, LATER)
PERSON = Stamp(Actor("human", "maria", "admin"), LATER)

SMALL, LARGE = 1_000, 200_000
"""What lies in the database, and what lies in a file of its own."""

Damage = Callable[[Path, str], None]


def lose(store: Path, digest: str) -> None:
    """Take a blob's row away, and its file."""
    sql(store, "DELETE FROM blobs WHERE digest = ?", digest)
    (store / "blobs" / digest[:2] / digest[2:]).unlink(missing_ok=True)


def empty(store: Path, digest: str) -> None:
    """Leave nothing of a blob but its name."""
    sql(store, "UPDATE blobs SET packed = x'' WHERE digest = ?", digest)


every_damage = pytest.mark.parametrize("damage", [flip, lose, empty, flip_base_of])
every_size = pytest.mark.parametrize("size", [SMALL, LARGE], ids=["row", "file"])


def texts(size: int, *seeds: int) -> list[dict[str, Any]]:
    """Make contexts that are like one another, each with a part of its own."""
    same = hardly_packed(size)
    return [{"same": same, "own": hardly_packed(size, seed=seed)} for seed in seeds]


@pytest.mark.holds("CHK-blob-7")
@every_damage
@every_size
def test_an_unchanged_context_is_never_skipped_onto_what_cannot_be_read(
    tmp_path: Path, damage: Damage, size: int
) -> None:
    first, second = texts(size, 2, 3)
    with library(tmp_path) as hansard:
        hansard.checkpoints.save_checkpoint("w", first)
        saved = hansard.checkpoints.save_checkpoint("w", second)
        damage(tmp_path, saved.contextHash)

        again = hansard.checkpoints.save_checkpoint("w", second)

        assert (again.status, again.checkpointId) == ("SKIPPED_UNCHANGED", saved.checkpointId)
        assert again.warning
        assert hansard.checkpoints.load_checkpoint(saved.checkpointId).context == second
        quiet = hansard.checkpoints.save_checkpoint("w", second)
        assert (quiet.status, quiet.warning) == ("SKIPPED_UNCHANGED", None)


@pytest.mark.holds("CHK-blob-7")
@every_damage
@every_size
@pytest.mark.parametrize("session", ["w", "v"], ids=["by force", "in another session"])
def test_what_is_saved_though_it_is_kept_already_can_be_loaded(
    tmp_path: Path, damage: Damage, size: int, session: str
) -> None:
    first, second = texts(size, 2, 3)
    with library(tmp_path) as hansard:
        hansard.checkpoints.save_checkpoint("w", first)
        saved = hansard.checkpoints.save_checkpoint("w", second)
        damage(tmp_path, saved.contextHash)

        again = hansard.checkpoints.save_checkpoint(session, second, force=True)

        assert again.status == "SAVED"
        for one in (again, saved):
            assert hansard.checkpoints.load_checkpoint(one.checkpointId).context == second
    with library(tmp_path) as hansard:
        assert hansard.checkpoints.load_checkpoint(again.checkpointId).context == second


@pytest.mark.holds("CHK-blob-7")
def test_what_was_packed_onto_damage_is_whole_again_once_that_is_mended(tmp_path: Path) -> None:
    contexts = list(near_identical(10, keys=5))
    with library(tmp_path) as hansard:
        saved = [hansard.checkpoints.save_checkpoint("w", context) for context in contexts]
        flip(tmp_path, saved[0].contextHash)
        assert len(unreadable(hansard, saved)) == 10

        hansard.checkpoints.save_checkpoint("elsewhere", contexts[0])

        assert unreadable(hansard, saved) == []
        assert verify(hansard.application.store).exit_code == 0


def test_a_save_onto_a_damaged_one_stands_alone(tmp_path: Path) -> None:
    first, second, third = texts(SMALL, 2, 3, 4)
    with library(tmp_path) as hansard:
        saved = [hansard.checkpoints.save_checkpoint("w", one) for one in (first, second)]
        flip(tmp_path, saved[1].contextHash)

        last = hansard.checkpoints.save_checkpoint("w", third)

        assert hansard.checkpoints.load_checkpoint(last.checkpointId).context == third


@pytest.mark.holds("CHK-blob-7")
def test_what_was_collected_is_stored_again_when_it_comes_again(tmp_path: Path) -> None:
    [context] = texts(SMALL, 2)
    with library(tmp_path) as hansard, library(tmp_path) as other:
        saved = hansard.checkpoints.save_checkpoint("w", context)
        hansard.checkpoints.delete_checkpoint(saved.checkpointId)
        collect(other.application.store, deleted_before=LATER, stamp=GC)
        assert all_blobs(tmp_path) == []

        again = hansard.checkpoints.save_checkpoint("w", context)

        assert hansard.checkpoints.load_checkpoint(again.checkpointId).context == context
        assert verify(hansard.application.store).exit_code == 0


def test_what_a_person_had_erased_does_not_come_back_by_being_saved_again(tmp_path: Path) -> None:
    [context] = texts(SMALL, 2)
    with library(tmp_path) as hansard:
        saved = hansard.checkpoints.save_checkpoint("w", context)
        wanted = WantedErasure(digests=(Digest(saved.contextHash),))
        erase(hansard.application.store, "default", wanted, reason="private", stamp=PERSON)
        before = hansard.application.store.engine.heads()

        for session, force in (("w", False), ("w", True), ("v", False)):
            with pytest.raises(BlobRedacted):
                hansard.checkpoints.save_checkpoint(session, context, force=force)

        assert hansard.application.store.engine.heads()["default"] == before["default"]


# How far damage reaches.


@pytest.mark.holds("CHK-blob-8")
@pytest.mark.parametrize(
    "contexts",
    [
        pytest.param(list(near_identical(45, keys=2)), id="all different"),
        pytest.param(
            list(near_identical(100, keys=2)),
            id="a hundred",
            marks=pytest.mark.slow("reads each of them with each of their blobs damaged"),
        ),
        pytest.param([{"turn": hardly_packed(600, seed=n % 3)} for n in range(100)], id="in turns"),
        pytest.param([{"same": hardly_packed(600)}] * 100, id="all the same"),
        pytest.param(
            [{"n": n if n % 2 else 0, "same": hardly_packed(600)} for n in range(60)],
            id="every other the same",
        ),
    ],
)
def test_no_damaged_blob_harms_more_than_twenty_checkpoints_of_a_session(
    tmp_path: Path, contexts: list[dict[str, Any]]
) -> None:
    with library(tmp_path) as hansard:
        saved = [hansard.checkpoints.save_checkpoint("w", one, force=True) for one in contexts]
        assert [loaded(hansard, one) for one in saved] == contexts

        harmed = {}
        for digest in all_blobs(tmp_path):
            with flipped(tmp_path, digest):
                harmed[digest] = unreadable(hansard, saved)

        assert max(len(ids) for ids in harmed.values()) <= KEYFRAME_EVERY == 20
        # What is harmed lies together, so that a session has its neighbours to go on from.
        assert all(is_within_a_group(ids, saved) for ids in harmed.values())


@pytest.mark.holds("CHK-blob-8")
def test_sessions_that_hold_the_same_do_not_share_more_damage(tmp_path: Path) -> None:
    contexts = list(near_identical(25, keys=2))
    with library(tmp_path) as hansard:
        by_session = {
            session: [hansard.checkpoints.save_checkpoint(session, one) for one in contexts]
            for session in ("first", "second", "third")
        }

        for digest in all_blobs(tmp_path):
            with flipped(tmp_path, digest):
                harmed = [len(unreadable(hansard, saved)) for saved in by_session.values()]
            assert max(harmed) <= KEYFRAME_EVERY
            assert harmed.count(0) >= 2


def test_a_copy_of_a_session_takes_little_more_room(tmp_path: Path) -> None:
    contexts = list(near_identical(60, keys=20))
    with library(tmp_path) as hansard:
        for one in contexts:
            hansard.checkpoints.save_checkpoint("w", one)
        once = stored_bytes(tmp_path)
        for one in contexts:
            hansard.checkpoints.save_checkpoint("copy", one)

    assert stored_bytes(tmp_path) <= 2.2 * once


@pytest.mark.holds("CHK-blob-2", "CHK-blob-8")
def test_a_group_goes_on_past_what_was_deleted_in_it(tmp_path: Path) -> None:
    contexts = list(near_identical(30, keys=10))
    with library(tmp_path) as hansard:
        for number, one in enumerate(contexts):
            done = hansard.checkpoints.save_checkpoint("w", one)
            if number % 3 == 1:
                hansard.checkpoints.delete_checkpoint(done.checkpointId)

    alone = sql(tmp_path, "SELECT count(*) FROM blobs WHERE base IS NULL")
    assert alone == [(2,)]


def test_damage_in_a_copy_is_found_by_verify(tmp_path: Path) -> None:
    contexts = [{"same": hardly_packed(600)}, {"other": hardly_packed(600, seed=2)}] * 25
    with library(tmp_path) as hansard:
        saved = [hansard.checkpoints.save_checkpoint("w", one) for one in contexts]
        flip(tmp_path, saved[0].contextHash)

        report = verify(hansard.application.store)

        assert {finding.where["digest"] for finding in report.findings} >= {saved[0].contextHash}
        assert loaded(hansard, saved[-2]) == contexts[-2]


def loaded(hansard: Hansard, saved: Any) -> dict[str, Any]:
    return hansard.checkpoints.load_checkpoint(saved.checkpointId).context


def unreadable(hansard: Hansard, saved: Iterable[Any]) -> list[str]:
    """Name the checkpoints that are refused as damaged; any other must be what was saved."""

    def work(tx: ReadTx) -> list[str]:
        return [one.checkpointId for one in saved if not _is_whole(tx, one)]

    return hansard.application.store.read("default", work)


def _is_whole(tx: ReadTx, saved: Any) -> bool:
    try:
        context = context_of(tx, find(tx, saved.checkpointId))
    except BlobDamaged:
        return False
    assert digest_of(canonical_json(context)) == saved.contextHash
    return True


def is_within_a_group(harmed: list[str], saved: list[Any]) -> bool:
    places = [place for place, one in enumerate(saved) if one.checkpointId in harmed]
    return not places or places[-1] - places[0] < KEYFRAME_EVERY


def stored_bytes(store: Path) -> int:
    return sum(size for (size,) in sql(store, "SELECT length(packed) FROM blobs"))
