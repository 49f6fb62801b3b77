"""Everything that a store consists of, and ways to alter each thing behind Hansard's back."""

import random
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, cast

import apsw
import zstandard

DATABASE = "hansard.db"
BOMB_BYTES = 1 << 30

Deed = Callable[[Path], None]


@dataclass(frozen=True, slots=True)
class Tampering:
    """One thing that is done to a store's folder."""

    name: str
    do: Deed


def connected(store: Path) -> apsw.Connection:
    return apsw.Connection(str(store / DATABASE))


# Rows of the database: one is altered in each column, one is deleted, one is added.


def in_tables(store: Path, *, every_column: bool) -> Iterator[Tampering]:
    """Give all that can be done to each table: with one of its columns, or with every one."""
    with closing(connected(store)) as connection:
        for table in _tables(connection):
            named = [name for name, _ in _columns(connection, table)]
            for column in named if every_column else [random.Random(table).choice(named)]:
                yield Tampering(f"{table}.{column} altered", partial(_alter, table, column))
            yield Tampering(f"{table}: a row deleted", partial(_delete, table))
            yield Tampering(f"{table}: a row added", partial(_add, table))
            if every_column:
                yield Tampering(f"{table}: all rows deleted", partial(_empty, table))


def _tables(connection: apsw.Connection) -> list[str]:
    """Name every table that has rows, also those that a full-text index is made of."""
    rows = connection.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' "
        "ORDER BY name"
    ).fetchall()
    names = [str(name) for (name,) in rows]
    return [name for name in names if connection.execute(f"SELECT 1 FROM {name}").fetchone()]


def _columns(connection: apsw.Connection, table: str) -> list[tuple[str, int]]:
    """Give the columns, each with its place in the primary key, or 0."""
    rows = connection.execute(f"SELECT name, pk FROM pragma_table_info('{table}')").fetchall()
    return [(str(name), cast("int", place)) for name, place in rows]


def _identity(connection: apsw.Connection, table: str) -> list[str]:
    return [name for name, place in _columns(connection, table) if place] or ["rowid"]


def _any_row(connection: apsw.Connection, table: str) -> tuple[list[str], tuple[Any, ...]]:
    """Choose a row; gives the columns that identify it, and their values."""
    identity = _identity(connection, table)
    rows = connection.execute(f"SELECT {', '.join(identity)} FROM {table}").fetchall()
    return identity, random.Random(table).choice(rows)


def _at(identity: list[str]) -> str:
    return " AND ".join(f"{name} IS ?" for name in identity)


def _alter(table: str, column: str, store: Path) -> None:
    with closing(connected(store)) as connection:
        identity, values = _any_row(connection, table)
        [[old]] = connection.execute(
            f"SELECT {column} FROM {table} WHERE {_at(identity)}", values
        ).fetchall()
        statement = f"UPDATE {table} SET {column} = ? WHERE {_at(identity)}"
        try:
            connection.execute(statement, (_other(old), *values))
        except apsw.ConstraintError:  # that number is another's
            connection.execute(statement, (_other(old, by=1_000_003), *values))


def _delete(table: str, store: Path) -> None:
    with closing(connected(store)) as connection:
        identity, values = _any_row(connection, table)
        connection.execute(f"DELETE FROM {table} WHERE {_at(identity)}", values)


def _empty(table: str, store: Path) -> None:
    with closing(connected(store)) as connection:
        connection.execute(f"DELETE FROM {table}")


def _add(table: str, store: Path) -> None:
    """Add a row that is like another but for what must be unique."""
    with closing(connected(store)) as connection:
        columns = _columns(connection, table)
        identity, values = _any_row(connection, table)
        names = ", ".join(name for name, _ in columns)
        [row] = connection.execute(
            f"SELECT {names} FROM {table} WHERE {_at(identity)}", values
        ).fetchall()
        changed = [
            _other(value, by=1_000) if place or isinstance(value, str) else value
            for (_, place), value in zip(columns, row, strict=True)
        ]
        marks = ", ".join("?" * len(changed))
        connection.execute(f"INSERT INTO {table}({names}) VALUES({marks})", changed)


def _other(value: Any, by: int = 1) -> Any:
    """Make another value of the same type."""
    match value:
        case None:
            return "x"
        case int() | float():
            return value + by
        case str():
            return f"{value[:-1]}{'y' if value[-1:] == 'x' else 'x'}"
        case b"":
            return b"x"
        case _:
            half = len(value) // 2
            return value[:half] + bytes([value[half] ^ by % 256]) + value[half + 1 :]


# Files: of blobs and of Git.


def in_blob_files(store: Path) -> Iterator[Tampering]:
    """Give all that can be done to each blob that lies in a file."""
    paths = sorted(path for path in (store / "blobs").glob("??/*") if path.is_file())
    for path, next_path in zip(paths, [*paths[1:], *paths[:1]], strict=True):
        here, there = path.relative_to(store), next_path.relative_to(store)
        yield Tampering(f"{here} flipped", partial(flip, here, 1))
        yield Tampering(f"{here} cut", partial(_cut, here))
        yield Tampering(f"{here} emptied", partial(_write, here, b""))
        yield Tampering(f"{here} gone", partial(_remove, here))
        yield Tampering(f"{here} is a bomb", partial(_bomb, here))
        yield Tampering(f"{here} swapped with another", partial(_swap, here, there))


def in_repositories(store: Path) -> Iterator[Tampering]:
    """Give what can be done to each object and reference of the repositories."""
    for path in sorted((store / "git").rglob("*")):
        here = path.relative_to(store)
        if path.is_file() and ("objects" in here.parts or "refs" in here.parts):
            yield Tampering(f"{here} flipped", partial(flip, here, 2))
            yield Tampering(f"{here} emptied", partial(_write, here, b""))
            yield Tampering(f"{here} gone", partial(_remove, here))


def flips(name: str, count: int) -> Iterator[Tampering]:
    """Give single bytes to be changed anywhere in one file."""
    for seed in range(count):
        yield Tampering(f"{name}: byte {seed} flipped", partial(flip, Path(name), seed))


def flip(path: Path, seed: int, store: Path) -> None:
    chance = random.Random(seed)
    content = bytearray((store / path).read_bytes())
    content[chance.randrange(len(content))] ^= chance.randrange(1, 256)
    _write(path, bytes(content), store)


def _cut(path: Path, store: Path) -> None:
    content = (store / path).read_bytes()
    _write(path, content[: len(content) // 2], store)


def _write(path: Path, content: bytes, store: Path) -> None:
    (store / path).chmod(0o600)  # Git's objects are read-only
    (store / path).write_bytes(content)


def _remove(path: Path, store: Path) -> None:
    (store / path).unlink()


def _bomb(path: Path, store: Path) -> None:
    _write(path, _gigabyte(), store)


@cache
def _gigabyte() -> bytes:
    """Give something small that would become large."""
    packer = zstandard.ZstdCompressor().compressobj()
    packed = b"".join(packer.compress(bytes(1 << 20)) for _ in range(BOMB_BYTES >> 20))
    return packed + packer.flush()


def _swap(path: Path, other: Path, store: Path) -> None:
    mine, theirs = (store / path).read_bytes(), (store / other).read_bytes()
    _write(path, theirs, store)
    _write(other, mine, store)
