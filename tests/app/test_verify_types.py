"""Whatever a row of the database holds, `verify` says that it is damaged, and goes on."""

import json
from pathlib import Path

import pytest

from hansard.app import start
from hansard.app.catalog import Catalog
from hansard.app.settings import Settings
from hansard.app.verify import Report, verify
from hansard.engines.sqlite import SqliteEngine
from hansard.kernel.event import Receipt
from tests import toy
from tests.app.damage import Damaged

pytestmark = pytest.mark.fault("tampering")

ALTERED = {
    "a head's number": "UPDATE heads SET number = 12345678901 WHERE project = 'default'",
    "a head's project": "UPDATE heads SET project = x'ff00fe' WHERE project = 'default'",
    "a head's project, no text": "UPDATE heads SET project = CAST(x'ff' AS TEXT) WHERE seq > 3",
    "a head's seq, a text": "UPDATE heads SET seq = 'zz'",
    "a head's seq, bytes": "UPDATE heads SET seq = x'ff00fe'",
    "a head's seq, far away": "UPDATE heads SET seq = 12345678901",
    "a head's hash": "UPDATE heads SET hash = x'ff00fe'",
    "a head's views": "UPDATE heads SET views = x'ff00fe'",
    "an entry's tick": "UPDATE journal SET tick = 'zz'",
    "an entry's time": "UPDATE journal SET at = x'ff00fe'",
    "an entry's clock": "UPDATE journal SET clock = x'ff00fe'",
    "an entry's kind": "UPDATE journal SET kind = x'ff00fe'",
    "an entry's session": "UPDATE journal SET session = x'ff00fe'",
    "an entry's actor": "UPDATE journal SET actor = '[1]'",
    "an entry's payload, a text": "UPDATE journal SET payload = CAST(payload AS TEXT)",
    "an entry's payload, a number": "UPDATE journal SET payload = 1.5",
    "an entry's digest": "UPDATE journal SET payload_digest = x'ff00fe'",
    "an entry's hash": "UPDATE journal SET hash = x'ff00fe'",
    "a blob's content": "UPDATE blobs SET packed = 2000000000",
    "a blob's depth": "UPDATE blobs SET depth = -1",
    "a blob's digest": "UPDATE blobs SET digest = CAST(digest AS BLOB)",
    "a row's key": "UPDATE rows_project_directory_v1 SET key = x'ff00fe'",
    "a document's key": "UPDATE documents_toy_words_v1 SET key = CAST(key AS BLOB)",
    "an intent's owner": "CREATE TABLE rows_open_intents_v1(project, key, row, f_owner, "
    "f_intent_kind); INSERT INTO rows_open_intents_v1(project, key, row) "
    'VALUES(1, \'x\', \'{"seq":1,"intent_kind":"x","owner":7}\')',
}

FOREIGN = {
    "trigger": "CREATE TRIGGER theirs AFTER INSERT ON journal BEGIN DELETE FROM blobs; END",
    "view": "CREATE VIEW theirs AS SELECT 1",
    "table": "CREATE TABLE theirs(x)",
    "index": "CREATE INDEX theirs ON journal(hash)",
}


@pytest.fixture
def store(tmp_path: Path) -> Damaged:
    store = Damaged(tmp_path / "store")
    store.fill()
    return store


def look(store: Damaged) -> Report:
    """Verify as the command does, which only looks."""
    app = start.start(
        Settings(read_only=True),
        lambda _, schema: SqliteEngine(store.folder, schema, looking=True),
        known=Catalog([*start.catalog().capabilities, toy.CAPABILITY]),
    )
    try:
        return verify(app.store, receipts=[Receipt(1, store.last.hash)])
    finally:
        app.close()


@pytest.mark.parametrize("altered", ALTERED)
def test_a_row_of_other_types_is_damage_and_can_be_told(store: Damaged, altered: str) -> None:
    store.sql(ALTERED[altered])

    report = look(store)

    assert [found for found in report.findings if found.severity == "broken"]
    assert report.exit_code == 2
    assert json.dumps(report.as_dict())


@pytest.mark.parametrize("kind", FOREIGN)
def test_what_hansard_did_not_make_is_named(store: Damaged, kind: str) -> None:
    store.sql(FOREIGN[kind])

    report = look(store)

    assert [(found.check, found.message) for found in report.findings] == [
        ("database", f"The database has a {kind} that Hansard did not make: theirs")
    ]


def test_a_store_as_it_was_written_has_no_findings(store: Damaged) -> None:
    assert look(store).findings == ()
