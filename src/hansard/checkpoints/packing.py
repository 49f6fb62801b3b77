"""Packs a context as a difference from the checkpoints just before it.

Twenty checkpoints of a session in a row are a group, of which the first stands alone. Whatever a
group's checkpoints need lies in the group, or in two copies: so no damaged file harms more of a
session than one group has.
"""

from dataclasses import dataclass, replace

from hansard.checkpoints import copies, rules
from hansard.checkpoints.limits import KEYFRAME_EVERY
from hansard.checkpoints.reading import state_of
from hansard.checkpoints.views import CHECKPOINTS
from hansard.kernel.blob import Blob, Digest, digest_of, seal, seal_onto
from hansard.kernel.content import content
from hansard.kernel.engine import Range, ReadTx, Row, Where
from hansard.kernel.problem import BlobDamaged


@dataclass(frozen=True, slots=True)
class SavePlan:
    """What a save will write, and what that rests on."""

    digest: Digest
    number: int
    """Which save of its session it will be."""
    blob: Blob | None = None
    """The blob packed for it; `None` if the content is kept already."""
    spare: Digest | None = None
    mended: tuple[Blob, ...] = ()
    """Content that is kept, but can no longer be read."""
    rests_on: frozenset[Digest] = frozenset()
    """What must still be kept when the save lands."""

    def require(self, tx: ReadTx, session: str) -> None:
        """Make sure, in the transaction that saves, that all is still as it was read."""
        if state_of(tx, session)["saves"] != self.number:
            raise copies.CopyOvertakenError
        copies.require_kept(tx, self.rests_on)


def prove(tx: ReadTx, session: str, data: bytes, digest: Digest) -> SavePlan:
    """Plan to leave a context where it lies, after proving it, or to write it there again."""
    number: int = state_of(tx, session)["saves"]
    kept = tx.kept([digest])
    if digest not in kept:
        return SavePlan(digest, number, blob=seal(data))
    mended = tuple(copies.prove(tx, data, kept[digest]))
    return SavePlan(digest, number, mended=mended, rests_on=frozenset([digest]))


def plan(tx: ReadTx, session: str, data: bytes, proved: SavePlan) -> SavePlan:
    """Plan where a context will lie that is saved as a new checkpoint: within its group, too."""
    near = group(tx, session)
    if proved.blob:
        return _packed(tx, proved, near, data)
    twin = next((row for row in near if row["context"] == proved.digest), None)
    if twin:
        return replace(proved, spare=twin["spare"])
    copy = copies.copy_of(data)
    spare = digest_of(copy)
    spared = replace(proved, spare=spare)
    if tx.kept([spare]):
        return replace(spared, rests_on=spared.rests_on | {spare})
    return _packed(tx, spared, near, copy)


def _packed(tx: ReadTx, found: SavePlan, near: list[Row], data: bytes) -> SavePlan:
    blob = _onto(tx, near, data)
    base = {blob.base} if blob.base else set()
    return replace(found, blob=blob, rests_on=found.rests_on | base)


def group(tx: ReadTx, session: str) -> list[Row]:
    """Read what the session has saved in the group that it is in, oldest first."""
    number: int = state_of(tx, session)["saves"]
    where: Where = {"session": session, "number": Range(at_least=rules.keyframe_before(number))}
    found = tx.scan(CHECKPOINTS, where, order="number", limit=KEYFRAME_EVERY)
    return [one.row for one in found]


def _onto(tx: ReadTx, group: list[Row], data: bytes) -> Blob:
    """Pack content onto what was packed last in its group, if that saves space."""
    packed = [Digest(row["spare"] or row["context"]) for row in group if row["packs"]]
    if not packed:
        return seal(data)
    try:
        base, base_data = tx.blob(packed[-1]), content(tx, packed[-1])
    except BlobDamaged:
        return seal(data)
    return seal_onto(data, base, base_data) if base else seal(data)
