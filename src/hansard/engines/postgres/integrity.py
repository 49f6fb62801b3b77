"""What PostgreSQL can check of its own tables, and digests of its topics. Only reads."""

import struct
from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256

import psycopg

from hansard.engines.postgres.connections import Connection
from hansard.engines.postgres.schema import Names, tables_there
from hansard.engines.postgres.text import LEXEMES_OF, MARK, length_of, written_back
from hansard.kernel.engine import Topic

_NOT_A_PROJECT_S = {"heads", "hansard_format", "hansard_objects", "leases", "lease_service"}


def headless(connection: Connection, names: Names) -> Iterator[str]:
    """Find what belongs to a project without a head: no other check would see it."""
    for name in tables_there(connection, names):
        if name in _NOT_A_PROJECT_S:
            continue
        # From project to project, which takes a step each however many rows they have.
        statement = (
            "WITH RECURSIVE known(project) AS ("
            f"SELECT min(project) FROM {names.qualified(name)} UNION ALL "
            f"SELECT (SELECT min(t.project) FROM {names.qualified(name)} t "
            "WHERE t.project > known.project) FROM known WHERE known.project IS NOT NULL) "
            "SELECT project FROM known WHERE project IS NOT NULL "
            f"AND NOT EXISTS (SELECT 1 FROM {names.heads} h WHERE h.project = known.project)"
        )
        for (project,) in connection.execute(statement.encode()):
            yield f"The table {name} has rows of a project whose head is gone: {project}"


def damaged_indexes(connection: Connection, names: Names) -> Iterator[str]:
    """Let PostgreSQL check its indexes, if its extension `amcheck` is installed."""
    extension = connection.execute(
        "SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace "
        "WHERE extname = 'amcheck'"
    ).fetchone()
    if extension is None:
        return
    indexes = connection.execute(
        "SELECT c.oid, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
        "JOIN pg_am a ON a.oid = c.relam WHERE n.nspname = %s AND a.amname = 'btree' "
        "AND c.relkind = 'i' ORDER BY 2",
        (names.namespace,),
    ).fetchall()
    check = psycopg.sql.Identifier(extension[0], "bt_index_check").as_string(None)
    for number, name in indexes:
        try:
            connection.execute(f"SELECT {check}(%s::regclass, true)".encode(), (number,))
        except (psycopg.errors.DataCorrupted, psycopg.errors.IndexCorrupted) as error:
            yield f"PostgreSQL finds its index {name} damaged: {error.diag.message_primary}"
        except psycopg.errors.InsufficientPrivilege:
            return  # not ours to ask


def _words(names: Names) -> str:
    """Write down a document; what says whose its words are goes, if it is the right project."""
    if not names.is_divided:
        return "d.words::text"
    begun = LEXEMES_OF.format("d.project")
    return rf"regexp_replace(d.words::text, '(^| )''' || {begun}, '\1''', 'g')"


def marks(
    connection: Connection, names: Names, topic: Topic, take: Callable[[str, str, str], None]
) -> None:
    """Ask the server for the marks of all documents of a topic."""
    words = _words(names)
    # A long key is shortened here, and whole in its row.
    statement = (
        "SELECT d.project, CASE WHEN position(%s in d.key) = 0 THEN d.key ELSE "
        f"coalesce((SELECT max(r.whole_key) FROM {names.table(topic.table)} r "
        "WHERE r.project = d.project AND r.key = d.key), d.key) END, "
        f"encode(sha256(convert_to({words}, 'UTF8') || float8send(d.length)), 'hex') "
        f"FROM {names.topic(topic)} d"
    )
    with connection.cursor("marks") as cursor:
        for project, key, marked in cursor.execute(statement.encode(), (MARK,)):
            take(project, key, marked)


def mark(names: Names, topic: Topic, texts: Mapping[str, str]) -> str:
    """Give the mark of a document as the server would."""
    length = struct.pack(">d", length_of(topic, texts))
    return sha256(written_back(topic, texts, names.beginning_chars).encode() + length).hexdigest()
