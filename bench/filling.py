"""Fills a PostgreSQL store with as many entries as a large team has, far quicker than by calling.

`python -m bench.filling postgresql://… --projects 900 --large 1000000`, on an empty store.

1. One project, of ten thousand entries unless said otherwise, is written by the program, each entry
   by a call.
2. Each further one has the same calls behind it under other ids: its journal is chained anew, entry
   by entry, by the rule of the chain (`Entry.hash_after`), and the rows, words and blobs that the
   program had derived are sent with its own ids in them, by COPY.
3. The large one is those calls again and again in one journal, each time under other ids; of its
   tables nothing is there, so that the program derives it page by page when it is first used.

`hansard verify` is what proves that all this is what the program would have written.
"""

import argparse
import itertools
import multiprocessing
import random
import re
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import psycopg
from psycopg import sql

from bench import search
from hansard.app.application import Application
from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.engines.postgres.text import lexemes_of
from hansard.kernel import paging
from hansard.kernel.blob import digest_of
from hansard.kernel.clock import to_text, utc_now
from hansard.kernel.engine import WriteTx
from hansard.kernel.event import Actor, Entry, Head, Stamp, genesis
from hansard.kernel.ids import BLOCKS, IdBlockGranted, IdBlockReserved
from hansard.kernel.operation import Caller, Seat
from hansard.kernel.store import CATALOG, Store
from hansard.sessions.projects import make as make_project

NAMESPACE = "hansard"
TEMPLATE = "team-1000"
"""The project that is written by calls. Its number stands in every id it has given."""

LARGE = "large"
FIRST = 1_000
"""The block of ids of the template: `R1000` and four more digits are its records."""

BLOCK = 10_000
PREFIXES = ("R", "D", "C")
ENTRIES = 10_000
WORKERS = 2
AGENT = Actor("agent", "bench", "agent")
SESSION_CALLS = 60
BODY_WORDS = 25
COMMON = ("heads", "journal", "hansard_format", "hansard_objects", "leases")
"""Tables of the store that are not copied row by row."""

GRANTED = IdBlockGranted.kind
PATH = re.compile(rb"(?<![0-9a-f])(?:01000[0-9]{4})+(?![0-9a-f])")
SESSION = re.compile(rb"team-1000\.[0-9a-f]{4}")


@dataclass(frozen=True)
class Template:
    """The project that was written by calls, as far as the others are made of it."""

    entries: list[Entry]
    tables: dict[str, tuple[list[str], bytes]]
    """By table: the columns, and the rows as COPY writes them."""
    views: str


@dataclass(frozen=True)
class Naming:
    """What a copy of the template is called, and which ids it has."""

    project: str
    block: int
    is_round: bool = False
    """Whether it is one of several in a project, whose sessions must differ as well."""

    def __call__(self, said: bytes) -> bytes:
        """Put the ids of this copy in the place of the template's."""
        if self.is_round:
            session = f"{self.project}.{self.block:04x}".encode()
            said = SESSION.sub(session, said)
        said = said.replace(TEMPLATE.encode(), self.project.encode())
        whose = lexemes_of(TEMPLATE), lexemes_of(self.project)
        said = said.replace(f"'{whose[0]}".encode(), f"'{whose[1]}".encode())
        for prefix in PREFIXES:
            said = said.replace(f"{prefix}{FIRST}".encode(), f"{prefix}{self.block}".encode())
            # As a word it stands in lower case, behind what says whose it is.
            word = f"'{lexemes_of(self.project)}{prefix.lower()}"
            said = said.replace(f"{word}{FIRST}".encode(), f"{word}{self.block}".encode())
        # Most of what is said names no place in the tree, and looking closely takes longest.
        return PATH.sub(self._path, said) if b"01000" in said else said

    def numbers(self, said: bytes) -> bytes:
        """Say where its blocks of ids begin and end."""
        return re.sub(rb"(?<![0-9])10[0-9]{6}(?![0-9])", self._shifted, said)

    def _path(self, found: re.Match[bytes]) -> bytes:
        """Say where a record lies in the tree: nine digits for each above it, and its own."""
        return re.sub(rb"01000([0-9]{4})", b"0%d\\1" % self.block, found[0])

    def _shifted(self, found: re.Match[bytes]) -> bytes:
        return str(int(found[0]) + (self.block - FIRST) * BLOCK).encode()


