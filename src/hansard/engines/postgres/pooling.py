"""Poolers between us and the server, and why one that lends by the transaction cannot be used.

Locks, what is listened to and settings belong to a process of the server. A pooler that gives each
of our transactions another of those processes takes them away from us without a word.
"""

from contextlib import closing

from hansard.engines.postgres.connections import Connection, Connector, backend_of
from hansard.kernel.problem import StorageUnavailable

LOOKS = 10
"""How often it is looked whether two connections are given the same process."""


def require_own_process(connector: Connector, connection: Connection) -> None:
    """Refuse a pooler that gives a process of the server to whoever has a transaction just now."""
    if connection.info.backend_pid == backend_of(connection):
        return  # Whom we reached is who answers: nobody stands between.
    with closing(connector.connect()) as other:
        if any(_is_shared(connection, other) for _ in range(LOOKS)):
            raise StorageUnavailable(
                "This PostgreSQL address is a connection pooler in transaction mode, which takes "
                "away the locks that Hansard holds",
                hint="Set `store` to the server's own address, or to a pool in session mode",
            )


def _is_shared(connection: Connection, other: Connection) -> bool:
    """Whether a process that has just answered us is now somebody else's."""
    ours = backend_of(connection)
    other.execute("BEGIN")
    try:
        return backend_of(other) == ours
    finally:
        other.execute("ROLLBACK")
