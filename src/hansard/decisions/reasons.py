"""The rationale and consequences of a decision, stored together as one blob."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import orjson

from hansard.kernel.blob import Blob, canonical_json, seal


@dataclass(frozen=True, slots=True)
class Reasons:
    """The texts of a decision besides its title."""

    rationale: str
    consequences: Sequence[str] = field(default_factory=tuple)

    def text(self) -> str:
        """Give all of it, for searches and previews."""
        return "\n".join([self.rationale, *self.consequences])


def pack(reasons: Reasons) -> Blob:
    """Make the blob that an event names."""
    stated = {"rationale": reasons.rationale, "consequences": list(reasons.consequences)}
    return seal(canonical_json(stated))


def unpack(content: bytes) -> Reasons:
    """Read what a blob holds."""
    stated = orjson.loads(content)
    return Reasons(stated["rationale"], tuple(stated["consequences"]))
