"""Reading checkpoints back: rows, contexts, and the newest one that is sound."""

from typing import Any

import orjson

from hansard.checkpoints.contract import CheckpointNotFound
from hansard.checkpoints.views import CHECKPOINTS, CONTEXTS, NO_CONTEXT
from hansard.kernel.content import content
from hansard.kernel.engine import Position, ReadTx, Row
from hansard.kernel.problem import BlobDamaged

PAGE = 100


def find(tx: ReadTx, identifier: str) -> Row:
    """Read a checkpoint's row."""
    row = tx.get(CHECKPOINTS, identifier)
    if row is None:
        raise CheckpointNotFound(f"There is no checkpoint {identifier}", checkpointId=identifier)
    return row


def context_of(tx: ReadTx, row: Row) -> dict[str, Any]:
    """Read what was saved, proved against its hash."""
    context: dict[str, Any] = orjson.loads(content(tx, row["context"]))
    return context


def state_of(tx: ReadTx, session: str) -> Row:
    """Read what a session's next save needs to know."""
    return tx.get(CONTEXTS, session) or NO_CONTEXT


def newest(tx: ReadTx, session: str) -> Row | None:
    """Read the row of a session's latest checkpoint."""
    found = tx.scan(CHECKPOINTS, {"session": session}, order="number", descending=True, limit=1)
    return found[0].row if found else None


def looked_at(tx: ReadTx, session: str) -> Row | None:
    """Read the row of what a session last saved or loaded; of what is left if that is gone."""
    named = state_of(tx, session)["looked_at"]
    return (tx.get(CHECKPOINTS, named) if named else None) or newest(tx, session)


def newest_sound(tx: ReadTx, session: str) -> tuple[Row, dict[str, Any], str | None]:
    """Load a session's newest checkpoint whose content is whole, with a warning if some are not."""
    damaged: list[str] = []
    after: Position | None = None
    while page := tx.scan(
        CHECKPOINTS, {"session": session}, order="number", descending=True, after=after, limit=PAGE
    ):
        for found in page:
            try:
                return found.row, context_of(tx, found.row), _warning(damaged, found.key)
            except BlobDamaged:
                damaged.append(found.key)
        after = Position(page[-1].row["number"], page[-1].key)
    if damaged:
        raise BlobDamaged("No checkpoint of this session is sound", checkpoints=damaged)
    raise CheckpointNotFound(f"Session {session} has no checkpoint", sessionId=session)


def metadata_of(row: Row) -> dict[str, Any]:
    """Show what is known of a checkpoint besides its content."""
    digest: str = row["context"]
    shown = {
        "id": row["id"],
        "sessionId": row["session"],
        "name": row["name"],
        "tags": row["tags"],
        "classes": row["classes"],
        "cites": row["cites"],
        "extra": row["extra"],
        "agentId": row["agent"],
        "createdAt": row["at"],
        "contextHash": digest,
        "contextSizeBytes": row["size_bytes"],
        # By content, so the same in every store; what is small lies in the database instead.
        "blobPath": f"blobs/{digest[:2]}/{digest[2:]}",
        "seq": row["seq"],
        "tick": row["tick"],
    }
    return {key: value for key, value in shown.items() if value not in (None, [], {})}


def _warning(damaged: list[str], instead: str) -> str | None:
    if not damaged:
        return None
    return f"{', '.join(damaged)} cannot be read (damaged); {instead} was loaded instead."
