"""Dropping tables and writing them anew, one after the other, each closed to everybody meanwhile.

A table is closed only when nobody uses it. A request for that waits for those who use it, and all
later ones wait behind it. So it is made in short tries, between which the others get through.
"""

import time
from collections.abc import Collection
from contextlib import closing

from psycopg import errors

from hansard.engines.postgres.connections import Connection, Connector
from hansard.engines.postgres.schema import Names, stored_tables

TRY_S = 0.5
"""How long one try waits for a table: nobody waits longer for a table that is still open."""


def scrub(
    connector: Connector,
    names: Names,
    dropping: Collection[str],
    *,
    gently: bool,
    patience_s: float,
) -> None:
    """Drop tables and, unless gently, write every other one anew; wait so long for each."""
    try_ms = int(min(TRY_S, patience_s) * 1000)
    with closing(connector.connect(lock_timeout=f"{try_ms}ms")) as connection:
        for name in dropping:
            drop = f"DROP TABLE IF EXISTS {names.qualified(name)}"
            _run_by_tries(connection, drop, patience_s)
        for name in [] if gently else stored_tables(connection, names):
            _run_by_tries(connection, f"VACUUM (FULL) {names.qualified(name)}", patience_s)


def _run_by_tries(connection: Connection, statement: str, patience_s: float) -> None:
    until = time.monotonic() + patience_s
    while True:
        try:
            connection.execute(statement.encode())
        except errors.LockNotAvailable:
            if time.monotonic() > until:
                raise
        else:
            return
        time.sleep(TRY_S)
