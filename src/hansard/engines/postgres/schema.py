"""The SQL schema of a store in PostgreSQL: names, tables, indexes and the format number."""

from collections.abc import Iterator, Sequence
from functools import cache

from psycopg import sql

from hansard.engines.postgres.connections import Connection, end_transaction
from hansard.engines.postgres.text import BEGINNING_CHARS, MARK, lexemes_of
from hansard.engines.versions import older_versions
from hansard.kernel.blob import digest_of
from hansard.kernel.engine import FieldType, Schema, Table, Topic
from hansard.kernel.problem import StorageUnavailable

FORMAT = 4
"""The number of this layout. A store with a higher one was made by a newer Hansard.

A store that was made by a program of 3 stays as it is: it has no partitions, and its words do not
say whose they are. Both are used (`Names.is_divided`).
"""

UNDIVIDED = 3
"""The layout before. Programs of layouts up to 2 hold advisory locks, which those of 3 do not see:
they must not use a store at the same time."""

PARTITIONS = 16
"""The number of partitions of what grows with every entry; each holds some of the projects."""

DIVIDED = ("journal", "blobs")
"""What is partitioned besides the tables declared as large."""

NAME_BYTES_MAX = 63
"""PostgreSQL cuts longer names off, silently."""

# Every text sorts by its bytes, which in UTF-8 is by code point, whatever the database's locale.
TEXT = 'text COLLATE "C"'

COLUMN_TYPES: dict[FieldType, str] = {
    "text": TEXT,
    "integer": "bigint",
    "real": "double precision",
    "boolean": "boolean",
}

CORE = {
    "hansard_format": "number integer NOT NULL",
    "heads": (
        f"project {TEXT} PRIMARY KEY, seq bigint NOT NULL, tick bigint NOT NULL, "
        f"hash {TEXT} NOT NULL, clock {TEXT} NOT NULL, views {TEXT} NOT NULL"
    ),
    "journal": (
        f"project {TEXT}, seq bigint, tick bigint NOT NULL, at {TEXT} NOT NULL, "
        f"clock {TEXT} NOT NULL, kind {TEXT} NOT NULL, session {TEXT}, "
        f"actor_kind {TEXT} NOT NULL, actor_id {TEXT} NOT NULL, actor_role {TEXT} NOT NULL, "
        f"payload bytea, payload_digest {TEXT} NOT NULL, hash {TEXT} NOT NULL, "
        "PRIMARY KEY (project, seq)"
    ),
    "blobs": (
        f"project {TEXT}, digest {TEXT}, size bigint NOT NULL, codec {TEXT} NOT NULL, "
        f"base {TEXT}, depth integer NOT NULL, packed bytea NOT NULL, "
        "PRIMARY KEY (project, digest)"
    ),
    "hansard_objects": f"place {TEXT} PRIMARY KEY, folder {TEXT} NOT NULL",
    # A number is unique for a reason of locks: changing it waits for commits under it,
    # while putting off the end does not.
    "leases": (
        f"name {TEXT} PRIMARY KEY, number bigint NOT NULL UNIQUE, member {TEXT} NOT NULL, "
        f"machine {TEXT} NOT NULL, until timestamptz NOT NULL"
    ),
    # Programs that do not know this table look for projects in it when they verify.
    "lease_service": (
        "one boolean PRIMARY KEY, since timestamptz NOT NULL, last timestamptz NOT NULL, "
        f"project {TEXT}"
    ),
}


CHANGES = "changes bigint NOT NULL DEFAULT 0"
"""How often a project was changed: two reads that see the same number see the same state."""


