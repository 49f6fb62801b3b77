"""What grows with every entry is divided by project: a statement looks into one part of it."""

from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
import pytest

from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.engines.postgres import PostgresEngine
from hansard.engines.postgres.schema import PARTITIONS, UNDIVIDED, table_name
from hansard.kernel.engine import Engine, Hit, WriteTx
from hansard.kernel.event import Actor
from hansard.kernel.operation import Caller, Seat
from hansard.kernel.store import CATALOG, UNMADE
from hansard.records.views import RECORDS
from hansard.sessions.views import ACTIVITY
from hansard.testing.engine_suite import SCHEMA, EngineSuite, Opener
from hansard.testing.suite.base import PAPERS, THINGS, Noted, record
from tests.patience import wait_until

pytestmark = pytest.mark.postgres

Open = Callable[[], PostgresEngine]

DOCUMENTS = 60
"""In each project: they all have one word in common, and each has one of its own."""


def make_undivided(url: str, namespace: str) -> None:
    """Begin a store as a program did that knew no partitions; the rest is laid out like that."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            f"CREATE SCHEMA IF NOT EXISTS {namespace}; "
            f"CREATE TABLE IF NOT EXISTS {namespace}.hansard_format (number integer NOT NULL); "
            f"INSERT INTO {namespace}.hansard_format VALUES ({UNDIVIDED})".encode()
        )


@pytest.mark.slow("is the whole suite of engines once more")
class TestUndivided(EngineSuite):
    """A store that an older program made keeps every promise, and stays as it is."""

    @pytest.fixture
    def opener(self, postgres_url: str, postgres_namespace: str) -> Opener:
        make_undivided(postgres_url, postgres_namespace)
        return partial(PostgresEngine, postgres_url, SCHEMA, namespace=postgres_namespace)


@pytest.fixture
def admin(postgres_url: str) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        yield connection


@pytest.fixture(params=["divided", "undivided"])
def opened(request: pytest.FixtureRequest, postgres_url: str, postgres_namespace: str) -> Open:
    if request.param == "undivided":
        make_undivided(postgres_url, postgres_namespace)
    return partial(PostgresEngine, postgres_url, SCHEMA, namespace=postgres_namespace)


def write_papers(engine: Engine, project: str) -> None:
    def work(tx: WriteTx) -> None:
        record(tx, Noted())
        for number in range(DOCUMENTS):
            key = f"{project}-{number}"
            tx.put(THINGS, key, {"size": number}, seq=1)
            tx.index(PAPERS, key, {"title": f"common words{number}", "body": f"{project} says"})

    engine.write(project, work)


def found(engine: Engine, project: str) -> list[Hit]:
    engine.forget()
    return engine.read(
        project,
        lambda tx: [
            *tx.search(PAPERS, "common words7", limit=5),
            *tx.search(PAPERS, "comm", limit=5, beginnings=True),
        ],
    )


@pytest.mark.parametrize("opened", ["divided"], indirect=True)
def test_a_project_s_rows_lie_in_one_part_of_each_large_table(
    opened: Open, admin: psycopg.Connection[Any], postgres_namespace: str
) -> None:
    with closing(opened()) as engine:
        for number in range(40):
            write_papers(engine, f"team-{number}")

    parts: dict[str, set[str]] = {}
    for table in ("journal", "things_v1", "papers_words_v1"):
        asked = (
            f"SELECT DISTINCT project, tableoid::regclass::text FROM {postgres_namespace}.{table}"
        )
        for project, part in admin.execute(asked.encode()):
            parts.setdefault(project, set()).add(part.rpartition("_p")[2])
    assert {len(part) for part in parts.values()} == {1}
    assert len({part for one in parts.values() for part in one}) > PARTITIONS // 2


def test_no_call_looks_into_another_part_whatever_the_plan(
    postgres_url: str, admin: psycopg.Connection[Any], tmp_path: Path
) -> None:
    """Plans are made for any project, as they are for statements that come again and again."""
    admin.execute("CREATE DATABASE pruning")
    url = postgres_url.replace("/postgres?", "/pruning?")
    settings = Settings(
        store=f"{url}&options=-cplan_cache_mode%3Dforce_generic_plan",
        workspace=str(tmp_path),
        embedder="none",
    )
    # What lays the tables out looks into all of them, and has counted that when it ends.
    start(settings).close()
    with psycopg.connect(url, autocommit=True) as own:
        # A connection that was closed ends on the server, and counts there, a moment later.
        left = "SELECT 1 FROM pg_stat_activity WHERE datname = 'pruning' AND pid <> %s"
        wait_until(lambda: own.execute(left, (own.info.backend_pid,)).fetchone() is None)
        own.execute("SELECT pg_stat_reset()")

        with closing(start(settings)) as app:
            caller = Caller(Actor("agent", "ada", "agent"), seat=Seat())
            for part in ("one", "two"):
                decided = {"title": "Use it", "target": part, "rationale": "It is there."}
                for name, arguments in [("record_decision", decided), *CALLS]:
                    app.call(name, arguments, caller)
            app.store.rebuild("default")

        ours, *others = (_part_of(own, one) for one in ("default", CATALOG, UNMADE))
        scanned = own.execute(
            "SELECT relname, right(relname, 2) FROM pg_stat_user_tables "
            "WHERE relname ~ '_p[0-9]{2}$' "
            "AND coalesce(seq_scan, 0) + coalesce(idx_scan, 0) > 0"
        ).fetchall()
    assert {name for name, part in scanned if part == ours} >= {
        f"{table}_p{ours}"
        for table in ("journal", "blobs", table_name(RECORDS), table_name(ACTIVITY))
    }
    assert [name for name, part in scanned if part not in (ours, *others)] == []


CALLS: list[tuple[str, dict[str, Any]]] = [
    (
        "create_record",
        {"type": "note", "title": "Common words", "summary": "Of them", "body": "What is said."},
    ),
    ("update_record", {"id": "R001", "summary": "More of them"}),
    ("transition", {"id": "R001", "to_state": "LATER", "reason": "It can wait"}),
    ("transition", {"id": "R001", "to_state": "OPEN", "reason": "It cannot"}),
    ("activate", {"id": "R001"}),
    ("search_decisions", {"query": "use"}),
    ("workflow_checkpoint_save", {"context": {"step": 1}}),
    ("workflow_checkpoint_load", {}),
    ("audit_event", {"type": "noted", "description": "A common thing"}),
    ("file_op", {"action": "create", "path": "a.txt", "content": "words\n"}),
    ("file_op", {"action": "delete", "path": "a.txt"}),
    ("search", {"query": "common words"}),
    ("search_records", {"query": "common"}),
    ("get_timeline", {}),
    ("get_recent_activity", {}),
    ("get_project_overview", {}),
]


def _part_of(admin: psycopg.Connection[Any], project: str) -> str:
    """Ask PostgreSQL in which part a project lies."""
    [[part]] = admin.execute(
        "SELECT part FROM generate_series(0, %(parts)s - 1) part WHERE satisfies_hash_partition("
        "'hansard.journal'::regclass, %(parts)s, part, %(project)s::text)",
        {"parts": PARTITIONS, "project": project},
    ).fetchall()
    return f"{part:02}"


def test_what_a_search_finds_and_its_scores_are_the_same_whoever_else_is_there(
    opened: Open,
) -> None:
    with closing(opened()) as engine:
        write_papers(engine, "ours")
        alone = found(engine, "ours")
        for number in range(20):
            write_papers(engine, f"other-{number}")

        assert found(engine, "ours") == alone
        assert len(alone) == 10


def test_a_search_touches_no_more_pages_however_many_others_use_its_words(
    opened: Open,
    request: pytest.FixtureRequest,
    admin: psycopg.Connection[Any],
    postgres_namespace: str,
) -> None:
    """Where words do not say whose they are it does: that is what they say it for."""
    words = f"{postgres_namespace}.papers_words_v1"
    with closing(opened()) as engine:
        _leave_only_words(admin, postgres_namespace)
        write_papers(engine, "ours")
        # Some others to begin with, so that the indexes have their levels.
        for number in range(40):
            write_papers(engine, f"other-{number}")
        few = _pages_of_words(admin, words)
        for number in range(40, 240):
            write_papers(engine, f"other-{number}")
        many = _pages_of_words(admin, words)

    is_divided = request.node.callspec.params["opened"] == "divided"
    assert (many < 1.5 * few + 4) == is_divided, (few, many)


def _leave_only_words(admin: psycopg.Connection[Any], namespace: str) -> None:
    """Leave no other way to a document, and keep autovacuum from changing what is read."""
    admin.execute(f"DROP INDEX {namespace}.papers_words_v1_newest".encode())
    rows = admin.execute(
        "SELECT c.oid::regclass::text FROM pg_class c JOIN pg_namespace n "
        "ON n.oid = c.relnamespace WHERE n.nspname = %s AND c.relkind = 'r' "
        "AND c.relname LIKE 'papers_words%%'",
        (namespace,),
    ).fetchall()
    for (name,) in rows:
        admin.execute(f"ALTER TABLE {name} SET (autovacuum_enabled = off)".encode())


def _pages_of_words(admin: psycopg.Connection[Any], words: str) -> int:
    """Count the pages that are read to find a project's documents by a word that all use."""
    for (index,) in admin.execute(
        "SELECT i.indexrelid::regclass::text FROM pg_index i JOIN pg_class c "
        "ON c.oid = i.indexrelid JOIN pg_am a ON a.oid = c.relam "
        "JOIN pg_partition_tree(%s::regclass) t ON t.relid = i.indrelid "
        "WHERE a.amname = 'gin' AND c.relkind = 'i'",
        (words,),
    ).fetchall():
        admin.execute("SELECT gin_clean_pending_list(%s::regclass)", (index,))
    admin.execute(f"ANALYZE {words}".encode())
    [[begun]] = admin.execute(
        f"SELECT left(min(w), position('common' in min(w)) - 1) FROM {words}, "
        "unnest(tsvector_to_array(words)) w WHERE project = 'ours' AND w LIKE '%common'".encode()
    ).fetchall()
    admin.execute("BEGIN; SET LOCAL enable_seqscan = off")
    admin.execute(f"ALTER TABLE {words} DROP CONSTRAINT papers_words_v1_pkey".encode())
    [[[plan]]] = admin.execute(
        f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT key FROM {words} "
        f"WHERE project = 'ours' AND words @@ '{begun}common'::tsquery".encode()
    ).fetchall()
    admin.execute("ROLLBACK")
    root = plan["Plan"]
    assert root["Actual Rows"] == DOCUMENTS
    return int(root["Shared Hit Blocks"] + root["Shared Read Blocks"])
