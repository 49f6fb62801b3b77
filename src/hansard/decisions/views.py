"""The current state of decisions: what is active, what led to it, and what it cites."""

from collections.abc import Iterable, Sequence

from hansard.decisions import limits
from hansard.decisions.events import (
    DecisionMade,
    DecisionRecorded,
    DecisionSuperseded,
    ProposalAccepted,
    ProposalEdited,
    ProposalMade,
    ProposalRejected,
    ProposalStated,
    Statement,
)
from hansard.decisions.reasons import unpack
from hansard.decisions.tables import (
    ACTIVE,
    CHAINS,
    DECISION_PREFIX,
    DECISIONS,
    DRAFTS,
    PROPOSAL_PREFIX,
    TURNED_DOWN,
    VERSION,
    WORDS,
)
from hansard.decisions.targets import anchor, glob_of, target_key
from hansard.kernel.engine import Row
from hansard.kernel.ids import taken
from hansard.kernel.meaning import Passage, Passages, ReadContent
from hansard.kernel.view import Derivation, View


def _made(event: DecisionMade, derivation: Derivation) -> None:
    taken(derivation, DECISION_PREFIX, event.id)
    old = [_row(derivation, identifier) for identifier in event.supersedes]
    actor = derivation.entry.actor
    row = _stated(event, derivation) | {
        "kind": "decision",
        "status": "active",
        "superseded_by": None,
        "chain": _join(derivation, event.id, [before["chain"] for before in old]),
        "generation": 1 + max((before["generation"] for before in old), default=0),
        # Once a person has had a say in a chain, agents can only propose to change it.
        "of_human": actor.kind == "human" or any(before["of_human"] for before in old),
    }
    if isinstance(event, ProposalAccepted):
        row |= {"author": event.author, "accepted_by": str(actor)}
        row |= {"proposal_id": event.proposal_id}
        _accepted(derivation, event)
    for before in old:
        changed = {"status": "superseded", "superseded_by": event.id}
        derivation.put(DECISIONS, before["id"], before | changed)
        _free(derivation, before)
    if _is_a_persons(derivation) or isinstance(event, ProposalAccepted):
        for key in {row["target_key"], *(before["target_key"] for before in old)}:
            derivation.delete(TURNED_DOWN, key)
    derivation.put(DECISIONS, event.id, row)
    _hold(derivation, row)
    _index(derivation, event)


def _free(derivation: Derivation, gone: Row) -> None:
    """Free the target of a decision that is no longer active.

    Journals from before look-alikes counted as the same may have two that are active on one target:
    the last one holds it, and then the other.
    """
    key = gone["target_key"]
    holding = derivation.get(ACTIVE, key)
    assert holding is not None, f"{gone['id']} was active and held nothing"
    others = [one for one in [*holding["under"], holding["decision"]] if one != gone["id"]]
    if others:
        last = _row(derivation, others[-1])
        derivation.put(ACTIVE, key, _holding(last) | {"under": others[:-1]})
    else:
        derivation.delete(ACTIVE, key)


def _hold(derivation: Derivation, row: Row) -> None:
    """Give a decision its target, over one that older entries have left active there."""
    before = derivation.get(ACTIVE, row["target_key"])
    under = [*before["under"], before["decision"]] if before else []
    derivation.put(ACTIVE, row["target_key"], _holding(row) | {"under": under})


def _is_a_persons(derivation: Derivation) -> bool:
    """Whether a person, or an admin, did it."""
    actor = derivation.entry.actor
    return actor.kind == "human" or actor.may("admin")


def _accepted(derivation: Derivation, event: ProposalAccepted) -> None:
    proposal = _row(derivation, event.proposal_id)
    became = {"status": "accepted", "decision_id": event.id}
    derivation.put(DECISIONS, event.proposal_id, proposal | became)
    derivation.delete(DRAFTS, proposal["fingerprint"])


def _proposed(event: ProposalMade, derivation: Derivation) -> None:
    taken(derivation, PROPOSAL_PREFIX, event.id)
    draft = {"of_human": derivation.entry.actor.kind == "human"}
    _draft(event, derivation, _stated(event, derivation) | draft)


def _edited(event: ProposalEdited, derivation: Derivation) -> None:
    before = _row(derivation, event.id)
    derivation.delete(DRAFTS, before["fingerprint"])
    # Its proposer and the time stay.
    kept = {name: before[name] for name in ("author", "of_human", "proof", "at", "seq", "session")}
    _draft(event, derivation, _stated(event, derivation) | kept)


