"""Rules of checkpoints: what is saved or skipped, and what it is packed against. Pure."""

from collections.abc import Iterable, Mapping
from typing import Any

from hansard.checkpoints.contract import Metadata, StorageQuotaExceeded
from hansard.checkpoints.limits import KEYFRAME_EVERY, WARN_SHARE, CheckpointQuotas
from hansard.kernel.blob import canonical_json

Said = dict[str, Any]
"""What is said of a checkpoint: its name, tags, classes, cites and the rest."""


def keyframe_before(number: int) -> int:
    """Say which save of a session begins the group that a save is of."""
    return number - number % KEYFRAME_EVERY


def is_unchanged(latest: Mapping[str, Any], marks: Mapping[str, int], context_hash: str) -> bool:
    """Whether saving would repeat the latest checkpoint: same content, and no mark since."""
    marked_since = any(seq > latest["seq"] for seq in marks.values())
    return bool(latest["context"] == context_hash and not marked_since)


def said_anew(row: Mapping[str, Any], metadata: Metadata, cites: Iterable[str]) -> Said:
    """Give what is known of a checkpoint once this was said of it too: nothing said is lost.

    A new name takes the place of the old one; everything else is added.
    """
    return {
        "name": metadata.name or row["name"],
        "tags": [*row["tags"], *(tag for tag in metadata.tags if tag not in row["tags"])],
        "classes": row["classes"] | metadata.classes,
        "extra": row["extra"] | (metadata.model_extra or {}),
        "cites": [*row["cites"], *(one for one in cites if one not in row["cites"])],
    }


def adds_nothing(older: Mapping[str, Any], newer: Mapping[str, Any], marks: Iterable[str]) -> bool:
    """Whether a newer context has every marked key of an older one, and with the same value."""
    return all(
        key in newer and canonical_json(newer[key]) == canonical_json(older[key])
        for key in marks
        if key in older
    )


def check_quotas(
    quotas: CheckpointQuotas, size: int, session_bytes: int, store_bytes: int
) -> str | None:
    """Refuse what would not fit, given what each would take; warns where it gets tight."""
    warnings = []
    for what, used, most in (
        ("This checkpoint", size, quotas.checkpoint_bytes_max),
        ("The session", session_bytes, quotas.session_bytes_max),
        ("The store", store_bytes, quotas.store_bytes_max),
    ):
        if used > most:
            raise StorageQuotaExceeded(
                f"{what} would take {used:,} of {most:,} bytes", limit=most, used=used
            )
        if used >= WARN_SHARE * most:
            warnings.append(f"{what} takes {used / most:.0%} of its {most:,} bytes.")
    return " ".join(warnings) or None
