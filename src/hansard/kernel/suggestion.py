"""Suggests the name that a misspelt one may have meant. Pure."""

from collections.abc import Iterable

READ_CHARS_MAX = 100
"""How much of a wrong name is compared."""


def nearest(wanted: str, there: Iterable[str]) -> str | None:
    """Give the name most like the wanted one; `None` if none is."""
    from difflib import get_close_matches  # only a wrong name needs it

    by_folded = {_folded(name): name for name in there}
    close = get_close_matches(_folded(wanted[:READ_CHARS_MAX]), by_folded)
    return by_folded[close[0]] if close else None


def did_you_mean(wanted: str, there: Iterable[str]) -> str:
    """Ask whether that was meant, as a sentence; empty if no name is like it."""
    found = nearest(wanted, there)
    return f"Did you mean {found}?" if found else ""


def _folded(name: str) -> str:
    return name.casefold().replace("-", "").replace("_", "")
