"""What SQLite can check of its own file, and digests of its full-text indexes. Only reads.

The words of a document are not stored as a text, only as places in lists, word by word. So marks
are sums: going through the lists once adds up the marks of all documents.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from itertools import zip_longest

import apsw

from hansard.engines.sqlite.mark_key import number_of
from hansard.engines.sqlite.schema import (
    NUMBER_BITS,
    documents_name,
    is_unmade,
    missing_indexes,
    topic_name,
)
from hansard.engines.sqlite.search import document, length_of
from hansard.kernel.engine import Schema, Topic
from hansard.kernel.problem import StorageUnavailable

LINES_MAX = 20
"""How many of SQLite's own findings are asked for: one is enough to distrust the file."""

TOTALS = 1
"""The row of a full-text index that holds how many documents and words there are."""

LOW_BITS = 0x7F
"""The bits of a byte that are part of a packed number; the one above says that more follow."""

OURS = {
    "table": re.compile(
        r"heads|journal|blobs|layout|sqlite_\w+|(rows|documents)_\w+_v[0-9]+"
        r"|words_\w+_v[0-9]+(_data|_idx|_docsize|_config|_content)?"
    ),
    "index": re.compile(
        r"journal_session|sqlite_autoindex_\w+|rows_\w+_v[0-9]+(_current)?(_[0-9]+)?"
    ),
}
"""How the tables and indexes of a store are named, of whichever version; it has nothing else."""

SUMS_MAX = 100_000
"""How many sums are kept in memory; the others lie in a temporary table."""

MODULUS = 1 << 62
"""What marks are counted up to, so that adding two of them is still a number to SQLite."""

_MARKED = (
    "SELECT coalesce(h.project, ''), coalesce(d.key, 'number ' || n.number), coalesce(s.total, 0), "
    "d.length "
    "FROM (SELECT number FROM {0} UNION SELECT number FROM temp.sums) n "
    "LEFT JOIN {0} d ON d.number = n.number "
    f"LEFT JOIN heads h ON h.number = d.project AND h.number = d.number >> {NUMBER_BITS} "
    "LEFT JOIN temp.sums s ON s.number = n.number"
)

_BEFORE_ALL = -1 << 22
"""A number less than any project's, even in a file that was tampered with."""


def faults(connection: apsw.Connection, schema: Schema, *, thorough: bool) -> list[str]:
    """Say what is wrong with the database, as one look sees it."""
    connection.execute("BEGIN")
    try:
        found = [*_foreign(connection), *_unindexed(connection, schema), *_headless(connection)]
        return found + list(_own_findings(connection)) if thorough else found
    except (apsw.SQLError, apsw.CorruptError, apsw.NotADBError) as error:
        return [f"SQLite finds its file damaged: {error}"]
    finally:
        connection.execute("ROLLBACK")


def marks(connection: apsw.Connection, topic: Topic, take: Callable[[str, str, str], None]) -> None:
    """Add up the marks of all documents of a topic, beside the file, and give them."""
    connection.execute("BEGIN")
    try:
        _add_up(connection, topic_name(topic))
        marked = connection.execute(_MARKED.format(documents_name(topic)))
        for project, key, total, length in marked:
            take(project, key, f"{total:x} {length}")
    except apsw.SQLError as error:
        if not is_unmade(error):
            message = f"The full-text index of {topic.name} cannot be read"
            raise StorageUnavailable(message) from error
    finally:
        connection.execute("ROLLBACK")


def mark(topic: Topic, texts: Mapping[str, str]) -> str:
    """Add up the mark of one document."""
    written = document(topic, texts)
    columns = [text.split() for text in written]
    total = number_of(b"".join(_varint(len(words)) for words in columns))
    for column, words in zip(topic.columns, columns, strict=True):
        called = number_of(column)
        total += sum(hash((number_of(word), called, at)) for at, word in enumerate(words))
    return f"{total % MODULUS:x} {float(length_of(topic, written))}"


def _add_up(connection: apsw.Connection, words: str) -> None:
    """Go through all places of all words, and through what the index says of its documents."""
    connection.execute("CREATE TEMP TABLE sums (number INTEGER PRIMARY KEY, total INTEGER)")
    sums: defaultdict[int, int] = defaultdict(int)
    for number, part in _parts(connection, words):
        sums[number] += part
        if len(sums) > SUMS_MAX:
            _lay_aside(connection, sums)
    _lay_aside(connection, sums)


