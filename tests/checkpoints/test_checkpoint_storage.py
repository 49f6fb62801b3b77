"""What lies on disk: little of it, all of it exact, and damage that is named and stays small."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hansard.app.settings import Settings
from hansard.app.start import checkpoint_quotas
from hansard.app.verify import verify
from hansard.checkpoints.answers import CheckpointListAnswer
from hansard.checkpoints.contract import StorageQuotaExceeded
from hansard.checkpoints.limits import CheckpointQuotas, Retention
from hansard.kernel.engine import ReadTx
from hansard.kernel.limits import BLOB_CHAIN_MAX, KIB, MIB
from hansard.kernel.problem import BlobDamaged
from hansard.kernel.store import CATALOG
from hansard.sdk import Hansard
from tests.checkpoints.contexts import blob_files, hardly_packed, library, near_identical, sql
from tests.conftest import OpenApp

Contexts = dict[str, dict[str, Any]]


def save_all(hansard: Hansard, contexts: Any, session: str = "w") -> Contexts:
    """Save contexts; returns them by the ids of their checkpoints."""
    return {
        hansard.checkpoints.save_checkpoint(session, context).checkpointId: context
        for context in contexts
    }


def sizes(hansard: Hansard, session: str = "w") -> list[int]:
    """Give the packed sizes of a session's checkpoints, oldest first."""
    listed = hansard.checkpoints.list_checkpoints(session, limit=1_000)
    return [one.sizeBytes for one in listed][::-1]


@pytest.mark.holds("CHK-blob-1", "CHK-blob-2", "CHK-view-1")
def test_a_hundred_near_identical_contexts_take_little_more_than_one(tmp_path: Path) -> None:
    with library(tmp_path) as hansard:
        saved = save_all(hansard, near_identical(100))
        packed = sizes(hansard)
        chosen = random.Random(1).sample(sorted(saved), 30)

        assert sum(packed) <= 1.1 * packed[0] + 200 * KIB
        for one in chosen:
            assert hansard.checkpoints.load_checkpoint(one).context == saved[one]

    assert sum(size for (size,) in sql(tmp_path, "SELECT length(packed) FROM blobs")) == sum(packed)
    assert sql(tmp_path, "SELECT max(depth) FROM blobs") <= [(BLOB_CHAIN_MAX,)]
    assert {codec for (codec,) in sql(tmp_path, "SELECT codec FROM blobs")} == {"zstd", "patch"}


def needing(store: Path, digest: str) -> set[str]:
    """Name the blobs that are packed onto this one, or onto one that is."""
    bases = dict(sql(store, "SELECT digest, base FROM blobs"))
    needed = {digest}
    while more := {one for one, base in bases.items() if base in needed} - needed:
        needed |= more
    return needed


def flip_in_database(store: Path, digest: str) -> None:
    [(packed,)] = sql(store, "SELECT packed FROM blobs WHERE digest = ?", digest)
    middle = len(packed) // 2
    flipped = packed[:middle] + bytes([packed[middle] ^ 1]) + packed[middle + 1 :]
    sql(store, "UPDATE blobs SET packed = ? WHERE digest = ?", flipped, digest)


