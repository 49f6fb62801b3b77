"""How an answer that shows some records leads to the rest."""

import json

from hansard.kernel.cursor import Listing, to_cursor
from hansard.kernel.engine import Position, ReadTx, Row
from hansard.records.contract import ListRecords
from hansard.records.shapes import Json


def onwards(
    tx: ReadTx, asked: Json, last: Row | None, *, as_of: int | None = None
) -> tuple[str | None, str]:
    """Give the cursor of a list after the last record that is shown, and the call that uses it."""
    cursor = None
    if last is not None:
        listing = Listing("list_records", tx.project, ListRecords.model_validate(asked))
        cursor = listing.cursor(to_cursor(Position(last["path"], last["id"])))
    given = asked | ({"cursor": cursor} if cursor else {})
    when = {"as_of": f"s:{as_of}"} if as_of is not None else {}
    return cursor, f"list_records {json.dumps(given | when)}"