def main() -> None:
    """Fill the store that is named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    parser.add_argument("--projects", type=int, default=9, help="so many beside the template")
    parser.add_argument("--large", type=int, default=100_000, help="entries of the large one")
    parser.add_argument("--entries", type=int, default=ENTRIES, help="of each other project")
    asked = parser.parse_args()
    fill(asked.url, asked.projects, asked.large, asked.entries)


def fill(url: str, projects: int, large: int, each: int = ENTRIES) -> None:
    """Fill a store with so many projects beside the template, and one of so many entries."""
    assert each <= BLOCK, "more entries than a block has ids"
    begun = time.monotonic()

    def told(what: str) -> None:
        print(f"{time.monotonic() - begun:7.0f} s  {what}", flush=True)

    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(store=url, workspace=folder, embedder="none")
        with closing(start(settings)) as app:
            write_template(app, each)
            told(f"{TEMPLATE} is written, {each:,} entries by calls")
            rounds = -(-large // each)
            reserve(app.store, projects, rounds)
            told("the projects are in the directory")
            template = taken(app.store, url)
        indexes = words_indexes(url)
        run(url, [index for index, _ in indexes])
        copy = partial(copy_project, url, template)
        with multiprocessing.get_context("fork").Pool(WORKERS) as pool:
            numbers = range(FIRST + 1, FIRST + 1 + projects)
            for number, _ in enumerate(pool.imap_unordered(copy, numbers), start=1):
                if number % 100 == 0:
                    told(f"{number} projects of {each:,}")
        if large:
            copy_rounds(url, template, FIRST + 1 + projects, large)
            told(f"{LARGE}, {large:,} entries, without tables")
        run(url, [definition for _, definition in indexes])
        run(url, ["VACUUM (ANALYZE)"])
        told("the words are indexed and the tables known")


def write_template(app: Application, entries: int) -> None:
    """Write a project by calls, of the same mix as an agent's day."""
    stamp = Stamp(AGENT, to_text(utc_now()))
    make_project(app.store, TEMPLATE, stamp)
    for prefix in PREFIXES:
        _set_aside(app.store, prefix, TEMPLATE, FIRST, stamp)
        granted = IdBlockGranted(prefix=prefix, first=FIRST * BLOCK, size=BLOCK)
        app.store.write(TEMPLATE, partial(_record, app.store, granted, stamp))
    agent = Agent(app, random.Random(1))
    while app.store.engine.heads()[TEMPLATE].seq < entries - 2 * SESSION_CALLS:
        agent.work(SESSION_CALLS)
    while app.store.engine.heads()[TEMPLATE].seq < entries:
        agent.ask("audit_event", type="noted", description=agent.words(12))


def _record(store: Store, event: Any, stamp: Stamp, tx: WriteTx) -> None:
    store.record(tx, event, stamp)


def _set_aside(store: Store, prefix: str, project: str, block: int, stamp: Stamp) -> None:
    """Have the catalog reserve a block; the first skips all numbers before it."""

    def work(tx: WriteTx) -> None:
        row = tx.get(BLOCKS, prefix)
        begun = row["next"] if row else 1
        size = (block + 1) * BLOCK - begun
        event = IdBlockReserved(prefix=prefix, first=begun, size=size, for_project=project)
        store.record(tx, event, stamp)

    store.write(CATALOG, work)


