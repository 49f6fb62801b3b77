"""Filters and orders of an entity list. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hansard.entities import limits
from hansard.entities.tables import key_of
from hansard.entities.types.entity import REDACTED, EntityType
from hansard.kernel.blob import canonical_json, digest_of
from hansard.kernel.engine import AnyOf, Range, Scalar, Where
from hansard.kernel.problem import InvalidInput

Json = dict[str, Any]

BASE = ("id", "createdAt", "updatedAt")
KEY_CHARS = 32
"""How many digits of a digest distinguish values."""


def key_of_value(value: object) -> str | None:
    """Give what stands for a value of any length and kind; null stands for itself."""
    if value is None:
        return None
    return digest_of(canonical_json(_same(value)))[:KEY_CHARS]


def _same(value: object) -> object:
    """Write numbers that are equal in one way: JSON does not tell 1 from 1.0."""
    if isinstance(value, dict):
        return {name: _same(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_same(inner) for inner in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


@dataclass(frozen=True, slots=True)
class Order:
    """The base field that a list goes by, and whether it begins with the last."""

    field: str | None = None
    """`None` is the order in which entities were made here."""
    descending: bool = True

    @staticmethod
    def read(given: str | None) -> "Order":
        """Read what a caller gives, or refuse what no list goes by."""
        if given is None:
            return Order()
        name = given.removeprefix("-")
        if name not in BASE:
            raise InvalidInput(
                f"order: one of {', '.join(BASE)}, with - before it for the last one first",
                argument="order",
            )
        return Order(name, given.startswith("-"))


def check_where(declared: EntityType, where: Mapping[str, Any]) -> None:
    """Refuse a filter by an unknown field of the type, or by a field that no filter compares."""
    for name, wanted in where.items():
        argument = f"where.{name[: limits.NAME_SHOWN_CHARS]}"
        if name not in (*BASE, *declared.fields) and not declared.is_open:
            known = ", ".join((*BASE, *declared.fields))
            raise InvalidInput(f"{argument}: a {declared.name} has {known}", argument=argument)
        if name in declared.grows and wanted not in (None, []):
            raise InvalidInput(
                f"{argument}: [] or null; what a {declared.name} holds is found by search",
                argument=argument,
            )
        if name in declared.redacts and wanted not in (None, REDACTED):
            raise InvalidInput(
                f"{argument}: null or {REDACTED}; nobody finds out by guessing", argument=argument
            )
        values = _values(declared, name, wanted)
        if values is wanted and len(values) > limits.WHERE_VALUES_MAX:
            raise InvalidInput(
                f"{argument}: at most {limits.WHERE_VALUES_MAX} values", argument=argument
            )
        for value in values:
            _check_value(declared, name, value, argument, is_one=value is wanted)


def _values(declared: EntityType, name: str, wanted: Any) -> list[Any]:
    """Give the values that match a field; a list field's own value counts as one."""
    is_any = isinstance(wanted, list) and name not in (*declared.parts, *declared.grows)
    return wanted if is_any else [wanted]


def _check_value(
    declared: EntityType, name: str, value: object, argument: str, *, is_one: bool
) -> None:
    if value is None and is_one:
        return
    is_short = name in (*BASE, *declared.where, *declared.linked)
    fits = isinstance(value, str) and "\0" not in value and len(value) <= limits.WHERE_CHARS_MAX
    if is_short and not fits:
        raise InvalidInput(
            f"{argument}: text of at most {limits.WHERE_CHARS_MAX} characters, a list of such, "
            "or null",
            argument=argument,
        )
    if value is None:
        raise InvalidInput(f"{argument}: null stands alone, not in a list", argument=argument)


def where_of(declared: EntityType, where: Mapping[str, Any]) -> Where:
    """Say what the rows must have; ids are left out, since rows are read by them."""
    read: dict[str, Scalar | AnyOf | Range | None] = {}
    for name, wanted in where.items():
        values = _values(declared, name, wanted)
        if name == "id":
            continue
        if name in declared.grows:
            # What grows is never null, so nothing has that.
            read[declared.grows[name]] = 0 if wanted == [] else -1
        elif name in declared.keyed:
            keys = [key_of_value(value) for value in values]
            known = [key for key in keys if key is not None]
            read[key_of(name)] = AnyOf(known) if values is wanted else keys[0]
        else:
            read[name] = AnyOf(values) if values is wanted else wanted
    return read


def matches(declared: EntityType, entity: Mapping[str, Any], where: Mapping[str, Any]) -> bool:
    """Whether an entity, as it is shown, has what is wanted."""
    return all(
        key_of_value(entity.get(name)) in map(key_of_value, _values(declared, name, wanted))
        for name, wanted in where.items()
    )
