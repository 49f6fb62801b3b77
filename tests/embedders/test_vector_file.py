"""The file of vectors is derived: whatever happens to it, what is found is what the table says."""

import os
import shutil
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from hansard.app.application import Application
from hansard.app.keeping.redaction import WantedErasure, erase
from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.embedders import vectors
from hansard.embedders.held_vectors import FILED_MIN, HeldVectors, TopicOf
from hansard.embedders.vector_file import HEAD_BYTES
from hansard.embedders.vector_index import SEALED_MAX, TAIL_MIN
from hansard.kernel.engine import DERIVED_LOCK, WriteTx
from hansard.kernel.event import Actor, Stamp
from tests.embedders.test_shelf import DIMENSIONS, Vectors, change, some_vectors
from tests.records.chats import Chat

PROJECT, TOPIC = "default", "notes"
OF = TopicOf(PROJECT, TOPIC, "an embedder")
COUNT = FILED_MIN + 200
Changes = Sequence[vectors.VectorChange]


@contextmanager
def opened(folder: Path) -> Iterator[Application]:
    app = start(Settings(store=str(folder), embedder="none"))
    try:
        yield app
    finally:
        app.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.fixture
def app(folder: Path) -> Iterator[Application]:
    with opened(folder) as app:
        yield app


def put(app: Application, changes: Changes, *, generation: str = "first") -> None:
    def work(tx: WriteTx) -> None:
        vectors.save(tx, vectors.begin(tx, OF.embedder, generation), changes)

    app.store.engine.write(PROJECT, work)


def numbered(made: Vectors, first: int = 0) -> list[vectors.VectorChange]:
    return [change(f"N{first + place}", one[None]) for place, one in enumerate(made)]


def held(app: Application, of: TopicOf = OF) -> HeldVectors:
    """Read what a process that has just begun reads."""
    new = HeldVectors(of)
    new.refresh(app.store)
    return new


def found(of: HeldVectors, query: Vectors) -> list[tuple[str, float]]:
    if of.index is None:
        return []
    hits = of.index.nearest(query[None], limit=20, floor=-1.0)
    return [(hit.key, round(hit.score, 4)) for hit in hits]


def without_file(app: Application) -> HeldVectors:
    """Read all rows into memory."""
    engine = app.store.engine
    kept, engine.derived = engine.derived, None
    try:
        return held(app)
    finally:
        engine.derived = kept


def the_file(folder: Path) -> Path:
    [path] = (folder / "derived").iterdir()
    return path


def is_mapped(one: HeldVectors) -> bool:
    """Whether all that is held came from the file."""
    return one.index is not None and len(one.index) > 0 and one.index.tail_rows == 0


def assert_as_the_table(app: Application, one: HeldVectors | None = None) -> None:
    there, fresh = one or held(app), without_file(app)
    for query in some_vectors(10, seed=9):
        assert found(there, query) == found(fresh, query)


def test_who_comes_second_maps_what_the_first_has_written(app: Application, folder: Path) -> None:
    put(app, numbered(some_vectors(COUNT)))
    assert_as_the_table(app, held(app))

    second = held(app)

    assert is_mapped(second)
    assert_as_the_table(app, second)
    assert the_file(folder).stat().st_mode & 0o777 == 0o600
    assert (folder / "derived").stat().st_mode & 0o777 == 0o700


def test_a_few_are_read_from_the_table(app: Application, folder: Path) -> None:
    put(app, numbered(some_vectors(FILED_MIN - 1)))

    assert_as_the_table(app)

    assert not (folder / "derived").exists()


def test_what_comes_after_is_added_and_what_changes_or_goes_is_no_longer_found(
    app: Application, folder: Path
) -> None:
    put(app, numbered(some_vectors(COUNT)))
    first = held(app)
    size = the_file(folder).stat().st_size
    was = the_file(folder).stat().st_ino

    more = numbered(some_vectors(TAIL_MIN, seed=5), COUNT)
    changed = [change("N3", some_vectors(1, seed=6)), change("N4", None)]
    put(app, [*changed, *more])
    first.refresh(app.store)

    assert the_file(folder).stat().st_size > size
    assert the_file(folder).stat().st_ino == was
    second = held(app)
    assert is_mapped(second)
    assert "N4" not in {key for key, _ in found(second, some_vectors(5)[4])}
    [key, score] = found(second, some_vectors(1, seed=6)[0])[0]
    assert key == "N3"
    assert score > 0.99
    for one in (first, second):
        assert_as_the_table(app, one)


