"""A store in PostgreSQL of the layout before partitions is opened, proved, and written to.

`postgres-layout-3` is the dump of one that a program of that layout wrote, with `fill` of
`make_store.py`, and what it answered then.
"""

import lzma
from contextlib import closing
from pathlib import Path
from typing import Any

import orjson
import psycopg
import pytest

from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.app.verify import verify
from hansard.engines.postgres.schema import UNDIVIDED
from hansard.kernel.blob import Digest
from hansard.kernel.event import Receipt
from tests.conftest import a_caller
from tests.formats import make_store
from tests.formats.make_store import answers, found
from tests.formats.test_formats_kept import FIXTURE_BYTES_MAX, holds, write_some

pytestmark = pytest.mark.postgres

DUMP = make_store.KEPT / f"postgres-layout-{UNDIVIDED}"
EXPECTED: dict[str, Any] = orjson.loads((DUMP / "answers.json").read_bytes())
RECEIPTS = [Receipt(seq, Digest(hashed)) for seq, hashed in EXPECTED["heads"].values()]

DIVIDED = "SELECT count(*) FROM pg_class WHERE relkind = 'p'"


@pytest.fixture
def url(postgres_url: str, postgres_namespace: str) -> str:
    """Give a database into which the dump was read."""
    name = f"of_{postgres_namespace}"
    with closing(psycopg.connect(postgres_url, autocommit=True)) as admin:
        admin.execute(f"CREATE DATABASE {name}".encode())
    made = postgres_url.replace("/postgres?", f"/{name}?")
    with closing(psycopg.connect(made, autocommit=True)) as connection:
        connection.execute(lzma.decompress((DUMP / "store.sql.xz").read_bytes()))
    return made


def settings(url: str, folder: Path) -> Settings:
    return Settings(store=url, workspace=str(folder), embedder="none")


def test_the_dump_is_small() -> None:
    assert sum(path.stat().st_size for path in DUMP.iterdir()) < FIXTURE_BYTES_MAX


def test_a_store_of_the_layout_before_is_opened_and_proved(url: str, tmp_path: Path) -> None:
    with closing(start(settings(url, tmp_path))) as app:
        at_first = verify(app.store, quick=True, receipts=RECEIPTS)
        differing = [
            name
            for (name, _), now, then in zip(
                make_store.ANSWERS, answers(app), EXPECTED["answers"], strict=True
            )
            if not holds(now, then)
        ]
        found_now = found(app)
        upgraded = verify(app.store, receipts=RECEIPTS)

    assert (at_first.exit_code, at_first.findings) == (0, ())
    assert differing == []
    assert found_now == EXPECTED["found"]
    assert (upgraded.exit_code, upgraded.findings) == (0, ())


def test_a_store_of_the_layout_before_goes_on_and_stays_as_it_is(url: str, tmp_path: Path) -> None:
    with closing(start(settings(url, tmp_path))) as app:
        write_some(app)
        # Each project's views are derived by the first look at it.
        app.call("list_projects", {}, a_caller())
    with closing(start(settings(url, tmp_path))) as app:
        report = verify(app.store, receipts=RECEIPTS)

    assert (report.exit_code, report.findings) == (0, ())
    with closing(psycopg.connect(url)) as connection:
        assert connection.execute("SELECT number FROM hansard.hansard_format").fetchall() == [
            (UNDIVIDED,)
        ]
        assert connection.execute(DIVIDED.encode()).fetchone() == (0,)
