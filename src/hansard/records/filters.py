"""Filters for lists and searches."""

from collections.abc import Sequence

from hansard.kernel.engine import AnyOf, Range, Scalar

Filter = dict[str, Scalar | AnyOf | Range | None]


def of_kind(states: Sequence[str] | None, types: Sequence[str] | None) -> Filter:
    """Match records in some states and of some types; `None` matches all."""
    where: Filter = {}
    if states is not None:
        where["state"] = AnyOf(list(states))
    if types is not None:
        where["type"] = AnyOf(list(types))
    return where
