"""Detects a connection pooler, and whether it pools by transaction.

A LISTEN belongs to one server process. A pooler that assigns another process to each transaction
silently loses it, so Hansard does not rely on it there.
"""

from contextlib import closing

from hansard.engines.postgres.connections import Connection, Connector, backend_of

LOOKS = 10
"""How many times to check whether two connections are given the same process."""


def is_lent_by_transaction(connector: Connector, connection: Connection) -> bool:
    """Whether a pooler assigns a server process for each transaction."""
    if not connector.is_pooled:
        return False
    with closing(connector.connect()) as other:
        return any(_is_shared(connection, other) for _ in range(LOOKS))


def _is_shared(connection: Connection, other: Connection) -> bool:
    """Whether a process that has just answered us now serves somebody else."""
    ours = backend_of(connection)
    other.execute("BEGIN")
    try:
        return backend_of(other) == ours
    finally:
        other.execute("ROLLBACK")
