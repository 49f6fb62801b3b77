"""Several pieces of work in one transaction; each can fail alone."""

from collections.abc import Sequence
from typing import Any

import apsw

from hansard.engines.group_commit import Job
from hansard.engines.sqlite.errors import DATABASE_TROUBLE, told

Tried = tuple[Job[apsw.Connection], tuple[Any, BaseException | None]]
"""A job, and its result or its failure."""


def transact(connection: apsw.Connection, batch: Sequence[Job[apsw.Connection]]) -> list[Tried]:
    """Run jobs in one transaction and commit it; returns each that was begun, and how it went."""
    try:
        connection.execute("BEGIN IMMEDIATE")
        begun = [job for job in batch if job.begin()]
        results = [(job, _try(connection, job, is_alone=len(begun) == 1)) for job in begun]
        # If all were undone there is nothing to sync, and nothing to notify of.
        done = any(failure is None for _, (_, failure) in results)
        connection.execute("COMMIT" if done else "ROLLBACK")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
    return results


def _try(
    connection: apsw.Connection, job: Job[apsw.Connection], *, is_alone: bool
) -> tuple[Any, BaseException | None]:
    """Run one job so that its failure undoes only itself; returns its result or its failure.

    A single job is undone with the transaction. After a savepoint SQLite copies each changed page,
    and from the sixteenth on into a temporary file.
    """
    if not is_alone:
        connection.execute("SAVEPOINT job")
    try:
        result = job.work(connection)
    except DATABASE_TROUBLE:
        raise  # the whole batch fails: the database itself is in trouble
    except BaseException as error:  # noqa: BLE001 - the waiting caller raises it again
        if not is_alone:
            connection.execute("ROLLBACK TO job")
            connection.execute("RELEASE job")
        return None, told(error)
    if not is_alone:
        connection.execute("RELEASE job")
    return result, None
