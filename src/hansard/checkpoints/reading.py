"""Reads checkpoints: rows, contexts, and the newest sound one."""

from collections.abc import Iterable, Mapping
from typing import Any

import orjson

from hansard.checkpoints.contract import CheckpointNotFound
from hansard.checkpoints.copies import read_either
from hansard.checkpoints.omitted_keys import LeftOut
from hansard.checkpoints.views import CHECKPOINTS, CONTEXTS, NO_CONTEXT
from hansard.kernel import paging
from hansard.kernel.blob import Digest
from hansard.kernel.engine import ReadTx, Row, Where
from hansard.kernel.limits import INLINE_BLOB_BYTES_MAX
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
    context: dict[str, Any] = orjson.loads(read_either(tx, row["context"], row["spare"]))
    return context


def state_of(tx: ReadTx, session: str) -> Row:
    """Read what a session's next save needs to know."""
    return tx.get(CONTEXTS, session) or NO_CONTEXT


def left_out_of(tx: ReadTx, session: str | None) -> dict[str, LeftOut]:
    """Name the checkpoints that a session was given only in part, and what it was not given."""
    given = state_of(tx, session)["given"] if session else {}
    return {one: LeftOut(left["lists"], tuple(left["keys"])) for one, left in given.items()}


def newest(tx: ReadTx, session: str) -> Row | None:
    """Read the row of a session's latest checkpoint."""
    found = tx.scan(CHECKPOINTS, {"session": session}, order="number", descending=True, limit=1)
    return found[0].row if found else None


def looked_at(tx: ReadTx, session: str) -> Row | None:
    """Read the row of what a session last saved or loaded, or of the newest if that is gone."""
    named = state_of(tx, session)["looked_at"]
    return (tx.get(CHECKPOINTS, named) if named else None) or newest(tx, session)


def newest_sound(tx: ReadTx, session: str | None) -> tuple[Row, dict[str, Any], str | None]:
    """Load the newest checkpoint whose content is whole, with a warning if some are not.

    Of a session, or of the whole project.
    """
    damaged: list[str] = []
    where: Where = {} if session is None else {"session": session}
    # Both order checkpoints as they were saved, and have an index.
    order = "seq" if session is None else "number"
    for found in paging.rows(tx, CHECKPOINTS, where, order=order, descending=True, first=PAGE):
        try:
            return found.row, context_of(tx, found.row), _warning(damaged, found.key)
        except BlobDamaged:
            damaged.append(found.key)
    whose = "This project" if session is None else f"Session {session}"
    if damaged:
        raise BlobDamaged(f"{whose} has no checkpoint that is sound", checkpoints=damaged)
    raise CheckpointNotFound(f"{whose} has no checkpoint", sessionId=session)


def paths_of(tx: ReadTx, rows: Iterable[Row]) -> dict[Digest, str]:
    """Say where in the store those contexts lie that have files of their own."""
    large = {Digest(row["context"]) for row in rows if row["size_bytes"] > INLINE_BLOB_BYTES_MAX}
    kept = tx.kept(large) if large else {}
    return {digest: one.path for digest, one in kept.items() if one.path}


def metadata_of(row: Row, paths: Mapping[Digest, str]) -> dict[str, Any]:
    """Show what is known of a checkpoint besides its content."""
    digest = Digest(row["context"])
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
        "blobPath": paths.get(digest),
        "seq": row["seq"],
        "tick": row["tick"],
    }
    return {key: value for key, value in shown.items() if value not in (None, [], {})}


def _warning(damaged: list[str], instead: str) -> str | None:
    if not damaged:
        return None
    return f"{', '.join(damaged)} cannot be read (damaged); {instead} was loaded instead."
