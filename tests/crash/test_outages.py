"""The database is gone for longer than leases last, in the middle of a change to a file."""

import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psycopg
import pytest

from hansard.app.verify import verify
from hansard.engines.postgres import lease_service
from hansard.recorder.events import FileOpDone
from tests.crash.cutting import EFFECTS, a_pair, outcomes, points_of, prepared, struck_at
from tests.patience import wait_until
from tests.postgres_pair import postgres_pair

LEASE_S = 1.0

EDIT = next(effect for effect in EFFECTS if effect.name == "edit")


@pytest.mark.postgres
@pytest.mark.fault("database away")
@pytest.mark.slow("stops and starts a database server")
def test_whoever_changes_a_file_while_the_database_is_gone_is_not_taken_for_dead(
    files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lease_service, "PAUSE_S", LEASE_S / 2)
    with (
        postgres_pair() as servers,
        ExitStack() as returned,
        a_pair(servers.url, files, lease_s=LEASE_S) as pair,
        psycopg.connect(servers.url, autocommit=True) as admin,
    ):
        renaming = points_of(pair, EDIT).index("rename") + 1
        caller, (name, arguments) = prepared(pair, EDIT, "away")
        wait_until(lambda: has_served(admin))

        def strike(_: object) -> None:
            # Nothing is renewed between the server's return and the other's look.
            with pair.renewing_nothing():
                servers.lose(0)
                time.sleep(1.5 * LEASE_S)
                returned.enter_context(servers.returning(0))
                pair.settle()

        with struck_at(renaming, strike):
            answer = pair.first.call(name, arguments, caller).model_dump()

        assert [one["status"] for one in answer["results"]] == ["done"]
        assert outcomes(pair) == [FileOpDone.kind]
        assert verify(pair.second.store).findings == ()


def has_served(admin: psycopg.Connection[Any]) -> bool:
    """Whether the server counts as having answered for longer than a lease lasts."""
    length = f"interval '{1.2 * LEASE_S} s'"
    rows = admin.execute(f"SELECT last - since > {length} FROM hansard.lease_service".encode())
    return rows.fetchall() == [(True,)]