class Agent:
    """Writes what agents write: records above all, notes, decisions and checkpoints."""

    def __init__(self, app: Application, chance: random.Random) -> None:
        """Know the words that texts are made of."""
        self._app = app
        self._chance = chance
        self._words = search.vocabulary()
        self._numbers = itertools.count()

    def ask(self, operation: str, **arguments: Any) -> Any:
        """Call an operation in the session that was begun last."""
        return self._app.call(operation, {"project_id": TEMPLATE} | arguments, self._caller)

    def words(self, count: int) -> str:
        """Make a text."""
        return " ".join(self._chance.choice(self._words) for _ in range(count))

    def work(self, calls: int) -> None:
        """Begin a session, do some things in it and close it."""
        self._caller = Caller(AGENT, seat=Seat())
        self._app.call(
            "record_session_start",
            {"project_id": TEMPLATE, "title": self.words(5)},
            self._caller,
        )
        self._records: list[str] = []
        doing: list[tuple[Callable[[], None], int]] = [
            (self._create, 8),
            (self._update, 4),
            (self._move, 2),
            (self._note, 4),
            (self._decide, 1),
            (self._save, 1),
        ]
        self._create()
        for act in self._chance.choices([a for a, _ in doing], [w for _, w in doing], k=calls):
            act()
        self.ask("close_session")

    def _create(self) -> None:
        texts = {"title": self.words(5), "summary": self.words(10), "body": self.words(BODY_WORDS)}
        parent = {"parent_id": self._records[0]} if self._records else {}
        made = self.ask("create_record", type="note", **texts, **parent)
        self._records.append(made.record.id)

    def _update(self) -> None:
        self.ask("update_record", id=self._records[-1], body=self.words(BODY_WORDS))

    def _move(self) -> None:
        if len(self._records) > 1:
            self.ask("transition", id=self._records.pop(), to_state="LATER", reason=self.words(4))

    def _note(self) -> None:
        self.ask("audit_event", type="noted", description=self.words(12))

    def _decide(self) -> None:
        target = f"part{next(self._numbers)}"
        texts = {"title": self.words(5), "rationale": self.words(20)}
        self.ask("record_decision", target=target, **texts)

    def _save(self) -> None:
        context = {"step": next(self._numbers), "text": self.words(20)}
        # Without a name it is called after its session, whose number is a word of its own.
        metadata = {"name": self.words(3)}
        self.ask("workflow_checkpoint_save", context=context, metadata=metadata)


def reserve(store: Store, projects: int, rounds: int) -> None:
    """Enter the projects in the directory, and set ids aside for each, as the program does."""
    stamp = Stamp(AGENT, to_text(utc_now()))
    for block in range(FIRST + 1, FIRST + 1 + projects + rounds):
        name = f"team-{block}" if block <= FIRST + projects else LARGE
        if block <= FIRST + 1 + projects:
            make_project(store, name, stamp)
        for prefix in PREFIXES:
            _set_aside(store, prefix, name, block, stamp)


def taken(store: Store, url: str) -> Template:
    """Take what the program has made of the template."""
    entries = store.read(TEMPLATE, lambda tx: list(paging.entries(tx)))
    tables: dict[str, tuple[list[str], bytes]] = {}
    with psycopg.connect(url, autocommit=True) as connection:
        for table, columns in _columns(connection).items():
            named = sql.SQL(", ").join(map(sql.Identifier, columns))
            query = sql.SQL("COPY (SELECT {} FROM {} WHERE project = {} ORDER BY {}) TO STDOUT")
            wanted = query.format(
                *(named, sql.Identifier(NAMESPACE, table), sql.Literal(TEMPLATE)),
                sql.SQL(", ").join(map(sql.Identifier, columns[:2])),
            )
            with connection.cursor().copy(wanted) as out:
                rows = b"".join(out)
            if rows:
                tables[table] = columns, rows
    return Template(entries, tables, store.fingerprint)


def _columns(connection: psycopg.Connection[Any]) -> dict[str, list[str]]:
    """Name the columns of the tables with a project's rows; what counts itself is left out.

    Partitions are no tables of their own here.
    """
    rows = connection.execute(
        "SELECT c.relname, array_agg(a.attname::text ORDER BY a.attnum) FROM pg_class c "
        "JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped "
        "LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum "
        "WHERE c.relnamespace = %s::regnamespace AND c.relkind IN ('r', 'p') "
        "AND NOT c.relispartition AND a.attidentity = '' "
        "AND coalesce(pg_get_expr(d.adbin, d.adrelid), '') NOT LIKE 'nextval%%' "
        "GROUP BY c.relname",
        (NAMESPACE,),
    )
    return {
        table: columns for table, columns in rows if table not in COMMON and "project" in columns
    }


def words_indexes(url: str) -> list[tuple[str, str]]:
    """Give what drops each full-text index and what makes it again: at once is quicker by far."""
    with psycopg.connect(url) as connection:
        rows = connection.execute(
            "SELECT c.relname, replace(pg_get_indexdef(c.oid), ' ON ONLY ', ' ON ') "
            "FROM pg_class c JOIN pg_am a ON a.oid = c.relam WHERE a.amname = 'gin' "
            "AND c.relnamespace = %s::regnamespace AND NOT c.relispartition",
            (NAMESPACE,),
        ).fetchall()
    return [(f'DROP INDEX {NAMESPACE}."{name}"', definition) for name, definition in rows]