def test_what_comes_in_small_pieces_gets_into_the_file_however_many_vectors_each_has(
    app: Application, folder: Path
) -> None:
    put(app, numbered(some_vectors(COUNT)))
    one = held(app)
    size = the_file(folder).stat().st_size

    for number in range(TAIL_MIN // 50 + 1):
        put(
            app,
            [
                change(f"N{COUNT + 50 * number + nth}", some_vectors(3, seed=100 * number + nth))
                for nth in range(50)
            ],
        )
        one.refresh(app.store)

    assert the_file(folder).stat().st_size > size + 3 * TAIL_MIN * DIMENSIONS
    assert_as_the_table(app, one)


def test_many_blocks_are_made_one(app: Application, folder: Path) -> None:
    put(app, numbered(some_vectors(COUNT)))
    one = held(app)
    was = the_file(folder).stat().st_ino
    for number in range(SEALED_MAX + 1):
        put(app, numbered(some_vectors(TAIL_MIN, seed=number), 100 * number))
        one.refresh(app.store)

    assert the_file(folder).stat().st_ino != was
    assert_as_the_table(app, one)
    assert_as_the_table(app)


def flip(place: int) -> Callable[[Path], None]:
    def damage(path: Path) -> None:
        whole = bytearray(path.read_bytes())
        whole[place] ^= 0x40
        path.unlink()
        path.write_bytes(whole)

    return damage


def cut(size: int) -> Callable[[Path], None]:
    def damage(path: Path) -> None:
        part = path.read_bytes()[:size]
        path.unlink()
        path.write_bytes(part)

    return damage


def in_its_place(make: Callable[[Path], object]) -> Callable[[Path], None]:
    def damage(path: Path) -> None:
        path.unlink()
        make(path)

    return damage


def cut_away(path: Path) -> None:
    path.unlink()


DAMAGE = {
    "magic": flip(0),
    "form": flip(16),
    "title": flip(60),
    "head of a block": flip(HEAD_BYTES + 9),
    "signs": flip(HEAD_BYTES + 70),
    "end of a block": flip(-80),
    "empty": cut(0),
    "cut in the head": cut(40),
    "no block": cut(HEAD_BYTES),
    "cut in a block": cut(HEAD_BYTES + 5_000),
    "gone": cut_away,
    "a link": in_its_place(lambda path: path.symlink_to("/dev/zero")),
    "a pipe": in_its_place(os.mkfifo),
    "a folder": in_its_place(Path.mkdir),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
def test_a_damaged_file_is_not_believed(
    app: Application, folder: Path, damage: Callable[[Path], None]
) -> None:
    put(app, numbered(some_vectors(COUNT)))
    held(app)
    damage(the_file(folder))

    assert_as_the_table(app)

    if not the_file(folder).is_dir():
        assert is_mapped(held(app))  # made anew


@pytest.mark.parametrize("size", [0, 40, HEAD_BYTES, HEAD_BYTES + 5_000])
def test_a_file_that_is_cut_off_while_it_is_mapped_is_let_go_of(
    app: Application, folder: Path, size: int
) -> None:
    put(app, numbered(some_vectors(COUNT)))
    there = held(app)
    os.truncate(the_file(folder), size)

    there.refresh(app.store)

    assert is_mapped(there)  # made anew
    assert_as_the_table(app, there)


def test_what_was_not_written_to_the_end_is_left_and_replaced(
    app: Application, folder: Path
) -> None:
    put(app, numbered(some_vectors(COUNT)))
    first = held(app)
    whole = the_file(folder).read_bytes()
    with the_file(folder).open("ab") as file:
        file.write(whole[HEAD_BYTES : HEAD_BYTES + 4_000])

    assert_as_the_table(app)
    put(app, numbered(some_vectors(TAIL_MIN, seed=5), COUNT))
    first.refresh(app.store)

    assert is_mapped(held(app))
    assert_as_the_table(app)


def test_a_file_of_another_topic_project_or_embedder_is_not_believed(
    app: Application, folder: Path
) -> None:
    put(app, numbered(some_vectors(COUNT)))
    held(app)
    written = the_file(folder).read_bytes()
    the_file(folder).unlink()
    other = [
        vectors.VectorChange("others", one.key, one.text, one.vectors, one.dimensions)
        for one in numbered(some_vectors(COUNT, seed=8))
    ]
    put(app, other)
    another = TopicOf(PROJECT, "others", OF.embedder)
    held(app, another)
    the_file(folder).write_bytes(written)

    there = held(app, another)

    [key, score] = found(there, some_vectors(COUNT, seed=8)[0])[0]
    assert key == "N0"
    assert score > 0.99


def test_a_new_generation_is_read_anew(app: Application, folder: Path) -> None:
    put(app, numbered(some_vectors(COUNT)))
    first = held(app)

    app.store.engine.write(PROJECT, lambda tx: tx.clear((vectors.VECTORS,), ()))
    put(app, numbered(some_vectors(COUNT, seed=7)), generation="second")
    first.refresh(app.store)

    assert is_mapped(first)
    assert_as_the_table(app, first)
    assert_as_the_table(app)


def test_the_file_of_a_copy_that_went_another_way_is_not_believed(
    folder: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    with opened(folder) as app:
        put(app, numbered(some_vectors(COUNT)))
    shutil.copytree(folder, copy)
    with opened(copy) as app:
        put(app, numbered(some_vectors(50, seed=3), COUNT))
        held(app)
    with opened(folder) as app:
        # The same number of changes, of other notes.
        put(app, numbered(some_vectors(50, seed=4), COUNT + 1_000))
        shutil.copytree(copy / "derived", folder / "derived")

        assert_as_the_table(app)


def test_an_older_table_than_the_file_is_not_answered_from_it(folder: Path, tmp_path: Path) -> None:
    with opened(folder) as app:
        put(app, numbered(some_vectors(COUNT)))
    shutil.copytree(folder, tmp_path / "before")
    with opened(folder) as app:
        put(app, numbered(some_vectors(100, seed=3)))
        held(app)
    shutil.copytree(folder / "derived", tmp_path / "before" / "derived")
    with opened(tmp_path / "before") as app:
        assert_as_the_table(app)


def test_where_no_file_can_be_written_the_same_is_found(app: Application, folder: Path) -> None:
    folder.joinpath("derived").write_text("in the way")
    put(app, numbered(some_vectors(COUNT)))
    one = held(app)
    for number in range(4):
        put(app, numbered(some_vectors(TAIL_MIN, seed=number), 100 * number))
        one.refresh(app.store)
        assert_as_the_table(app, one)


def test_while_another_writes_nobody_waits_to_search(app: Application, folder: Path) -> None:
    put(app, numbered(some_vectors(COUNT)))
    one = held(app)
    size = the_file(folder).stat().st_size
    put(app, numbered(some_vectors(TAIL_MIN, seed=5), COUNT))
    lock = app.store.engine.hold(DERIVED_LOCK)
    assert lock is not None
    with lock:
        one.refresh(app.store)
        assert_as_the_table(app, one)
    assert the_file(folder).stat().st_size == size

    put(app, numbered(some_vectors(TAIL_MIN, seed=6), 2 * COUNT))
    one.refresh(app.store)

    assert is_mapped(one)
    assert_as_the_table(app, one)


def test_several_who_write_and_read_at_once_find_what_the_table_says(folder: Path) -> None:
    with opened(folder) as first, opened(folder) as second:
        put(first, numbered(some_vectors(COUNT)))
        failed: list[BaseException] = []

        def go_on(app: Application, start_at: int) -> None:
            try:
                mine = HeldVectors(OF)
                for number in range(6):
                    some = some_vectors(TAIL_MIN // 2, seed=start_at + number)
                    put(app, numbered(some, start_at + 90 * number))
                    mine.refresh(app.store)
                    assert mine.index is not None
                    nearest = mine.index.nearest(some[7][None], limit=1, floor=0.9)
                    assert [hit.score for hit in nearest] == [pytest.approx(1, abs=0.01)]
            except BaseException as error:  # noqa: BLE001 - told to the thread that waits
                failed.append(error)

        at_once = [
            threading.Thread(target=go_on, args=[app, number * 10_000])
            for number, app in enumerate((first, second, first))
        ]
        for thread in at_once:
            thread.start()
        for thread in at_once:
            thread.join()
        assert failed == []
        assert_as_the_table(first)
        assert_as_the_table(second)


def test_what_is_erased_stays_in_no_file_and_who_had_it_lets_go(
    app: Application, folder: Path
) -> None:
    made = Chat(app).create("a secret", summary="", body="")
    put(app, numbered(some_vectors(COUNT)))
    one = held(app)
    assert the_file(folder).is_file()
    [entry] = [
        entry
        for entry in app.store.read(app.default_project, lambda tx: tx.entries(limit=50))
        if entry.kind.startswith("records.") and made["id"] in str(entry.body)
    ]

    erase(
        app.store,
        app.default_project,
        WantedErasure(seq=entry.seq, fields=("title",)),
        reason="a secret",
        stamp=Stamp(Actor("human", "ana", "admin"), "2026-01-01T00:00:00.000000Z", None),
    )

    assert list((folder / "derived").iterdir()) == []
    one.refresh(app.store)
    assert one.index is None


def test_a_scrub_takes_the_file_and_the_next_look_makes_it_anew(
    app: Application, folder: Path
) -> None:
    put(app, numbered(some_vectors(COUNT)))
    one = held(app)

    assert app.store.engine.scrub()

    assert list((folder / "derived").iterdir()) == []
    one.refresh(app.store)
    assert is_mapped(one)
    assert_as_the_table(app, one)