class Names:
    """What things are called in one PostgreSQL schema, quoted and qualified."""

    def __init__(self, namespace: str) -> None:
        self.namespace = namespace
        self.is_divided = False
        """Whether large tables have partitions, and words say whose they are."""
        self._tables: dict[tuple[str, int], str] = {}
        self._with_past: set[str] = set()
        self.heads = self.qualified("heads")
        self.journal = self.qualified("journal")
        self.blobs = self.qualified("blobs")
        self.format = self.qualified("hansard_format")
        self.objects = self.qualified("hansard_objects")
        self.leases = self.qualified("leases")
        self.lease_numbers = self.qualified("lease_numbers")
        self.lease_service = self.qualified("lease_service")
        self.commits = self.qualified("commits")
        self.channel = f"{namespace}_commits"
        assert len(self.channel.encode()) <= NAME_BYTES_MAX, f"{namespace} is too long a name"

    def table(self, table: Table) -> str:
        """Name the table that holds these rows."""
        named = self._tables.get((table.name, table.version))
        if named is None:
            named = self.qualified(table_name(table))
            self._tables[table.name, table.version] = named
            if table.history:
                self._with_past.add(named)
        return named

    def standing(self, name: str) -> str:
        """Choose the rows that stand in a table that was named before."""
        return " AND to_seq IS NULL" if name in self._with_past else ""

    def topic(self, topic: Topic) -> str:
        """Name the table that holds these documents."""
        return self.qualified(topic_name(topic))

    def lexemes_of(self, project: str) -> str:
        """Give what a project's words begin with in an index that all projects share."""
        return lexemes_of(project) if self.is_divided else ""

    @property
    def beginning_chars(self) -> int:
        """Give the length of that."""
        return BEGINNING_CHARS if self.is_divided else 0

    def qualified(self, name: str) -> str:
        """Quote a name of ours and say where it belongs."""
        return _quoted(self.namespace, name)

    def lock_number(self, name: str) -> int:
        """Give the number that stands for a name among the database's advisory locks."""
        digest = digest_of(f"{self.namespace}\0{name}".encode())
        return int.from_bytes(bytes.fromhex(digest)[:8], signed=True)


def table_name(table: Table) -> str:
    """Name a table within the schema."""
    return f"{table.name}_v{table.version}"


def topic_name(topic: Topic) -> str:
    """Name a topic's table within the schema."""
    return f"{topic.name}_words_v{topic.table.version}"


def filing(table: Table) -> str:
    """Write the condition under which a row's columns agree with its JSON."""
    return " AND ".join(["true", *(_filing(*each) for each in table.fields.items())])


def _filing(field: str, kind: FieldType) -> str:
    said = f"(body::json ->> '{field}')"
    if kind == "text":
        # A long text has its digest there, which a rebuild would give it again.
        whole = f"CASE WHEN position('{MARK}' in {column(field)}) > 0 THEN {column(field)} ELSE "
        return f"{column(field)} IS NOT DISTINCT FROM {whole}{said} END"
    return f"{column(field)} IS NOT DISTINCT FROM {said}::{COLUMN_TYPES[kind]}"


def column(field: str) -> str:
    """Name the column of a declared field, so that none can clash with our own columns."""
    return _quoted(f"f_{field}")


@cache
def _quoted(*parts: str) -> str:
    assert all(len(part.encode()) <= NAME_BYTES_MAX for part in parts), f"{parts}: too long a name"
    return sql.Identifier(*parts).as_string(None)


def lay_out(connection: Connection, names: Names, schema: Schema) -> None:
    """Create what is missing, one process at a time; a complete store is not touched."""
    _require_utf8(connection)
    if not _missing(connection, names, schema):
        return
    connection.execute("BEGIN")
    try:
        connection.execute("SET LOCAL statement_timeout = 0")  # an index on much data takes long
        number = names.lock_number("@layout")
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (number,))
        missing = _missing(connection, names, schema)
        made = [name for name in ("heads", "leases") if _makes(missing, names, name)]
        if made == ["leases"]:
            _require_nobody_older(connection)
        for statement in missing:
            connection.execute(statement.encode())
        connection.execute("COMMIT")
    finally:
        end_transaction(connection)


def outdated(connection: Connection, names: Names, schema: Schema) -> list[str]:
    """Name the tables and topics of older versions than the schema's."""
    known = [table_name(table) for table in schema.tables]
    known += [topic_name(topic) for topic in schema.topics]
    return older_versions(tables_there(connection, names), known)


def tables_there(connection: Connection, names: Names) -> list[str]:
    """Name the tables that there are; partitions are none of their own."""
    rows = connection.execute(
        "SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
        "WHERE n.nspname = %s AND c.relkind IN ('r', 'p') AND NOT c.relispartition ORDER BY 1",
        (names.namespace,),
    ).fetchall()
    return [name for (name,) in rows]


