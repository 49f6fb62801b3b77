"""Heads: where each journal ends, and the row lock that all its writers take."""

from collections.abc import Collection
from typing import Any

import psycopg
from psycopg import errors

from hansard.engines.postgres.connections import Connection
from hansard.engines.postgres.row_cache import Mark
from hansard.engines.postgres.schema import Names
from hansard.engines.postgres.write_buffer import FIRST_PART, Statement
from hansard.kernel.event import Head, genesis

MOVED = errors.InvalidArgumentForLogarithm
"""What psycopg raises where a head is not what it was taken for."""

Asked = psycopg.Cursor[tuple[Any, ...]]
"""What has been asked and may not be answered yet."""


def ask_head(connection: Connection, names: Names, project: str, *, lock: bool = False) -> Asked:
    """Ask for a project's head, and for its lock; in a pipeline, the answer comes when it ends."""
    statement = (
        f"SELECT seq, tick, hash, clock, views, changes FROM {names.heads} WHERE project = %s"
        f"{' FOR UPDATE' if lock else ''}"
    )
    return connection.execute(statement.encode(), (project,))


def ask_heads(connection: Connection, names: Names, projects: Collection[str]) -> Asked:
    """Ask for the heads of several projects."""
    statement = (
        "SELECT project, seq, tick, hash, clock, views, changes "
        f"FROM {names.heads} WHERE project = ANY(%s)"
    )
    return connection.execute(statement.encode(), (list(projects),))


def found_heads(asked: Asked, projects: Collection[str]) -> dict[str, Mark]:
    """Give the heads that were asked for; those that are not there are where all begin."""
    found = {project: Mark(0, genesis(project)) for project in projects}
    return found | {project: Mark(last, Head(*head)) for project, *head, last in asked}


def found_head(asked: Asked, project: str) -> Mark:
    """Give the head that was asked for; that of one that is not there is where all begin."""
    return _found(asked) or Mark(0, genesis(project))


def locked_head(connection: Connection, names: Names, project: str, asked: Asked) -> Mark:
    """Give the head whose lock was asked for, and make its row if there is none."""
    found = _found(asked)
    if found is None:
        first = genesis(project)
        # This waits for another transaction that inserts it now; then nothing is left to do.
        connection.execute(
            f"INSERT INTO {names.heads} VALUES (%s, %s, %s, %s, %s, %s) "
            "ON CONFLICT DO NOTHING".encode(),
            (project, first.seq, first.tick, first.hash, first.clock, first.views),
        )
        found = _found(ask_head(connection, names, project, lock=True))
        assert found is not None, "a head that was just inserted is there"
    return found


def ask_unmoved(connection: Connection, names: Names, project: str, mark: Mark) -> None:
    """Ask for a project's lock; the server answers `MOVED` if its head has changed by then."""
    held = (
        f"SELECT 1 FROM {names.heads} WHERE project = %s AND changes = %s "
        "AND seq = %s AND hash = %s AND views = %s FOR UPDATE"
    )
    head = mark.head
    values = project, mark.changes, head.seq, head.hash, head.views
    connection.execute(f"SELECT ln(count(*)) FROM ({held}) AS held".encode(), values)


def asked_unmoved(names: Names, project: str, mark: Mark, question: Statement) -> Statement:
    """Ask something, and in the same look whether a project's head is still what it was taken for.

    Each row begins with that, and with whether it is part of the answer: without any there is one.
    """
    head, (asked, values) = mark.head, question
    same = (
        f"SELECT changes = %s AND seq = %s AND hash = %s AND views = %s FROM {names.heads} "
        "WHERE project = %s"
    )
    statement = (
        f"SELECT head.same, found.* FROM (SELECT coalesce(({same}), %s) AS same) AS head "
        f"LEFT JOIN LATERAL (SELECT true, answer.* FROM ({asked}) AS answer) AS found ON true"
    )
    is_unmade = mark.changes == 0 and head.seq == 0
    seen = mark.changes, head.seq, head.hash, head.views, project, is_unmade
    return statement, (*seen, *values)


def storing(names: Names, project: str, mark: Mark) -> Statement:
    """Store where the project's journal now ends."""
    statement = (
        f"UPDATE {names.heads} SET seq = %s, tick = %s, hash = %s, clock = %s, views = %s, "
        "changes = %s WHERE project = %s"
    )
    head = mark.head
    values = head.seq, head.tick, head.hash, head.clock, head.views, mark.changes, project
    return statement, values


def moving(names: Names, project: str, before: Mark, after: Mark) -> tuple[Statement, str]:
    """Store where the journal now ends if it ended there before; and what fails if it did not.

    The second is to be the last of a statement whose first part is the first: this is asked, and
    the lock taken, before any other part is done.
    """
    stored, values = storing(names, project, after)
    head = before.head
    same = "changes = %s AND seq = %s AND hash = %s AND views = %s"
    seen = before.changes, head.seq, head.hash, head.views
    moved = f"{stored} AND {same} RETURNING 1", (*values, *seen)
    return moved, f"SELECT ln(count(*)) FROM {FIRST_PART}"


def _found(asked: Asked) -> Mark | None:
    row = asked.fetchone()
    if row is None:
        return None
    *head, changes = row
    return Mark(changes, Head(*head))
