"""Reads decisions: by id, by target, and by the end of their chain."""

from collections.abc import Iterable, Iterator

from hansard.decisions.contract import DecisionNotFound, ProposalNotFound
from hansard.decisions.reasons import Reasons, unpack
from hansard.decisions.tables import ACTIVE, CHAINS, DECISIONS, DRAFTS, TURNED_DOWN
from hansard.decisions.targets import target_key
from hansard.kernel import paging
from hansard.kernel.blob import Digest
from hansard.kernel.content import content
from hansard.kernel.engine import ReadTx, Row
from hansard.sessions import citations

BlastRadius = dict[str, list[str]]
"""What cites a decision, by kind: `{"records": ["R001"], "files": ["src/a.py"]}`."""


def stated(tx: ReadTx, identifier: str, *, as_of: int | None = None) -> Row:
    """Read a decision or a proposal, or refuse."""
    row = tx.get(DECISIONS, identifier, as_of=as_of)
    if row is None:
        when = "" if as_of is None else " at that point"
        raise DecisionNotFound(
            f"There is no decision {identifier[:100]}{when}", id=identifier[:100]
        )
    return row


def decision(tx: ReadTx, identifier: str) -> Row:
    """Read a decision, or refuse; a proposal is not one yet."""
    row = stated(tx, identifier)
    if row["kind"] != "decision":
        raise DecisionNotFound(f"{identifier} is a proposal, not a decision", id=identifier)
    return row


def proposal(tx: ReadTx, identifier: str) -> Row:
    """Read a proposal, or refuse."""
    row = tx.get(DECISIONS, identifier)
    if row is None or row["kind"] != "proposal":
        raise ProposalNotFound(f"There is no proposal {identifier[:100]}", id=identifier[:100])
    return row


def holder(tx: ReadTx, target: str) -> Row | None:
    """Read the active decision about a target."""
    row = tx.get(ACTIVE, target_key(target))
    return stated(tx, row["decision"]) if row else None


def draft(tx: ReadTx, fingerprint: str) -> Row | None:
    """Read the proposal that says just this, if it is open or was rejected."""
    row = tx.get(DRAFTS, fingerprint)
    return stated(tx, row["proposal"]) if row else None


def turned_down(tx: ReadTx, target: str) -> Row | None:
    """Read the proposal about a target that a person rejected, if none has decided it since."""
    row = tx.get(TURNED_DOWN, target_key(target))
    return stated(tx, row["proposal"]) if row else None


def end(tx: ReadTx, row: Row, *, as_of: int | None = None) -> Row:
    """Read the end of a chain, in constant steps: an active decision, or a proposal."""
    if row["kind"] == "proposal":
        if row["status"] != "accepted":
            return row
        row = stated(tx, row["decision_id"], as_of=as_of)
    return row if row["status"] == "active" else stated(tx, head(tx, row, as_of=as_of), as_of=as_of)


def head(tx: ReadTx, row: Row, *, as_of: int | None = None) -> str:
    """Give the id of the last decision of a decision's chain."""
    chain = tx.get(CHAINS, row["chain"], as_of=as_of)
    assert chain is not None, f"{row['id']} is of no chain"
    root = tx.get(CHAINS, chain["root"], as_of=as_of)
    assert root is not None, f"{chain['root']} began no chain"
    return str(root["head"])


def reasons(tx: ReadTx, row: Row) -> Reasons:
    """Read why."""
    return unpack(content(tx, Digest(row["reasons"])))


def prefetch_reasons(tx: ReadTx, identifiers: Iterable[str]) -> None:
    """Fetch several decisions or proposals with their reasons, all together."""
    tx.prefetch(*(lambda one=one: reasons(tx, stated(tx, one)) for one in identifiers))


def citing_decisions(tx: ReadTx, identifier: str) -> BlastRadius:
    """Name the decisions and proposals that cite something."""
    citing = (row["by"] for row in citations.citing(tx, identifier) if row["kind"] == "decisions")
    return {"decisions": [by for by in citing if still_cites(tx, by, identifier)]}


def still_cites(tx: ReadTx, by: str, identifier: str) -> bool:
    """Whether a decision or proposal still cites something: a draft can be edited."""
    return identifier in stated(tx, by)["cites"]


def merged(radii: Iterable[BlastRadius]) -> BlastRadius:
    """Merge what cites several decisions, each thing once."""
    whole: dict[str, dict[str, None]] = {}
    for radius in radii:
        for kind, names in radius.items():
            whole.setdefault(kind, {}).update(dict.fromkeys(names))
    return {kind: list(names) for kind, names in whole.items() if names}


def newest(tx: ReadTx, where: dict[str, str], *, page: int) -> Iterator[Row]:
    """Iterate over decisions or proposals, the newest first."""
    found = paging.rows(tx, DECISIONS, where, order="seq", descending=True, first=page)
    return (one.row for one in found)
