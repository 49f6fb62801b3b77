"""Limits of checkpoints, and the quotas that an operator may change."""

from dataclasses import dataclass

from hansard.kernel.limits import KIB, MIB

CONTEXT_BYTES_MAX = 64 * MIB
"""A context in canonical form. Over MCP the request's own limit comes first."""

EXTRA_BYTES_MAX = 64 * KIB
TAGS_MAX = 100
KEY_CHARS_MAX = 1_000
"""Of a key that is marked, picked or classed; others may be longer."""

KEYS_MAX = 10_000
"""Keys that a load picks, or a save classes."""

OFFSET_MAX = 1_000_000
MARKS_MAX = 1_000
CITES_MAX = 100
DIFF_TOKENS = 8_000
"""What a page of differences may cost, unless the caller says otherwise."""

KEYS_SHOWN_MAX = 50
"""How many of a context's keys are named to a caller who asks for one that it does not have."""

KEYFRAME_EVERY = 20
"""How many consecutive checkpoints of a session are packed onto one another, and onto nothing else:
the most that one damaged file can harm."""

WARN_SHARE = 0.8
"""Above this share of a quota, answers warn."""


@dataclass(frozen=True, slots=True)
class CheckpointQuotas:
    """How much may be kept, in packed bytes."""

    checkpoint_bytes_max: int = 10 * MIB
    session_bytes_max: int = 1024 * MIB
    store_bytes_max: int = 10 * 1024 * MIB


@dataclass(frozen=True, slots=True)
class Retention:
    """How many checkpoints a session keeps; 0 keeps all. One with a marked key is always kept."""

    keep_last: int = 0
