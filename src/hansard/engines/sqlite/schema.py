"""The SQL schema of a store. Names come from our declarations, never from users.

The journal and what belongs to it are made with the store. The table of a view, with its indexes,
is made by the first transaction that puts a row into it, and until then reads as empty: even an
empty table takes a page, and so does each index, and a store that records one kind of thing need
not pay for all the others.
"""

import re
from collections.abc import Collection, Iterator

import apsw

from hansard.engines.versions import older_versions
from hansard.kernel.blob import digest_of
from hansard.kernel.engine import Schema, Table, Topic
from hansard.kernel.problem import StorageUnavailable

FORMAT = 1
"""The number of this layout, in `PRAGMA user_version`; a file with a higher one is not opened."""

NUMBER_BITS = 40
"""A journal row's or document's number is its project's number shifted by this, plus its own."""

CURRENT = 1 << 62
"""The `to_seq` of a row that still stands."""

_INDEX = re.compile(r"CREATE (?:UNIQUE )?INDEX IF NOT EXISTS (\w+)\s+ON (\w+)")
_UNMADE = re.compile(r"no such table: (rows|words|documents)_")

_SQL_TYPES = {"text": "TEXT", "integer": "INTEGER", "real": "REAL", "boolean": "INTEGER"}

BASE = (
    """CREATE TABLE IF NOT EXISTS heads(
        number INTEGER PRIMARY KEY, project TEXT NOT NULL UNIQUE, seq INTEGER NOT NULL,
        tick INTEGER NOT NULL, hash TEXT NOT NULL, clock TEXT NOT NULL, views TEXT NOT NULL)""",
    """CREATE TABLE IF NOT EXISTS journal(
        number INTEGER PRIMARY KEY, tick INTEGER NOT NULL, at TEXT NOT NULL, clock TEXT NOT NULL,
        kind TEXT NOT NULL, session TEXT, actor TEXT NOT NULL, payload BLOB,
        payload_digest TEXT NOT NULL, hash TEXT NOT NULL)""",
    """CREATE INDEX IF NOT EXISTS journal_session ON journal(session, number)
        WHERE session IS NOT NULL""",
    """CREATE TABLE IF NOT EXISTS blobs(
        project INTEGER NOT NULL, digest TEXT NOT NULL, size INTEGER NOT NULL, codec TEXT NOT NULL,
        base TEXT, depth INTEGER NOT NULL, packed BLOB, UNIQUE(project, digest))""",
    "CREATE TABLE IF NOT EXISTS layout(fingerprint TEXT NOT NULL)",
)


def statements(schema: Schema, made: Collection[str]) -> list[str]:
    """Write the statements for what a store of this schema lacks that has these tables."""
    needed = list(BASE)
    for table in schema.tables:
        if table_name(table) in made:
            needed.extend(of_table(table))
    for topic in schema.topics:
        if documents_name(topic) in made:
            needed.extend(of_topic(topic))
    return needed


def missing_indexes(connection: apsw.Connection, schema: Schema) -> list[str]:
    """Name the indexes that a store should have and has not, of the tables that it has."""
    there = {str(name) for (name,) in connection.execute("SELECT name FROM sqlite_schema")}
    needed = (_INDEX.match(one) for one in statements(schema, there))
    return sorted({one[1] for one in needed if one and one[2] in there} - there)


def fingerprint(schema: Schema) -> str:
    """Name this layout, so that opening a store which has it already writes nothing."""
    tables, topics = map(table_name, schema.tables), map(documents_name, schema.topics)
    return digest_of("\n".join(statements(schema, {*tables, *topics})).encode())


def table_name(table: Table) -> str:
    """Name the SQL table that holds a table's rows."""
    return f"rows_{table.name}_v{table.version}"


def adding_up(table: Table, field: str) -> str:
    """Write the statement that adds up a field over the rows of all projects."""
    where = f" WHERE to_seq = {CURRENT}" if table.history else ""
    return f"SELECT coalesce(sum(f_{field}), 0) FROM {table_name(table)}{where}"


