"""Heads: where each project's journal ends, and the lock that all its writers need."""

from hansard.engines.postgres.connections import Connection
from hansard.engines.postgres.hot_rows import Mark
from hansard.engines.postgres.schema import Names
from hansard.kernel.event import Head, genesis

Marked = tuple[Head, Mark]
"""A head, and the mark by which one knows that nothing has changed."""


def find_head(connection: Connection, names: Names, project: str) -> Marked:
    """Read a project's head; that of one that is not there is where all begin."""
    return _found(connection, names, project) or _marked(genesis(project), 0)


def lock_head(connection: Connection, names: Names, project: str) -> Marked:
    """Take the project's lock, which is its head's row, and make that row if there is none."""
    found = _found(connection, names, project, locked=True)
    if found is None:
        first = genesis(project)
        # Whoever else is inserting it now is waited for; then there is nothing left to do.
        connection.execute(
            f"INSERT INTO {names.heads} VALUES (%s, %s, %s, %s, %s, %s) "
            "ON CONFLICT DO NOTHING".encode(),
            (project, first.seq, first.tick, first.hash, first.clock, first.views),
        )
        found = _found(connection, names, project, locked=True)
        assert found is not None, "a head that was just inserted is there"
    return found


def store_head(connection: Connection, names: Names, project: str, marked: Marked) -> None:
    """Store where the project's journal now ends."""
    head, mark = marked
    connection.execute(
        f"UPDATE {names.heads} SET seq = %s, tick = %s, hash = %s, clock = %s, views = %s, "
        "changes = %s WHERE project = %s".encode(),
        (head.seq, head.tick, head.hash, head.clock, head.views, mark.changes, project),
    )


def moved(head: Head, before: Mark) -> Marked:
    """Give a head that was changed, under the mark that follows the one before."""
    return _marked(head, before.changes + 1)


def _found(
    connection: Connection, names: Names, project: str, *, locked: bool = False
) -> Marked | None:
    row = connection.execute(
        f"SELECT seq, tick, hash, clock, views, changes FROM {names.heads} WHERE project = %s"
        f"{' FOR UPDATE' if locked else ''}".encode(),
        (project,),
    ).fetchone()
    if row is None:
        return None
    *head, changes = row
    return _marked(Head(*head), changes)


def _marked(head: Head, changes: int) -> Marked:
    return head, Mark(changes, head.seq, head.hash, head.views)
