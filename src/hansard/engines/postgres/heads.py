"""Heads: where each journal ends, and the row lock that all its writers take."""

from collections.abc import Collection
from dataclasses import astuple
from typing import Any

import psycopg

from hansard.engines.postgres.connections import Connection
from hansard.engines.postgres.row_cache import Mark
from hansard.engines.postgres.schema import Names
from hansard.engines.postgres.write_buffer import Statement
from hansard.kernel.event import Head, genesis

Asked = psycopg.Cursor[tuple[Any, ...]]
"""What has been asked and may not be answered yet."""

Marked = tuple[Head, Mark]
"""A head, and the mark by which one knows that nothing has changed."""


def ask_head(connection: Connection, names: Names, project: str, *, lock: bool = False) -> Asked:
    """Ask for a project's head, and for its lock; who has begun a pipeline hears when it ends."""
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


def found_heads(asked: Asked, projects: Collection[str]) -> dict[str, Marked]:
    """Give the heads that were asked for; those that are not there are where all begin."""
    found = {project: _marked(genesis(project), 0) for project in projects}
    return found | {project: _marked(Head(*head), last) for project, *head, last in asked}


def found_head(asked: Asked, project: str) -> Marked:
    """Give the head that was asked for; that of one that is not there is where all begin."""
    return _found(asked) or _marked(genesis(project), 0)


def locked_head(connection: Connection, names: Names, project: str, asked: Asked) -> Marked:
    """Give the head whose lock was asked for, and make its row if there is none."""
    found = _found(asked)
    if found is None:
        first = genesis(project)
        # Whoever else is inserting it now is waited for; then there is nothing left to do.
        connection.execute(
            f"INSERT INTO {names.heads} VALUES (%s, %s, %s, %s, %s, %s) "
            "ON CONFLICT DO NOTHING".encode(),
            (project, first.seq, first.tick, first.hash, first.clock, first.views),
        )
        found = _found(ask_head(connection, names, project, lock=True))
        assert found is not None, "a head that was just inserted is there"
    return found


def storing(names: Names, project: str, marked: Marked) -> Statement:
    """Store where the project's journal now ends."""
    head, mark = marked
    statement = (
        f"UPDATE {names.heads} SET seq = %s, tick = %s, hash = %s, clock = %s, views = %s, "
        "changes = %s WHERE project = %s"
    )
    return statement, (*astuple(head), mark.changes, project)


def moved(head: Head, before: Mark) -> Marked:
    """Give a head that was changed, under the mark that follows the one before."""
    return _marked(head, before.changes + 1)


def _found(asked: Asked) -> Marked | None:
    row = asked.fetchone()
    if row is None:
        return None
    *head, changes = row
    return _marked(Head(*head), changes)


def _marked(head: Head, changes: int) -> Marked:
    return head, Mark(changes, head.seq, head.hash, head.views)