def filing(table: Table) -> str:
    """Write the condition under which a row's columns agree with its JSON."""
    text = "CAST(row AS TEXT)"
    columns = [f"f_{field} IS json_extract({text}, '$.{field}')" for field in table.fields]
    return f"CASE WHEN json_valid({text}) THEN {' AND '.join(columns) or '1'} ELSE 0 END"


def topic_name(topic: Topic) -> str:
    """Name the full-text table of a topic."""
    return f"words_{topic.name}_v{topic.table.version}"


def documents_name(topic: Topic) -> str:
    """Name the table that maps a topic's documents to their keys."""
    return f"documents_{topic.name}_v{topic.table.version}"


def optimizing(connection: apsw.Connection) -> list[str]:
    """Write the statements that make each full-text index forget the words of removed documents."""
    names = connection.execute(
        "SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL TABLE%' AND name LIKE ?",
        ("words%",),
    )
    return [f"INSERT INTO {name}({name}) VALUES('optimize')" for (name,) in names]


def outdated(connection: apsw.Connection, schema: Schema) -> list[str]:
    """Name the tables and topics of older versions than the schema's."""
    rows = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    known = [table_name(table) for table in schema.tables]
    known += [name(topic) for topic in schema.topics for name in (topic_name, documents_name)]
    return older_versions([name for (name,) in rows], known)


def is_unmade(error: apsw.SQLError) -> bool:
    """Whether a statement failed because a view's table was never written to."""
    # SQLite has no code for this, and has used these words since its first version.
    return _UNMADE.search(str(error)) is not None


def is_without_index(error: apsw.SQLError) -> bool:
    """Whether a statement failed because an older store, opened to look, lacks an index."""
    return str(error).startswith("no such index: ")


def of_table(table: Table) -> Iterator[str]:
    """Write the statements that make a table and its indexes."""
    name = table_name(table)
    columns = "".join(f", f_{field} {_SQL_TYPES[kind]}" for field, kind in table.fields.items())
    spans = ", from_seq INTEGER NOT NULL, to_seq INTEGER NOT NULL" if table.history else ""
    primary = "project, key, from_seq" if table.history else "project, key"
    yield (
        f"CREATE TABLE IF NOT EXISTS {name}(project INTEGER NOT NULL, key TEXT NOT NULL, "
        f"row BLOB NOT NULL{columns}{spans}, PRIMARY KEY({primary})) WITHOUT ROWID"
    )
    if table.history:
        yield (
            f"CREATE UNIQUE INDEX IF NOT EXISTS {name}_current ON {name}(project, key) "
            f"WHERE to_seq = {CURRENT}"
        )
    for number, fields in enumerate(table.indexes):
        columns = ", ".join(["project", *(f"f_{field}" for field in fields), "key"])
        if table.history:
            yield (
                f"CREATE INDEX IF NOT EXISTS {name}_current_{number} ON {name}({columns}) "
                f"WHERE to_seq = {CURRENT}"
            )
        # With the end in it, this one is never preferred to the one of what stands.
        ended = ", to_seq" if table.history else ""
        yield f"CREATE INDEX IF NOT EXISTS {name}_{number} ON {name}({columns}{ended})"


def of_topic(topic: Topic) -> Iterator[str]:
    """Write the statements that make a full-text index."""
    columns = ", ".join(topic.columns)
    # The words come stemmed from `kernel.words`: the tokenizer only splits them at spaces.
    yield (
        f"CREATE VIRTUAL TABLE IF NOT EXISTS {topic_name(topic)} USING fts5({columns}, "
        "content='', contentless_delete=1, tokenize=ascii)"
    )
    yield (
        f"CREATE TABLE IF NOT EXISTS {documents_name(topic)}(number INTEGER PRIMARY KEY, "
        "project INTEGER NOT NULL, key TEXT NOT NULL, length REAL NOT NULL, UNIQUE(project, key))"
    )


def is_of_this_format(connection: apsw.Connection) -> bool:
    """Whether a database has our layout; that of a newer Hansard is refused."""
    found = connection.pragma("user_version")
    if found > FORMAT:
        raise StorageUnavailable(
            "This store was written by a newer Hansard than this one",
            hint="Upgrade Hansard; nothing was changed",
        )
    return bool(found == FORMAT)