def flip_in_file(store: Path, digest: str) -> None:
    path = store / "blobs" / digest[:2] / digest[2:]
    flipped = bytearray(path.read_bytes())
    flipped[len(flipped) // 2] ^= 1
    path.write_bytes(flipped)


@pytest.mark.holds("CHK-blob-4", "CHK-blob-5")
@pytest.mark.parametrize("place", [0, 20, 30])
def test_a_flipped_byte_harms_only_what_needs_it_and_is_named(tmp_path: Path, place: int) -> None:
    with library(tmp_path) as hansard:
        saved = save_all(hansard, near_identical(60, keys=20))
        listed = hansard.checkpoints.list_checkpoints("w", limit=100)
    hashes = {one.checkpointId: one.contextHash for one in listed}
    victim = list(hashes.values())[::-1][place]
    needed = needing(tmp_path, victim)
    flip_in_database(tmp_path, victim)

    with library(tmp_path) as hansard:
        blamed = {one: _blamed(hansard, one, context) for one, context in saved.items()}
        report = verify(hansard.application.store)

    refused = {hashes[one] for one, culprit in blamed.items() if culprit}
    assert {*blamed.values()} == {None, victim} - ({None} if len(refused) == len(saved) else set())
    # One that has since replaced the damaged part does not need it.
    assert victim in refused <= needed
    reported = {finding.where["digest"] for finding in report.findings}
    assert reported <= refused
    assert len(reported) + report.left_out == len(refused)
    assert all(victim in finding.message for finding in report.findings)
    assert report.exit_code == 2


def _blamed(hansard: Hansard, identifier: str, context: dict[str, Any]) -> str | None:
    """Load a checkpoint; gives the digest that is blamed if that cannot be done."""
    try:
        loaded = hansard.checkpoints.load_checkpoint(identifier)
    except BlobDamaged as problem:
        return str(problem.details["digest"])
    assert loaded.context == context
    return None


@pytest.mark.holds("CHK-blob-6")
@pytest.mark.parametrize(
    ("flip", "size"), [(flip_in_database, 1_000), (flip_in_file, 200_000)], ids=["row", "file"]
)
def test_load_by_session_falls_back_to_the_newest_sound_one(
    tmp_path: Path, flip: Callable[[Path, str], None], size: int
) -> None:
    texts = [hardly_packed(size, seed=seed) for seed in range(4)]
    with library(tmp_path) as hansard:
        saved = list(save_all(hansard, ({"text": text} for text in texts)))
        listed = hansard.checkpoints.list_checkpoints("w")
    for one in listed[:2]:
        flip(tmp_path, one.contextHash)

    with library(tmp_path) as hansard:
        loaded = hansard.checkpoints.load_checkpoint(session_id="w")

        assert (loaded.checkpointId, loaded.context) == (saved[1], {"text": texts[1]})
        assert loaded.warning is not None
        assert saved[2] in loaded.warning
        assert saved[3] in loaded.warning
        again = hansard.checkpoints.save_checkpoint("w", {"text": "goes on"})
        assert (
            hansard.checkpoints.load_checkpoint(session_id="w").checkpointId == again.checkpointId
        )


def test_a_session_without_a_sound_checkpoint_says_so(tmp_path: Path) -> None:
    with library(tmp_path) as hansard:
        saved = save_all(hansard, near_identical(3, keys=2))
    for (digest,) in sql(tmp_path, "SELECT digest FROM blobs"):
        flip_in_database(tmp_path, digest)

    with library(tmp_path) as hansard, pytest.raises(BlobDamaged) as refused:
        hansard.checkpoints.load_checkpoint(session_id="w")

    assert sorted(refused.value.details["checkpoints"]) == sorted(saved)


@pytest.mark.holds(
    "CHK-quota-1", "CHK-quota-2", "CHK-quota-3", "001-errors-STORAGE_QUOTA_EXCEEDED", "ALL-06.42"
)
@pytest.mark.parametrize(
    "quotas",
    [
        CheckpointQuotas(checkpoint_bytes_max=60_000),
        CheckpointQuotas(session_bytes_max=100_000),
        CheckpointQuotas(store_bytes_max=100_000),
    ],
    ids=["checkpoint", "session", "store"],
)
def test_beyond_a_quota_nothing_is_stored_not_even_in_part(
    tmp_path: Path, quotas: CheckpointQuotas
) -> None:
    with library(tmp_path, quotas=quotas) as hansard:
        first = hansard.checkpoints.save_checkpoint("w", {"text": hardly_packed(100_000, seed=1)})
        before = blob_files(tmp_path), hansard.application.store.engine.heads()

        with pytest.raises(StorageQuotaExceeded) as refused:
            hansard.checkpoints.save_checkpoint("w", {"text": hardly_packed(150_000, seed=2)})

        assert refused.value.details["used"] > refused.value.details["limit"]
        assert (blob_files(tmp_path), hansard.application.store.engine.heads()) == before
        assert hansard.checkpoints.load_checkpoint(session_id="w").checkpointId == (
            first.checkpointId
        )
        small = hansard.checkpoints.save_checkpoint("w", {"text": "small"})
        assert small.status == "SAVED"


@pytest.mark.holds("CHK-quota-3")
def test_the_stores_quota_counts_all_projects(tmp_path: Path) -> None:
    with library(tmp_path, quotas=CheckpointQuotas(store_bytes_max=100_000)) as hansard:
        hansard.call("create_project", id="other", name="Other")
        text = hardly_packed(100_000, seed=1)
        hansard.call(
            "workflow_checkpoint_save",
            context={"text": text},
            project_id="other",
            sessionId="there",
        )

        with pytest.raises(StorageQuotaExceeded):
            hansard.checkpoints.save_checkpoint("w", {"text": hardly_packed(150_000, seed=2)})


@pytest.mark.holds("CHK-quota-8")
def test_a_save_looks_into_no_other_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with library(tmp_path) as hansard:
        for number in range(20):
            hansard.call("create_project", id=f"p{number}", name="Other")
            there = {"project_id": f"p{number}", "sessionId": f"s{number}"}
            hansard.call("workflow_checkpoint_save", context={"n": number}, **there)
        hansard.checkpoints.save_checkpoint("w", {"n": 0})
        store, asked = hansard.application.store, list[str]()
        read = store.read

        def noted(project: str, work: Callable[[ReadTx], Any]) -> Any:
            asked.append(project)
            return read(project, work)

        monkeypatch.setattr(store, "read", noted)

        hansard.checkpoints.save_checkpoint("w", {"n": 1})

        assert {*asked} <= {"default", CATALOG}


@pytest.mark.holds("CHK-quota-8")
def test_a_project_of_a_newer_version_stands_in_nobody_elses_way(tmp_path: Path) -> None:
    with library(tmp_path) as hansard:
        hansard.call("create_project", id="newer", name="Newer")
        hansard.call("workflow_checkpoint_save", context={"n": 1}, project_id="newer")
    sql(tmp_path, "UPDATE heads SET views = 'checkpoints:999' WHERE project = 'newer'")

    with library(tmp_path) as hansard:
        assert hansard.checkpoints.save_checkpoint("w", {"n": 1}).status == "SAVED"


@pytest.mark.holds("CHK-quota-8", "CHK-quota-3")
def test_what_others_free_can_be_used_at_once(tmp_path: Path) -> None:
    quotas = CheckpointQuotas(store_bytes_max=100_000)
    context = {"text": hardly_packed(150_000, seed=2)}
    with library(tmp_path, quotas=quotas) as hansard, library(tmp_path, quotas=quotas) as other:
        other.call("create_project", id="other", name="Other")
        large = {"text": hardly_packed(100_000, seed=1)}
        there = other.call("workflow_checkpoint_save", context=large, project_id="other")
        with pytest.raises(StorageQuotaExceeded):
            hansard.checkpoints.save_checkpoint("w", context)

        gone = {"checkpointId": there.model_dump()["checkpointId"], "project_id": "other"}
        other.call("workflow_checkpoint_delete", **gone)

        assert hansard.checkpoints.save_checkpoint("w", context).status == "SAVED"


@pytest.mark.holds("CHK-quota-5")
def test_from_four_fifths_of_a_quota_on_answers_warn(tmp_path: Path) -> None:
    with library(tmp_path, quotas=CheckpointQuotas(session_bytes_max=120_000)) as hansard:
        first = hansard.checkpoints.save_checkpoint("w", {"text": hardly_packed(100_000, seed=1)})
        second = hansard.checkpoints.save_checkpoint("w", {"text": hardly_packed(100_000, seed=2)})

    assert first.warning is None
    assert second.warning is not None
    assert "120,000" in second.warning


@pytest.mark.holds("CHK-quota-6")
def test_nothing_is_deleted_unless_the_operator_says_so(tmp_path: Path) -> None:
    with library(tmp_path) as hansard:
        save_all(hansard, ({"n": number} for number in range(50)))

        assert len(sizes(hansard)) == 50


@pytest.mark.holds("CHK-quota-7")
def test_retention_keeps_the_last_few_and_those_with_a_marked_key(tmp_path: Path) -> None:
    with library(tmp_path, retention=Retention(keep_last=3)) as hansard:
        hansard.checkpoints.mark_critical(None, "unrelated")
        marked = hansard.checkpoints.save_checkpoint("w", {"goal": "ship it"})
        hansard.checkpoints.mark_critical("w", "goal")
        saved = save_all(hansard, ({"n": number} for number in range(8)))
        left = [one.checkpointId for one in hansard.checkpoints.list_checkpoints("w")]

        assert left == [*list(saved)[:-4:-1], marked.checkpointId]
        assert hansard.checkpoints.load_checkpoint(marked.checkpointId).context == {
            "goal": "ship it"
        }
        assert verify(hansard.application.store).exit_code == 0


@pytest.mark.holds("CHK-quota-7")
def test_a_mark_on_a_key_that_every_context_has_does_not_end_retention(tmp_path: Path) -> None:
    with library(tmp_path, retention=Retention(keep_last=3)) as hansard:
        for number in range(12):
            goal = "the first" if number < 4 else "the second"
            hansard.checkpoints.save_checkpoint("w", {"goal": goal, "n": number})
            hansard.checkpoints.mark_critical("w", "goal")
        left = hansard.checkpoints.list_checkpoints("w")
        kept = [hansard.checkpoints.load_checkpoint(one.checkpointId).context for one in left]

    assert [one["n"] for one in kept] == [11, 10, 9, 3]
    assert kept[-1]["goal"] == "the first"


def test_retention_passes_over_what_is_damaged(tmp_path: Path) -> None:
    with library(tmp_path, retention=Retention(keep_last=2)) as hansard:
        first = hansard.checkpoints.save_checkpoint("w", {"goal": 1})
        hansard.checkpoints.mark_critical("w", "goal")
        flip_in_database(tmp_path, first.contextHash)
        for number in range(4):
            hansard.checkpoints.save_checkpoint("w", {"goal": 2, "n": number})

        left = [one.checkpointId for one in hansard.checkpoints.list_checkpoints("w")]

    assert left[-1] == first.checkpointId
    assert len(left) == 3


@pytest.mark.holds("CHK-quota-1", "CHK-quota-2", "CHK-quota-3", "CHK-quota-7")
def test_quotas_and_retention_are_settings(open_app: OpenApp) -> None:
    hansard = Hansard(application=open_app(checkpoint_max_mib=1, keep_checkpoints=2))
    saved = save_all(hansard, ({"n": number} for number in range(4)))

    with pytest.raises(StorageQuotaExceeded):
        hansard.checkpoints.save_checkpoint("w", {"text": hardly_packed(3_000_000)})

    left = [one.checkpointId for one in hansard.checkpoints.list_checkpoints("w")]
    assert left == list(saved)[:1:-1]
    assert checkpoint_quotas(Settings(session_max_mib=2, store_max_gib=3)) == CheckpointQuotas(
        session_bytes_max=2 * MIB, store_bytes_max=3 * 1024 * MIB
    )


@pytest.mark.holds("CHK-quota-4")
def test_what_is_stored_once_counts_once(tmp_path: Path) -> None:
    one, other = ({"text": hardly_packed(50_000, seed=seed)} for seed in (1, 2))
    with library(tmp_path) as hansard:
        saved = [
            hansard.checkpoints.save_checkpoint("w", context)
            for context in (one, other, one, other)
        ]
        whole = _weight(hansard)
        hansard.checkpoints.delete_checkpoint(saved[0].checkpointId)
        after_one = _weight(hansard)
        hansard.checkpoints.delete_checkpoint(saved[2].checkpointId)
        after_both = _weight(hansard)

    unique = sum(size for (size,) in sql(tmp_path, "SELECT length(packed) FROM blobs"))
    assert whole == after_one == unique
    assert after_both == saved[1].sizeBytes


def test_a_context_that_another_session_has_stored_takes_no_more_of_the_store(
    tmp_path: Path,
) -> None:
    context = {"text": hardly_packed(100_000, seed=1)}
    with library(tmp_path, quotas=CheckpointQuotas(store_bytes_max=60_000)) as hansard:
        hansard.checkpoints.save_checkpoint("w", context)
        again = hansard.checkpoints.save_checkpoint("v", context)

        assert again.status == "SAVED"
        assert _weight(hansard, "v") == _weight(hansard, "w") == again.sizeBytes


def _weight(hansard: Hansard, session: str = "w") -> int:
    listed = hansard.call("workflow_checkpoint_list", sessionId=session)
    assert isinstance(listed, CheckpointListAnswer)
    return listed.session.totalSizeBytes