def stored_tables(connection: Connection, names: Names) -> list[str]:
    """Name the tables that hold rows: of one that is divided, its partitions."""
    rows = connection.execute(
        "SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
        "WHERE n.nspname = %s AND c.relkind = 'r' ORDER BY 1",
        (names.namespace,),
    ).fetchall()
    return [name for (name,) in rows]


def _missing(connection: Connection, names: Names, schema: Schema) -> Sequence[str]:
    """Give the statements that create what is not there, having refused a newer store."""
    rows = connection.execute(
        "SELECT n.nspname, c.relname FROM pg_namespace n "
        "LEFT JOIN pg_class c ON c.relnamespace = n.oid AND NOT c.relispartition "
        "WHERE n.nspname = %s "
        "UNION ALL SELECT table_schema, table_name || '.' || column_name "
        "FROM information_schema.columns WHERE table_schema = %s "
        "AND table_name IN ('heads', 'blobs')",
        (names.namespace, names.namespace),
    ).fetchall()
    there = {relation for _, relation in rows}
    number = _format(connection, names) if "hansard_format" in there else FORMAT
    names.is_divided = number > UNDIVIDED
    creation = [] if rows else [f"CREATE SCHEMA {_quoted(names.namespace)}"]
    return creation + [
        statement for name, statement in _statements(names, schema) if name not in there
    ]


def _makes(statements: Sequence[str], names: Names, table: str) -> bool:
    return any(one.startswith(f"CREATE TABLE {names.qualified(table)} ") for one in statements)


def _format(connection: Connection, names: Names) -> int:
    """Say in which layout a store is, and refuse a newer one."""
    [[number]] = connection.execute(f"SELECT max(number) FROM {names.format}".encode()).fetchall()
    if number is not None and number > FORMAT:
        raise StorageUnavailable(
            "This store was written by a newer Hansard than this one",
            hint="Upgrade Hansard; nothing was changed",
        )
    return UNDIVIDED if number is None else int(number)


def _require_nobody_older(connection: Connection) -> None:
    """Refuse to go on beside programs that hold advisory locks: neither sees the other's."""
    held = connection.execute(
        "SELECT count(*) FROM pg_locks l JOIN pg_stat_activity a USING (pid) "
        "WHERE l.locktype = 'advisory' AND l.objsubid = 1 AND l.pid <> pg_backend_pid() "
        "AND a.datname = current_database() AND a.application_name = 'hansard' "
        "AND a.state = 'idle'"
    ).fetchone()
    if held != (0,):
        raise StorageUnavailable(
            "An older Hansard has this store open, whose locks this one does not see",
            hint="End every older one, then start again; they refuse the store from then on",
        )


def _require_utf8(connection: Connection) -> None:
    encoding = connection.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        raise StorageUnavailable(
            f"The database is encoded in {encoding}, in which not every text can be stored",
            hint="Use a database that was created with ENCODING 'UTF8'",
        )


def _statements(names: Names, schema: Schema) -> Iterator[tuple[str, str]]:
    """Give what to create, each under the name by which its presence is checked."""
    for name, columns in CORE.items():
        also = {
            "hansard_format": f"; INSERT INTO {names.format} VALUES ({FORMAT})",
            # They are packed already; trying to compress them again costs time for nothing.
            "blobs": f"; ALTER TABLE {names.blobs} ALTER COLUMN packed SET STORAGE EXTERNAL",
            # From now on a program that knows no leases is to refuse the store.
            "leases": f"; INSERT INTO {names.format} SELECT {UNDIVIDED} WHERE NOT EXISTS "
            f"(SELECT 1 FROM {names.format} WHERE number >= {UNDIVIDED})",
        }.get(name, "")
        yield name, _creation(names, name, columns, is_large=name in DIVIDED) + also
    yield "lease_numbers", f"CREATE SEQUENCE {names.lease_numbers}"
    yield "commits", f"CREATE SEQUENCE {names.commits}"
    yield "heads.changes", f"ALTER TABLE {names.heads} ADD COLUMN IF NOT EXISTS {CHANGES}"
    outside = f"ADD COLUMN IF NOT EXISTS object {TEXT}, ALTER COLUMN packed DROP NOT NULL"
    yield "blobs.object", f"ALTER TABLE {names.blobs} {outside}"
    named = "(object) WHERE object IS NOT NULL"
    yield "blobs_by_object", f"CREATE INDEX blobs_by_object ON {names.blobs} {named}"
    by_session = "(project, session, seq) WHERE session IS NOT NULL"
    yield (
        "journal_by_session",
        f"CREATE INDEX journal_by_session ON {names.journal} {by_session}",
    )
    for table in schema.tables:
        yield from _table_statements(names, table)
    for topic in schema.topics:
        yield from _topic_statements(names, topic)


