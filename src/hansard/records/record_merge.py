"""Merges two changes of one record, field by field. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hansard.kernel.engine import Row
from hansard.records import limits
from hansard.records.rules import FIELDS, differ
from hansard.records.text_merge import LineRange, Part, join, three_way
from hansard.records.update_answers import FieldMerge, Hunk, Kind, Merge, Side, Span

BODY = "body"
LISTS = ("related", "cites")


@dataclass(frozen=True, slots=True)
class Versions:
    """A record as the caller knew it, as it is stored, and as the caller would have it."""

    base: Row
    stored: Row
    yours: Row
    base_body: str
    stored_body: str
    your_body: str


@dataclass(frozen=True, slots=True)
class MergedRecord:
    """The result of putting both changes together."""

    shown: Merge
    fields: Mapping[str, Kind]
    """Whose each field is that either side changed."""
    values: Mapping[str, Any] = field(default_factory=dict)
    """What each of them becomes, apart from the body and from what clashes."""
    body: str | None = None
    """The merged body, where both sides changed it and nothing clashes."""

    @property
    def sides(self) -> dict[str, Side] | None:
        """Whose each field is; `None` if something clashes."""
        sides: dict[str, Side] = {}
        for name, kind in self.fields.items():
            if kind == "clash":
                return None
            if kind != "same":
                sides[name] = kind
        return sides


def merge(versions: Versions) -> MergedRecord:
    """Put both changes together, as far as they are compatible."""
    base, stored, yours = versions.base, versions.stored, versions.yours
    fields: dict[str, Kind] = {}
    values: dict[str, Any] = {}
    shown: dict[str, FieldMerge] = {}
    for name in FIELDS:
        kind, values[name] = _merge_field(name, base[name], yours[name], stored[name])
        if kind == "same":
            continue
        fields[name] = kind
        if name != BODY:
            shown[name] = _shown(name, kind, base[name], yours[name], stored[name])
    if BODY not in fields:
        return MergedRecord(Merge(clean=True, fields=shown), fields, values)
    parts = three_way(versions.base_body, versions.your_body, versions.stored_body)
    body = join(parts, versions.your_body, versions.stored_body)
    if fields[BODY] == "clash" and body is not None:
        fields[BODY] = "both"
    told = Merge(clean=body is not None, fields=shown, hunks=_hunks(parts))
    return MergedRecord(told, fields, values, body)


def _merge_field(name: str, base: Any, mine: Any, theirs: Any) -> tuple[Kind, Any]:
    """Say whose a field is, and what it becomes."""
    kind = _kind(base, mine, theirs)
    if kind != "clash":
        return kind, mine if kind == "mine" else theirs
    if name in LISTS:
        return "both", _merge_lists(base, mine, theirs)
    if name == "metadata":
        return _merge_keys(base, mine, theirs)
    return kind, theirs


def _kind(base: object, mine: object, theirs: object) -> Kind:
    if not differ(mine, theirs):
        return "both" if differ(base, mine) else "same"
    if not differ(base, mine):
        return "theirs"
    return "clash" if differ(base, theirs) else "mine"


def _merge_lists(base: list[str], mine: list[str], theirs: list[str]) -> list[str]:
    """Remove what either removed, and add what either added."""
    gone = {one for one in base if one not in mine}
    added = [one for one in mine if one not in base and one not in theirs]
    return [one for one in theirs if one not in gone] + added


def _merge_keys(
    base: dict[str, Any], mine: dict[str, Any], theirs: dict[str, Any]
) -> tuple[Kind, dict[str, Any]]:
    """Merge key by key; a key that both set differently clashes."""
    merged = dict(theirs)
    clashes = False
    for key in {**base, **mine}:
        sides = [_one_of(values, key) for values in (base, mine, theirs)]
        kind = _kind(*sides)
        clashes = clashes or kind == "clash"
        if kind == "mine" and key in mine:
            merged[key] = mine[key]
        elif kind == "mine":
            merged.pop(key, None)
    return ("clash" if clashes else "both"), merged


def _one_of(values: dict[str, Any], key: str) -> list[Any]:
    """Give a value such that a missing one differs from all others."""
    return [values[key]] if key in values else []


def _shown(name: str, kind: Kind, base: Any, mine: Any, theirs: Any) -> FieldMerge:
    assert kind != "same", "a field that nobody changed is not part of a merge"
    if name == "metadata":
        keys = [
            key
            for key in {**base, **mine, **theirs}
            if not _one_of(base, key) == _one_of(mine, key) == _one_of(theirs, key)
        ]
        base, theirs = ({key: side[key] for key in keys if key in side} for side in (base, theirs))
    return FieldMerge(kind=kind, base=base, theirs=theirs)


def _hunks(parts: list[Part]) -> list[Hunk] | None:
    if len(parts) > limits.HUNKS_SHOWN_MAX:
        return None
    return [
        Hunk(
            kind=part.kind,
            base=_span(part.base),
            mine=_span(part.mine),
            theirs=_span(part.theirs),
        )
        for part in parts
    ]


def _span(lines: LineRange) -> Span:
    return lines.start + 1, lines.end - lines.start