def run(url: str, statements: Sequence[str]) -> None:
    """Do these, each by itself."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SET maintenance_work_mem = '512MB'")
        for statement in statements:
            connection.execute(statement.encode())


def copy_project(url: str, template: Template, block: int) -> None:
    """Write a project that has had the same calls as the template, under ids of its own."""
    naming = Naming(f"team-{block}", block)
    with psycopg.connect(url) as connection:
        for table, (columns, rows) in template.tables.items():
            said = naming(rows)
            said = naming.numbers(said) if table.startswith("id_numbers") else said
            with _copying(connection, table, columns) as copy:
                copy.write(said)
        entries = chained(naming, template.entries, genesis(naming.project))
        head = append(connection, entries)
        _set_head(connection, naming.project, head, template.views)


def copy_rounds(url: str, template: Template, block: int, entries: int) -> None:
    """Write a large journal: the template's calls again and again, and what they kept."""
    head = genesis(LARGE)
    with psycopg.connect(url) as connection:
        columns, rows = template.tables["blobs"]
        with _copying(connection, "blobs", columns) as copy:
            copy.write(Naming(LARGE, block)(rows))
        while head.seq < entries:
            naming = Naming(LARGE, block, is_round=True)
            made = chained(naming, template.entries, head)
            head = append(connection, itertools.islice(made, entries - head.seq))
            block += 1
        _set_head(connection, LARGE, head, "")


def chained(naming: Naming, entries: Sequence[Entry], head: Head) -> Iterator[Entry]:
    """Give the template's entries under these names, each following the one before."""
    ticks, before = head.tick, 0
    for entry in entries:
        payload = naming(entry.payload or b"")
        if entry.kind == GRANTED:
            payload = naming.numbers(payload)
        if ticks and b'"base":' in payload:
            # Which version a session was shown is told by the tick, which goes on.
            payload = re.sub(
                rb'"base":(\d+)', lambda found: b'"base":%d' % (int(found[1]) + ticks), payload
            )
        following = replace(
            entry,
            project=naming.project,
            seq=head.seq + 1,
            tick=head.tick + entry.tick - before,
            clock=max(head.clock, entry.at),
            session=naming((entry.session or "").encode()).decode() or None,
            payload=payload,
            payload_digest=digest_of(payload),
        )
        following = replace(following, hash=following.hash_after(head.hash))
        head, before = following.as_head(), entry.tick
        yield following


def append(connection: psycopg.Connection[Any], entries: Iterator[Entry]) -> Head:
    """Put entries into the journal; returns the last one's head."""
    columns = (
        "project, seq, tick, at, clock, kind, session, actor_kind, actor_id, actor_role, "
        "payload, payload_digest, hash"
    ).split(", ")
    entry: Entry | None = None
    with _copying(connection, "journal", columns) as copy:
        for entry in entries:
            who = entry.actor
            copy.write_row(
                (
                    *(entry.project, entry.seq, entry.tick, entry.at, entry.clock, entry.kind),
                    *(entry.session, who.kind, who.id, who.role),
                    *(entry.payload, entry.payload_digest, entry.hash),
                )
            )
    assert entry is not None, "there was nothing to append"
    return entry.as_head()


def _copying(connection: psycopg.Connection[Any], table: str, columns: Sequence[str]) -> Any:
    named = sql.SQL(", ").join(map(sql.Identifier, columns))
    statement = sql.SQL("COPY {} ({}) FROM STDIN").format(sql.Identifier(NAMESPACE, table), named)
    return connection.cursor().copy(statement)


def _set_head(connection: psycopg.Connection[Any], project: str, head: Head, views: str) -> None:
    connection.execute(
        f"INSERT INTO {NAMESPACE}.heads (project, seq, tick, hash, clock, views, changes) "
        "VALUES (%s, %s, %s, %s, %s, %s, 1) ON CONFLICT (project) DO UPDATE SET "
        "seq = EXCLUDED.seq, tick = EXCLUDED.tick, hash = EXCLUDED.hash, "
        "clock = EXCLUDED.clock, views = EXCLUDED.views, changes = heads.changes + 1".encode(),
        (project, head.seq, head.tick, head.hash, head.clock, views),
    )


if __name__ == "__main__":
    main()
