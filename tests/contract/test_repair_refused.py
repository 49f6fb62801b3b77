"""The one refusal that only a store beyond repair can give."""

from pathlib import Path

import pytest

from hansard.app.keeping.repair import RepairFailed, salvage
from tests.app import kept
from tests.app.damage import Damaged
from tests.conftest import a_caller


@pytest.mark.holds("ALL-06.11")
def test_a_repair_that_cannot_succeed_says_so_and_changes_nothing(tmp_path: Path) -> None:
    store = Damaged(tmp_path / "store")
    with store.opened() as app:
        told = {"title": "Kept elsewhere", "content": "c" * 3_000}
        app.call("entity_create", {"type": "textDocument", "data": told}, a_caller())
    store.sql("DELETE FROM blobs")
    before = store.sql("SELECT * FROM journal")

    with pytest.raises(RepairFailed) as refused:
        salvage(store.folder, None, open_store=kept.open_store, stamp=kept.PERSON)

    assert refused.value.code == "REPAIR_FAILED"
    assert store.sql("SELECT * FROM journal") == before
    assert [path.name for path in tmp_path.iterdir()] == ["store"]