def _creation(names: Names, name: str, columns: str, *, is_large: bool) -> str:
    """Create a table; a large one is partitioned by project, if this store has partitions."""
    creation = f"CREATE TABLE {names.qualified(name)} ({columns})"
    if not (is_large and names.is_divided):
        return creation
    parts = (
        f"; CREATE TABLE {names.qualified(f'{name}_p{number:02}')} PARTITION OF "
        f"{names.qualified(name)} FOR VALUES WITH (MODULUS {PARTITIONS}, REMAINDER {number})"
        for number in range(PARTITIONS)
    )
    return f"{creation} PARTITION BY HASH (project){''.join(parts)}"


def _table_statements(names: Names, table: Table) -> Iterator[tuple[str, str]]:
    name, qualified = table_name(table), names.table(table)
    fields = [f"{column(field)} {COLUMN_TYPES[kind]}" for field, kind in table.fields.items()]
    columns = [f"project {TEXT}", f"key {TEXT}", f"whole_key {TEXT}", f"body {TEXT} NOT NULL"]
    standing = ""
    if table.history:
        columns += ["from_seq bigint", "to_seq bigint", "PRIMARY KEY (project, key, from_seq)"]
        standing = " WHERE to_seq IS NULL"
    else:
        columns += ["PRIMARY KEY (project, key)"]
    all_columns = ", ".join([*fields, *columns])
    yield name, _creation(names, name, all_columns, is_large=table.is_large)
    if table.history:
        unique = f"{name}_standing"
        yield (
            unique,
            f"CREATE UNIQUE INDEX {_quoted(unique)} ON {qualified} (project, key){standing}",
        )
    for index in table.indexes:
        # By digest, since the fields' names together can be longer than a name may be.
        called = f"{name}_{digest_of(' '.join(index).encode())[:8]}"
        indexed = ", ".join(column(field) for field in index)
        yield (
            called,
            f"CREATE INDEX {_quoted(called)} ON {qualified} (project, {indexed}, key){standing}",
        )


def _topic_statements(names: Names, topic: Topic) -> Iterator[tuple[str, str]]:
    name, qualified = topic_name(topic), names.topic(topic)
    numbered, owned = "GENERATED BY DEFAULT AS IDENTITY", ""
    if names.is_divided:
        # Before version 17 of PostgreSQL nothing in partitions numbers itself.
        numbers = f"{name}_numbers"
        yield numbers, f"CREATE SEQUENCE {names.qualified(numbers)}"
        numbered = f"NOT NULL DEFAULT nextval('{names.qualified(numbers)}')"
        owned = f"; ALTER SEQUENCE {names.qualified(numbers)} OWNED BY {qualified}.number"
    columns = (
        f"project {TEXT}, key {TEXT}, number bigint {numbered}, "
        "words tsvector NOT NULL, length double precision NOT NULL, PRIMARY KEY (project, key)"
    )
    yield name, _creation(names, name, columns, is_large=topic.table.is_large) + owned
    # A search scans everything that is not yet merged into the index, of all projects.
    sorting = " WITH (gin_pending_list_limit = 256)" if names.is_divided else ""
    for index, on in (("index", f"USING gin (words){sorting}"), ("newest", "(project, number)")):
        called = f"{name}_{index}"
        yield called, f"CREATE INDEX {_quoted(called)} ON {qualified} {on}"
