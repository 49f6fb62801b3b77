"""The part of an answer that a model sees, which is less than a program gets. Pure.

A model pays for each word of an answer, so it gets only what it can act on. Proof goes beside the
answer, where no host shows it to a model; empty and usual values are left out. Marks on fields
decide this, and `schema/v1` publishes the marks as `x-mcp`.

Left out, a field means its `default`; without one, what is empty of its type.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol, runtime_checkable

from pydantic import BaseModel, Field
from pydantic.fields import FieldInfo

Json = dict[str, Any]

MARK = "x-mcp"

SHORT_DIGITS = 12
"""How many digits of a digest distinguish one content of a file from all its others."""

EMPTY: tuple[Any, ...] = (None, "", [], {}, False)
"""What is left out unless a default says otherwise. Zero is shown: none of something is news."""


def _marked(how: Any) -> Any:
    return Field(json_schema_extra={MARK: how})


PROOF = _marked("meta")
"""Proves something, and is of no other use: given beside the answer."""

SHORT = _marked("short")
"""A digest that guards the next write: its first digits suffice. The whole is beside the answer."""

SECONDS = _marked("seconds")
"""A time for reading: whole seconds suffice, since the order of things is that of their seqs."""

UNTOLD = _marked("absent")
"""For programs: what the caller itself sent, or another field shows."""

KEPT = _marked("kept")
"""Shown even if it is empty, since then that is the answer."""


LINES = _marked("text")
"""Things that are each shown by their `line()`."""


def unless(usual: Any) -> Any:
    """Mark what is shown only if it is not the usual value."""
    return _marked({"unless": usual})


def only(*names: str, proof: Sequence[str] = ()) -> Any:
    """Mark what is shown by only these fields, since the caller knows or does not need the others.

    `proof` goes beside the answer.
    """
    return _marked({"only": list(names)} | ({"meta": list(proof)} if proof else {}))


NO_COUNT = unless(0)
"""A count; zero is not shown."""


@runtime_checkable
class ToldByFew(Protocol):
    """Part of an answer that may be shown by few of its fields."""

    def told_by(self) -> Collection[str] | None:
        """Name them; `None` means all."""


@dataclass(frozen=True, slots=True)
class Told:
    """An answer to a model."""

    content: Json
    proof: Json
    """What is beside it, by JSON Pointer into the whole answer."""


def told(answer: BaseModel) -> Told:
    """Reduce an answer to what a model sees."""
    proof: Json = {}
    shown = answer.model_dump(mode="json", exclude_none=True)
    return Told(_model(answer, shown, "", proof), proof)


@dataclass(frozen=True, slots=True)
class _Part:
    """What this module needs to know about a field."""

    name: str
    key: str
    """Its name on the wire."""
    how: Any
    left_out: tuple[Any, ...]
    """The values that are left out."""

    def says_nothing(self, value: Any) -> bool:
        # By type as well: 0 is not False, and 1 is not True.
        return any(value == one and type(value) is type(one) for one in self.left_out)


@cache
def _parts(model: type[BaseModel]) -> tuple[_Part, ...]:
    by_alias = model.model_config.get("serialize_by_alias", False)
    return tuple(
        _Part(
            name=name,
            key=(field.serialization_alias or name) if by_alias else name,
            how=(how := _mark_of(field)),
            left_out=_left_out(field, how),
        )
        for name, field in model.model_fields.items()
    )


def _mark_of(field: FieldInfo) -> Any:
    extra = field.json_schema_extra
    return extra.get(MARK) if isinstance(extra, dict) else None


def _left_out(field: FieldInfo, how: Any) -> tuple[Any, ...]:
    if how == "kept":
        return ()
    if isinstance(how, Mapping) and "unless" in how:
        return (how["unless"],)
    if not field.is_required():
        return (field.get_default(call_default_factory=True),)
    # In a field of any type, an empty list is a value like any other.
    return (None,) if field.annotation is Any else EMPTY


@cache
def _is_told_by_few(kind: type[BaseModel]) -> bool:
    # Called for each part of an answer; checking a protocol would take as long as all the rest.
    return issubclass(kind, ToldByFew)


def _few_of(model: BaseModel) -> Collection[str] | None:
    if not _is_told_by_few(type(model)):
        return None
    assert isinstance(model, ToldByFew), "its class is"
    return model.told_by()


def _model(model: BaseModel, shown: Json, place: str, proof: Json) -> Json:
    few = _few_of(model)
    content = {key: value for key, value in shown.items() if few is None or key in few}
    for part in _parts(type(model)):
        if part.key not in content:
            continue
        value = getattr(model, part.name)
        where = f"{place}/{part.key}"
        if part.how == "meta" and value is not None:
            proof[where] = shown[part.key]
        if part.how in ("meta", "absent") or part.says_nothing(value):
            del content[part.key]
            continue
        content[part.key] = _field(part.how, value, shown[part.key], where, proof)
        if content[part.key] == {} and part.how != "kept" and {} in part.left_out:
            del content[part.key]
    return content


def _field(how: Any, value: Any, shown: Any, where: str, proof: Json) -> Any:
    match how:
        case "short":
            proof[where] = shown
            return shown[:SHORT_DIGITS]
        case "seconds":
            return whole_seconds(shown)
        case "text":
            return [one.line() for one in value]
        case {"only": _}:
            return _few(how, value, shown, where, proof)
    return _value(value, shown, where, proof)


def _few(how: Json, value: Any, shown: Any, where: str, proof: Json) -> Any:
    if isinstance(value, list):
        pairs = enumerate(zip(value, shown, strict=True))
        return [_few(how, one, seen, f"{where}/{at}", proof) for at, (one, seen) in pairs]
    proof |= {f"{where}/{one}": shown[one] for one in how.get("meta", ())}
    told_of: Json = shown | _value(value, shown, where, proof)
    return {name: told_of[name] for name in how["only"] if name in told_of}


def _value(value: Any, shown: Any, where: str, proof: Json) -> Any:
    """Reduce what may hold models; everything else is somebody's text or data, and stays."""
    if isinstance(value, BaseModel):
        return _model(value, shown, where, proof)
    if isinstance(value, list | tuple):
        pairs = enumerate(zip(value, shown, strict=True))
        return [_value(one, seen, f"{where}/{at}", proof) for at, (one, seen) in pairs]
    if isinstance(value, Mapping) and any(isinstance(one, BaseModel) for one in value.values()):
        return {
            key: _value(one, shown[key], f"{where}/{_escaped(key)}", proof)
            for key, one in value.items()
        }
    return shown


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")


def whole_seconds(time: str) -> str:
    """Cut an ISO time of ours to whole seconds."""
    head, dot, rest = time.partition(".")
    return f"{head}Z" if dot and rest.endswith("Z") else time
