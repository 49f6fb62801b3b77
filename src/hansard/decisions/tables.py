"""The tables of decisions, and their search topic."""

from hansard.kernel.engine import Table, Topic

VERSION = 4
DECISION_PREFIX = "D"
PROPOSAL_PREFIX = "P"

DECISIONS = Table(
    "decisions",
    {"kind": "text", "status": "text", "seq": "integer", "target_key": "text"},
    (("seq",), ("kind", "seq"), ("kind", "status", "seq"), ("target_key", "seq")),
    history=True,
    version=VERSION,
)
"""By id: decisions and proposals, with what became of them."""

CHAINS = Table("decision_chains", {"root": "text"}, (("root",),), history=True, version=VERSION)
"""By the id of its first decision: a chain, the chain that it is part of, and that one's head.

Every decision keeps the chain it was made in. A merge joins chains by pointing the smaller ones to
the largest, chain by chain and never decision by decision. So a head is two lookups away from any
decision, whatever came before or after it.
"""

ACTIVE = Table("decision_targets", {"anchor": "text"}, (("anchor",),), version=VERSION)
"""By the key of a target: the active decision about it. `anchor` only where that is about files."""

DRAFTS = Table("decision_drafts", version=VERSION)
"""By fingerprint: the proposal that says this, open or rejected."""

TURNED_DOWN = Table("decision_refusals", version=VERSION)
"""By the key of a target: the proposal that a person rejected, until a person decides."""

WORDS = Topic("decisions", DECISIONS, {"title": 3.0, "target": 2.0, "reasons": 1.0, "labels": 1.0})
"""`labels` are the id and what is cited."""
