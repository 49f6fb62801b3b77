"""`verify` finds planted damage and names it: in the journal, in blobs, in views."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from hansard.kernel.blob import seal
from hansard.sessions.views import ACTIVITY
from tests.app.damage import Damaged, flipped


@pytest.fixture
def store(tmp_path: Path) -> Damaged:
    damaged = Damaged(tmp_path / "store")
    damaged.fill()
    assert damaged.verify().findings == ()
    return damaged


# Damage to the journal. Each plants one thing at entry 5 and returns the seqs to be named.

Plant = Callable[[Damaged], set[int]]
IN_JOURNAL: dict[str, Plant] = {}


def in_journal(plant: Plant) -> Plant:
    IN_JOURNAL[plant.__name__.strip("_")] = plant
    return plant


@in_journal
def _a_flipped_byte_in_a_payload(store: Damaged) -> set[int]:
    store.set_entry(5, payload=flipped(store.entry(5, "payload")))
    return {5}


@in_journal
def _a_payload_changed_together_with_its_digest(store: Damaged) -> set[int]:
    changed = store.entry(5, "payload").replace(b"note", b"nope")
    store.set_entry(5, payload=changed, payload_digest=seal(changed).digest)
    return {5}


@in_journal
def _another_time(store: Damaged) -> set[int]:
    store.set_entry(5, at=store.entry(5, "at").replace("2026", "2025"))
    return {5}


@in_journal
def _another_kind(store: Damaged) -> set[int]:
    store.set_entry(5, kind="toy.other.v1")
    return {5}


@in_journal
def _another_session(store: Damaged) -> set[int]:
    store.set_entry(5, session="someone-else")
    return {5}


@in_journal
def _another_author(store: Damaged) -> set[int]:
    store.set_entry(5, actor='["human","test","admin"]')
    return {5}


@in_journal
def _an_author_that_cannot_be_read(store: Damaged) -> set[int]:
    store.set_entry(5, actor='["agent","test"')
    return {5}


@in_journal
def _text_that_is_not_utf_8(store: Damaged) -> set[int]:
    store.sql("UPDATE journal SET kind = CAST(x'ff' AS TEXT) WHERE number = ?", store.number(5))
    return {5}


@in_journal
def _another_tick(store: Damaged) -> set[int]:
    store.set_entry(5, tick=store.entry(5, "tick") + 1)
    return {5}


@in_journal
def _another_hash(store: Damaged) -> set[int]:
    store.set_entry(5, hash=flipped(store.entry(5, "hash").encode()).decode())
    return {5}


@in_journal
def _another_running_clock(store: Damaged) -> set[int]:
    store.set_entry(5, clock="2099-01-01T00:00:00.000000Z")
    return {5}


@in_journal
def _a_deleted_entry(store: Damaged) -> set[int]:
    store.sql("DELETE FROM journal WHERE number = ?", store.number(5))
    return {5}


@in_journal
def _two_entries_swapped(store: Damaged) -> set[int]:
    store.sql("UPDATE journal SET number = -1 WHERE number = ?", store.number(5))
    store.sql("UPDATE journal SET number = ? WHERE number = ?", store.number(5), store.number(6))
    store.sql("UPDATE journal SET number = ? WHERE number = -1", store.number(6))
    return {5}


@in_journal
def _entries_missing_at_the_end(store: Damaged) -> set[int]:
    store.sql("DELETE FROM journal WHERE number >= ?", store.number(store.last.seq))
    return {store.last.seq}


@in_journal
def _an_entry_beyond_the_end_that_cannot_be_read(store: Damaged) -> set[int]:
    after = store.last.seq + 1
    store.sql(
        "INSERT INTO journal SELECT ?, tick, at, clock, kind, session, '[', payload, "
        "payload_digest, hash FROM journal WHERE number = ?",
        store.number(after),
        store.number(5),
    )
    return {after}


@in_journal
def _a_head_set_back(store: Damaged) -> set[int]:
    store.sql("UPDATE heads SET seq = 4 WHERE project = ?", store.project)
    return {4, 5}


@in_journal
def _a_head_set_back_as_if_that_were_all(store: Damaged) -> set[int]:
    store.sql(
        "UPDATE heads SET (seq, tick, hash, clock) = "
        "(SELECT 4, tick, hash, clock FROM journal WHERE number = ?) WHERE project = ?",
        store.number(4),
        store.project,
    )
    return {5}


@in_journal
def _a_head_set_to_nothing(store: Damaged) -> set[int]:
    store.sql("UPDATE heads SET seq = 0 WHERE project = ?", store.project)
    return {0, 1}


@in_journal
def _a_head_with_another_hash(store: Damaged) -> set[int]:
    store.sql("UPDATE heads SET hash = ? WHERE project = ?", "0" * 64, store.project)
    return {store.last.seq}


@in_journal
def _a_head_with_another_tick(store: Damaged) -> set[int]:
    store.sql("UPDATE heads SET tick = tick + 1 WHERE project = ?", store.project)
    return {store.last.seq}


@in_journal
def _a_head_with_another_clock(store: Damaged) -> set[int]:
    store.sql("UPDATE heads SET clock = '' WHERE project = ?", store.project)
    return {store.last.seq}


@pytest.mark.parametrize("quick", [True, False])
@pytest.mark.parametrize("plant", IN_JOURNAL.values(), ids=IN_JOURNAL)
def test_damage_to_the_journal_is_found_and_named(
    store: Damaged, plant: Plant, quick: bool
) -> None:
    expected = plant(store)

    report = store.verify(quick=quick)

    assert report.exit_code == 2
    broken = [found for found in report.findings if found.severity == "broken"]
    assert {found.check for found in broken} <= {"chain", "head"}
    assert {found.project for found in broken} == {store.project}
    assert min(found.where["seq"] for found in broken) in expected


def test_one_altered_hash_is_one_finding(store: Damaged) -> None:
    store.set_entry(5, hash="0" * 64)

    assert [found.where["seq"] for found in store.verify().findings] == [5]


def test_a_lost_catalog_is_found(store: Damaged) -> None:
    store.sql("DELETE FROM heads WHERE project = '@catalog'")

    report = store.verify(quick=True)

    assert report.exit_code == 2
    assert ("head", "@catalog") in {(found.check, found.project) for found in report.findings}


def test_a_line_of_the_directory_that_cannot_be_read_is_found(store: Damaged) -> None:
    store.sql("UPDATE rows_project_directory_v1 SET row = '{'")

    report = store.verify()

    assert report.exit_code == 2
    assert ("views", "@catalog") in {(found.check, found.project) for found in report.findings}
    assert {one.project for one in report.projects} == {"@catalog", store.project}


def test_versions_of_views_that_cannot_be_read_are_found(store: Damaged) -> None:
    store.sql("UPDATE heads SET views = 'toy:x' WHERE project = ?", store.project)

    report = store.verify()

    assert [(found.check, found.severity) for found in report.findings] == [("head", "broken")]


# Damage to blobs. Each returns the digest to be named.

PlantBlob = Callable[[Damaged], str]
IN_BLOBS: dict[str, PlantBlob] = {}


def in_blobs(plant: PlantBlob) -> PlantBlob:
    IN_BLOBS[plant.__name__.strip("_")] = plant
    return plant


@in_blobs
def _a_missing_row(store: Damaged) -> str:
    store.sql("DELETE FROM blobs WHERE digest = ?", store.small.digest)
    return store.small.digest


@in_blobs
def _a_flipped_byte_in_the_database(store: Damaged) -> str:
    changed = flipped(store.small.packed)
    store.sql("UPDATE blobs SET packed = ? WHERE digest = ?", changed, store.small.digest)
    return store.small.digest


@in_blobs
def _a_size_that_is_not_so(store: Damaged) -> str:
    store.sql("UPDATE blobs SET size = size + 1 WHERE digest = ?", store.small.digest)
    return store.small.digest


@in_blobs
def _a_size_that_is_not_so_of_a_blob_too_small_to_pack(store: Damaged) -> str:
    with store.opened() as app:
        tiny = store.keep(app, b"tiny")
    store.sql("UPDATE blobs SET size = size + 1 WHERE digest = ?", tiny.digest)
    return tiny.digest


@in_blobs
def _a_size_beyond_any_limit(store: Damaged) -> str:
    store.sql("UPDATE blobs SET size = 1 << 40 WHERE digest = ?", store.large.digest)
    return store.large.digest


@in_blobs
def _a_codec_that_nobody_knows(store: Damaged) -> str:
    with store.opened() as app:
        tiny = store.keep(app, b"tiny")
    store.sql("UPDATE blobs SET codec = 'row' WHERE digest = ?", tiny.digest)
    return tiny.digest


@in_blobs
def _content_of_another_blob(store: Damaged) -> str:
    other = seal(b"others " * 100)
    store.sql(
        "UPDATE blobs SET packed = ?, size = ? WHERE digest = ?",
        other.packed,
        other.size,
        store.small.digest,
    )
    return store.small.digest


@in_blobs
def _a_flipped_byte_in_a_file(store: Damaged) -> str:
    path = store.blob_file(store.large)
    path.write_bytes(flipped(path.read_bytes()))
    return store.large.digest


@in_blobs
def _a_file_cut_short(store: Damaged) -> str:
    path = store.blob_file(store.large)
    path.write_bytes(path.read_bytes()[:1000])
    return store.large.digest


@in_blobs
def _a_missing_file(store: Damaged) -> str:
    store.blob_file(store.large).unlink()
    return store.large.digest


@in_blobs
def _a_base_that_is_missing(store: Damaged) -> str:
    store.sql("UPDATE blobs SET base = ?, depth = 1 WHERE size = ?", "0" * 64, store.small.size)
    return store.small.digest


@pytest.mark.parametrize("plant", IN_BLOBS.values(), ids=IN_BLOBS)
def test_damage_to_a_blob_is_found_and_named(store: Damaged, plant: PlantBlob) -> None:
    expected = plant(store)

    report = store.verify(quick=True)

    assert report.exit_code == 2
    named = [(found.check, found.where["digest"]) for found in report.findings]
    assert named == [("blobs", expected)]


def test_two_blob_files_swapped_are_both_named(store: Damaged) -> None:
    with store.opened() as app:
        other = store.keep(app, bytes(random.Random(1).randbytes(200_000)))
    one, two = store.blob_file(store.large), store.blob_file(other)
    first, second = one.read_bytes(), two.read_bytes()
    one.write_bytes(second)
    two.write_bytes(first)

    found = store.verify(quick=True).findings

    assert {each.where["digest"] for each in found} == {store.large.digest, other.digest}


# Damage to views. Each returns the table and key to be named; no key where a column is meant.

NOTES_TABLE = "rows_toy_notes_v1"
ACTIVITY_TABLE = f"rows_{ACTIVITY.name}_v{ACTIVITY.version}"
PlantRow = Callable[[Damaged], tuple[str, str | None]]
IN_VIEWS: dict[str, PlantRow] = {}


def in_views(plant: PlantRow) -> PlantRow:
    IN_VIEWS[plant.__name__.strip("_")] = plant
    return plant


@in_views
def _a_row_altered(store: Damaged) -> tuple[str, str | None]:
    store.sql(f"""UPDATE {NOTES_TABLE} SET row = '{{"text":"other"}}' WHERE key = 'T003'""")
    return "toy_notes", "T003"


@in_views
def _a_row_deleted(store: Damaged) -> tuple[str, str | None]:
    store.sql(f"DELETE FROM {NOTES_TABLE} WHERE key = 'T003'")
    return "toy_notes", "T003"


@in_views
def _a_row_without_history_altered(store: Damaged) -> tuple[str, str | None]:
    key = f"{store.last.seq - 2:016d}"
    store.sql(f"""UPDATE {ACTIVITY_TABLE} SET row = '{{"seq":1}}' WHERE key = ?""", key)
    return "activity", key


@in_views
def _a_row_without_history_deleted(store: Damaged) -> tuple[str, str | None]:
    key = f"{store.last.seq - 2:016d}"
    store.sql(f"DELETE FROM {ACTIVITY_TABLE} WHERE key = ?", key)
    return "activity", key


@in_views
def _a_row_added(store: Damaged) -> tuple[str, str | None]:
    [[columns]] = store.sql(
        f"SELECT group_concat(name) FROM pragma_table_info('{ACTIVITY_TABLE}') "
        "WHERE name NOT IN ('key')"
    )
    store.sql(
        f"INSERT INTO {ACTIVITY_TABLE}(key, {columns}) "
        f"SELECT 'forged', {columns} FROM {ACTIVITY_TABLE} LIMIT 1"
    )
    return "activity", "forged"


@in_views
def _a_row_that_is_not_json(store: Damaged) -> tuple[str, str | None]:
    store.sql(f"UPDATE {NOTES_TABLE} SET row = '{{' WHERE key = 'T003'")
    return "toy_notes", None


@in_views
def _a_column_altered(store: Damaged) -> tuple[str, str | None]:
    store.sql(f"UPDATE {NOTES_TABLE} SET f_text = 'other' WHERE key = 'T003'")
    return "toy_notes", "T003"


@in_views
def _two_columns_swapped(store: Damaged) -> tuple[str, str | None]:
    store.sql(
        f"UPDATE {NOTES_TABLE} SET f_text = CASE key WHEN 'T003' THEN 'note 3' ELSE 'note 2' END "
        "WHERE key IN ('T003', 'T004')"
    )
    return "toy_notes", "T004"


@in_views
def _a_column_of_an_old_version_altered(store: Damaged) -> tuple[str, str | None]:
    store.sql(
        f"UPDATE {NOTES_TABLE} SET f_text = 'other' "
        f"WHERE key = 'T001' AND from_seq = (SELECT min(from_seq) FROM {NOTES_TABLE})"
    )
    return "toy_notes", "T001"


@in_views
def _a_history_of_nothing(store: Damaged) -> tuple[str, str | None]:
    store.sql(
        f"INSERT INTO {NOTES_TABLE}(project, key, row, f_text, from_seq, to_seq) "
        f"SELECT project, 'T777', row, f_text, from_seq, to_seq FROM {NOTES_TABLE} "
        f"WHERE key = 'T001' AND from_seq = (SELECT min(from_seq) FROM {NOTES_TABLE})"
    )
    return "toy_notes", "T777"


@in_views
def _an_old_version_altered(store: Damaged) -> tuple[str, str | None]:
    store.sql(
        f"""UPDATE {NOTES_TABLE} SET row = '{{"text":"other"}}' """
        "WHERE key = 'T001' AND from_seq = (SELECT min(from_seq) FROM rows_toy_notes_v1)"
    )
    return "toy_notes", "T001"


@pytest.mark.parametrize("plant", IN_VIEWS.values(), ids=IN_VIEWS)
def test_a_view_unlike_a_rebuild_is_found_and_named(store: Damaged, plant: PlantRow) -> None:
    table, key = plant(store)

    report = store.verify()

    assert report.exit_code == 2
    assert {found.check for found in report.findings} == {"views"}
    assert (table, key) in {(found.where["table"], found.where["key"]) for found in report.findings}
    assert store.verify(quick=True).exit_code == 0


@pytest.mark.parametrize("plant", IN_VIEWS.values(), ids=IN_VIEWS)
def test_a_rebuild_mends_the_views(store: Damaged, plant: PlantRow) -> None:
    plant(store)

    with store.opened() as app:
        app.store.rebuild(store.project)

    assert store.verify().exit_code == 0
