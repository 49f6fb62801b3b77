"""Which tables belong to older versions of views. Pure."""

import re
from collections.abc import Iterable

_VERSIONED = re.compile(r"(\w+)_v([0-9]+)")


def older_versions(there: Iterable[str], known: Iterable[str]) -> list[str]:
    """Choose, of the tables that are there, those of which a known one is a newer version."""
    newest = dict(_divided(name) for name in known)
    return [
        name
        for name in there
        if _VERSIONED.fullmatch(name) and _divided(name)[1] < newest.get(_divided(name)[0], 0)
    ]


def _divided(name: str) -> tuple[str, int]:
    match = _VERSIONED.fullmatch(name)
    assert match, f"{name} has no version"
    return match[1], int(match[2])
