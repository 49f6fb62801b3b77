"""What may be saved, whether it need be, and what it is packed against. Pure."""

from collections.abc import Mapping
from typing import Any

from hansard.checkpoints.contract import StorageQuotaExceeded
from hansard.checkpoints.limits import CHAIN_NUMBERS, CHAIN_RADIX, WARN_SHARE, Quotas


def base_number(number: int) -> int | None:
    """Say which save of the session the given one is packed against; `None` means none.

    One is taken off the lowest digit that is not zero, in base 20: most deltas then span one step,
    and what a load must unpack still grows only with the digits of the number.
    """
    step = 1
    while number % CHAIN_NUMBERS and number % (step * CHAIN_RADIX) == 0:
        step *= CHAIN_RADIX
    return number - step if number % CHAIN_NUMBERS else None


def is_unchanged(latest: Mapping[str, Any], marks: Mapping[str, int], context_hash: str) -> bool:
    """Whether saving would repeat the latest checkpoint: same content, and no mark since."""
    marked_since = any(seq > latest["seq"] for seq in marks.values())
    return bool(latest["context"] == context_hash and not marked_since)


def check_quotas(quotas: Quotas, size: int, session_bytes: int, store_bytes: int) -> str | None:
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