def _draft(event: ProposalStated, derivation: Derivation, row: Row) -> None:
    row |= {
        "kind": "proposal",
        "status": "proposed",
        "fingerprint": event.fingerprint,
        "last_edit": derivation.entry.clock,
    }
    derivation.put(DECISIONS, event.id, row)
    derivation.put(DRAFTS, event.fingerprint, {"proposal": event.id, "is_rejected": False})
    _index(derivation, event)


def _rejected(event: ProposalRejected, derivation: Derivation) -> None:
    row = _row(derivation, event.id)
    derivation.put(DECISIONS, event.id, row | {"status": "rejected", "reason": event.reason})
    tombstone = {"proposal": event.id, "is_rejected": True}
    derivation.put(DRAFTS, row["fingerprint"], tombstone)
    if _is_a_persons(derivation):
        derivation.put(TURNED_DOWN, row["target_key"], {"proposal": event.id})


def _stated(event: Statement, derivation: Derivation) -> Row:
    entry = derivation.entry
    return event.model_dump(mode="json", exclude={"fingerprint"}) | {
        "target_key": target_key(event.target),
        "author": str(entry.actor),
        "at": entry.at,
        "seq": entry.seq,
        "session": entry.session,
    }


def _join(derivation: Derivation, head: str, chains: Sequence[str]) -> str:
    """Make `head` the head of these chains, which become one; returns the chain it is part of."""
    if not chains:
        derivation.put(CHAINS, head, {"root": head, "head": head, "size": 1})
        return head
    roots = {root["root"]: root for root in (_root(derivation, chain) for chain in chains)}
    largest = max(roots.values(), key=lambda root: (root["size"], root["root"]))
    for root in roots:
        if root != largest["root"]:
            _point(derivation, root, largest["root"])
    size = sum(root["size"] for root in roots.values())
    derivation.put(CHAINS, largest["root"], largest | {"head": head, "size": size})
    return str(largest["root"])


def _root(derivation: Derivation, chain: str) -> Row:
    row = derivation.get(CHAINS, chain)
    assert row is not None, f"{chain} began no chain"
    root = derivation.get(CHAINS, row["root"])
    assert root is not None, f"{row['root']} began no chain"
    return root


def _point(derivation: Derivation, root: str, new_root: str) -> None:
    for found in derivation.each(CHAINS, {"root": root}, limit=limits.CHAINS_PAGE):
        derivation.put(CHAINS, found.key, found.row | {"root": new_root})


def _holding(row: Row) -> Row:
    glob = glob_of(row["target"])
    return {
        "decision": row["id"],
        "title": row["title"],
        "glob": glob,
        "anchor": None if glob is None else anchor(glob),
        "enforcement": row["enforcement"],
    }


def _index(derivation: Derivation, event: Statement) -> None:
    texts = {
        "title": event.title,
        "target": event.target,
        "reasons": unpack(derivation.content(event.reasons)).text(),
        "labels": " ".join([event.id, *event.cites]),
    }
    derivation.index(WORDS, event.id, texts)


def _row(derivation: Derivation, identifier: str) -> Row:
    row = derivation.get(DECISIONS, identifier)
    assert row is not None, f"something happened to {identifier}, which was never stated"
    return row


VIEW = View(
    "decisions",
    VERSION,
    (DECISIONS, CHAINS, ACTIVE, DRAFTS, TURNED_DOWN),
    on={
        DecisionRecorded: _made,
        DecisionSuperseded: _made,
        ProposalAccepted: _made,
        ProposalMade: _proposed,
        ProposalEdited: _edited,
        ProposalRejected: _rejected,
    },
    topics=(WORDS,),
)


def _passages(event: Statement, read: ReadContent) -> Iterable[Passage]:
    reasons = unpack(read(event.reasons)).text()
    text = f"{event.title}\n{event.target}\n{reasons}"
    yield Passage(WORDS.name, event.id, text, head=event.title)


PASSAGES: Passages = dict.fromkeys(
    (DecisionRecorded, DecisionSuperseded, ProposalAccepted, ProposalMade, ProposalEdited),
    _passages,
)
"""The texts by which decisions and proposals are found by meaning."""
