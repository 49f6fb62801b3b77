"""How SQLite plans a search: what common words and filters must not change, and what they may."""

from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hansard.engines.sqlite import SqliteEngine, integrity, search
from hansard.engines.sqlite.database import DATABASE
from hansard.engines.sqlite.schema import documents_name, topic_name
from hansard.kernel.engine import Engine, Where, WriteTx
from hansard.testing.suite.base import OTHER, PAPERS, PROJECT, SCHEMA, THINGS
from tests.engines.test_search import (
    CHANGES,
    QUESTIONS,
    Paper,
    check,
    find,
    kept,
    odd_strings,
)


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    opened = SqliteEngine(tmp_path_factory.mktemp("store"), SCHEMA)
    yield opened
    opened.close()


@pytest.fixture
def own_engine(tmp_path: Path) -> Iterator[Engine]:
    opened = SqliteEngine(tmp_path, SCHEMA)
    yield opened
    opened.close()


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=60)
@given(
    CHANGES,
    QUESTIONS,
    st.fixed_dictionaries(
        {
            "RARE_MAX": st.integers(min_value=0, max_value=6),
            "NEWEST_MAX": st.integers(min_value=1, max_value=4),
            "FEW_ROWS_MAX": st.integers(min_value=0, max_value=6),
        }
    ),
)
def test_the_promises_hold_whatever_counts_as_common(
    engine: Engine,
    changes: list[tuple[str, Paper | None]],
    questions: list[tuple[str, Where, int]],
    limits: dict[str, int],
) -> None:
    project, papers = kept(engine, changes)

    with pytest.MonkeyPatch.context() as patch:
        for name, limit in limits.items():
            patch.setattr(search, name, limit)
        for query, where, limit in questions:
            check(find(engine, project, query, where, limit), papers, query, where, limit)


def test_of_documents_with_only_common_words_the_newest_are_ranked(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "RARE_MAX", 3)
    monkeypatch.setattr(search, "NEWEST_MAX", 4)
    old = [(f"old-{number}", Paper("ink ink", "ink", None, 0)) for number in range(5)]
    new = [(f"new-{number}", Paper("", f"ink w{number}", None, 0)) for number in range(4)]
    project, _ = kept(engine, [*old, *new])

    hits = find(engine, project, "ink", limit=3)

    assert [hit.key for hit in hits] == ["new-0", "new-1", "new-2"]


def test_a_rare_word_finds_old_documents_among_many_common_ones(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "RARE_MAX", 3)
    monkeypatch.setattr(search, "NEWEST_MAX", 2)
    old = [("both", Paper("ink", "quill", None, 0)), ("rare", Paper("quill", "", None, 0))]
    new = [(f"new-{number}", Paper("ink", "ink", None, 0)) for number in range(20)]
    project, _ = kept(engine, [*old, *new])

    assert [hit.key for hit in find(engine, project, "ink quill", limit=3)][:2] == ["both", "rare"]


@pytest.mark.parametrize("neighbours", [True, False])
def test_clearing_empties_the_topic_of_one_project(own_engine: Engine, neighbours: bool) -> None:
    projects = [PROJECT, OTHER] if neighbours else [PROJECT]
    for project in projects:
        own_engine.write(project, lambda tx: _publish(tx, "a", "b"))

    own_engine.write(PROJECT, lambda tx: tx.clear([], [PAPERS]))

    assert find(own_engine, PROJECT, "ink") == []
    if neighbours:
        assert [hit.key for hit in find(own_engine, OTHER, "ink")] == ["a", "b"]
    own_engine.write(PROJECT, lambda tx: _publish(tx, "c"))
    assert [hit.key for hit in find(own_engine, PROJECT, "ink")] == ["c"]


def test_clearing_in_work_that_fails_clears_nothing(own_engine: Engine) -> None:
    own_engine.write(PROJECT, lambda tx: _publish(tx, "a"))

    def work(tx: WriteTx) -> None:
        tx.clear([THINGS], [PAPERS])
        raise KeyError

    with pytest.raises(KeyError):
        own_engine.write(PROJECT, work)

    assert [hit.key for hit in find(own_engine, PROJECT, "ink")] == ["a"]


def test_odd_strings_leave_the_index_intact(own_engine: Engine, tmp_path: Path) -> None:
    own_engine.write(PROJECT, lambda tx: _publish(tx, "a"))

    def work(tx: WriteTx) -> None:
        for number, text in enumerate(odd_strings()):
            _publish(tx, f"odd-{number}", text=text)
            tx.search(PAPERS, text, limit=1)

    own_engine.write(PROJECT, work)

    with apsw.Connection(str(tmp_path / DATABASE)) as connection:
        words = topic_name(PAPERS)
        connection.execute(f"INSERT INTO {words}({words}) VALUES('integrity-check')")
        counted = connection.execute(f"SELECT count(*) FROM {documents_name(PAPERS)}").fetchone()
    assert counted == (1_001,)
    assert find(own_engine, PROJECT, "ink", limit=1)[0].key == "a"


def test_a_document_has_its_mark_however_often_what_was_added_up_is_laid_aside(
    own_engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(integrity, "SUMS_MAX", 0)
    texts = {f"key-{number}": "ink quill pen " * number for number in range(1, 9)}
    for key, text in texts.items():
        own_engine.write(PROJECT, lambda tx, key=key, text=text: _publish(tx, key, text=text))  # type: ignore[misc]
    found: dict[str, str] = {}

    own_engine.marks(PAPERS, lambda _, key, mark: found.update({key: mark}))

    assert found == {
        key: own_engine.mark(PAPERS, {"title": text, "body": text}) for key, text in texts.items()
    }


def _publish(tx: WriteTx, *keys: str, text: str = "") -> None:
    for key in keys:
        tx.put(THINGS, key, {"color": "red"}, seq=1)
        tx.index(PAPERS, key, {"title": text or "ink", "body": text})