def _parts(connection: apsw.Connection, words: str) -> Iterator[tuple[int, int]]:
    for number, lengths in connection.execute(f"SELECT id, sz FROM {words}_docsize"):
        yield number, number_of(lengths)
    connection.execute(f"CREATE VIRTUAL TABLE temp.places USING fts5vocab(main, {words}, instance)")
    places = connection.execute('SELECT term, doc, col, "offset" FROM temp.places')
    for word, number, column, place in places:
        yield number, hash((number_of(word), number_of(column), place))


def _lay_aside(connection: apsw.Connection, sums: dict[int, int]) -> None:
    connection.executemany(
        "INSERT INTO temp.sums VALUES (?1, ?2) ON CONFLICT DO UPDATE "
        f"SET total = (total + ?2) % {MODULUS}",
        ((number, total % MODULUS) for number, total in sums.items()),
    )
    sums.clear()


def _foreign(connection: apsw.Connection) -> Iterator[str]:
    """Find what no layout of ours declares: a trigger, say, would change what is written."""
    declared = connection.execute("SELECT type, name FROM sqlite_schema ORDER BY type, name")
    for kind, name in declared.fetchall():
        if not (kind in OURS and OURS[kind].fullmatch(str(name))):
            yield f"The database has a {kind} that Hansard did not make: {name}"


def _unindexed(connection: apsw.Connection, schema: Schema) -> Iterator[str]:
    """Find missing indexes, without which lookups take ever longer."""
    for name in missing_indexes(connection, schema):
        yield f"The index {name} is gone; the next process that opens the store makes it again"


def _headless(connection: apsw.Connection) -> Iterator[str]:
    """Find what belongs to a project without a head: no other check would see it."""
    tables = connection.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND (name = 'blobs' "
        "OR name GLOB 'rows_*' OR name GLOB 'documents_*') ORDER BY name"
    ).fetchall()
    asked = {name: f"SELECT min(project) FROM {name} WHERE project > ?" for (name,) in tables}
    asked["journal"] = (
        f"SELECT min(number) >> {NUMBER_BITS} FROM journal WHERE number >= (? + 1) << {NUMBER_BITS}"
    )
    heads = {number for (number,) in connection.execute("SELECT number FROM heads")}
    for name, statement in asked.items():
        for number in _projects(connection, statement):
            if number not in heads:
                yield f"The table {name} has rows of a project whose head is gone: number {number}"


def _projects(connection: apsw.Connection, statement: str) -> Iterator[int]:
    """Go from project to project, one step each, however many rows they have."""
    last = _BEFORE_ALL
    while (found := connection.execute(statement, (last,)).fetchone()) and found[0] is not None:
        [last] = found
        yield last


def _own_findings(connection: apsw.Connection) -> Iterator[str]:
    """Let SQLite check its pages and indexes, and the full-text indexes theirs."""
    for (line,) in connection.execute(f"PRAGMA integrity_check({LINES_MAX})"):
        if line != "ok":
            yield f"SQLite finds its file damaged: {line}"
    names = connection.execute(
        "SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL TABLE%' ORDER BY name"
    ).fetchall()
    for (name,) in names:
        if not _are_counted(connection, str(name)):
            yield f"The full-text index {name} counts other documents or words than it has"


def _are_counted(connection: apsw.Connection, words: str) -> bool:
    """Whether the totals that ranking goes by are those of the documents."""
    counts: list[int] = []
    for (lengths,) in connection.execute(f"SELECT sz FROM {words}_docsize"):
        each = [1, *_numbers(lengths)]
        counts = [sum(pair) for pair in zip_longest(counts, each, fillvalue=0)]
    said = connection.execute(f"SELECT block FROM {words}_data WHERE id = ?", (TOTALS,)).fetchone()
    if said is None:
        return False
    return all(a == b for a, b in zip_longest(_numbers(said[0]), counts, fillvalue=0))


def _numbers(packed: bytes) -> list[int]:
    """Read numbers as SQLite packs them: seven bits a byte, the highest first."""
    numbers, number = [], 0
    for byte in packed:
        number = number << 7 | byte & LOW_BITS
        if byte <= LOW_BITS:
            numbers.append(number)
            number = 0
    return numbers


def _varint(number: int) -> bytes:
    """Pack a number as SQLite does."""
    packed = [number & LOW_BITS]
    while number := number >> 7:
        packed.append(number & LOW_BITS | LOW_BITS + 1)
    return bytes(reversed(packed))
