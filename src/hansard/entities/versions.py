"""A document's versions as a doubly linked list that deletion leaves whole."""

from hansard.entities.tables import DOCUMENTS
from hansard.kernel.engine import ReadTx, Row
from hansard.kernel.view import Derivation

SUCCESSORS_MAX = 1_000_000
"""More forks of one version than anybody makes: a view reads all of them."""


def linked_after(
    derivation: Derivation, identifier: str, previous_id: str | None, *, is_next: bool = False
) -> Row:
    """Give the links of a new version, and let the one before it lead here if it leads nowhere.

    `is_next` lets it lead here in any case: an export says so of the line that goes on.
    """
    previous = derivation.get(DOCUMENTS, previous_id) if previous_id else None
    if previous is None:
        return {"previousId": None, "nextId": None}
    if is_next or previous["nextId"] is None:
        derivation.put(DOCUMENTS, previous["id"], previous | {"nextId": identifier})
    return {"previousId": previous["id"], "nextId": None}


def unlink(derivation: Derivation, gone: Row) -> None:
    """Join what came before a version that is gone with what came after it."""
    for following in _after(derivation, gone["id"]):
        joined = following | {"previousId": gone["previousId"]}
        derivation.put(DOCUMENTS, following["id"], joined)
    if gone["previousId"] is None:
        return
    previous = derivation.get(DOCUMENTS, gone["previousId"])
    assert previous is not None, "a document leads back to one that is not there"
    if previous["nextId"] == gone["id"]:
        others = [one["id"] for one in _after(derivation, previous["id"])]
        next_id = gone["nextId"] or next(iter(others), None)
        derivation.put(DOCUMENTS, previous["id"], previous | {"nextId": next_id})


def current_of(tx: ReadTx, row: Row) -> Row:
    """Follow a version to the one that holds now."""
    while row["nextId"] is not None:
        following = tx.get(DOCUMENTS, row["nextId"])
        assert following is not None, "a document leads on to one that is not there"
        row = following
    return row


def _after(derivation: Derivation, identifier: str) -> list[Row]:
    found = derivation.scan(DOCUMENTS, {"previousId": identifier}, limit=SUCCESSORS_MAX)
    return sorted((one.row for one in found), key=lambda row: row["created_seq"])
