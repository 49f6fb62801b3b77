"""Which blobs an event names: its fields of type `Digest`, at any depth."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any, get_args, get_origin

from pydantic import BaseModel

from hansard.kernel.blob import Digest
from hansard.kernel.event import Event, Kinds

Finder = Callable[[Any], Iterator[Digest]]
"""Gives the digests in a JSON value."""

CONTAINERS = (list, tuple, set, frozenset, dict)


def finders(kinds: Kinds) -> dict[str, Finder]:
    """Make a finder for each kind of event that can name a blob."""
    made = {event.kind: finder_in(event) for event in kinds}
    return {kind: finder for kind, finder in made.items() if finder}


@cache
def finder_in(event: type[Event]) -> Finder | None:
    """Build the finder of blobs named in events of a kind; `None` if they can name none."""
    return _in_model(event)


def _in(annotation: Any) -> Finder | None:
    """Build the finder of digests in values of this type; `None` if they can hold none."""
    if annotation is Digest:
        return _itself
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return _in_model(annotation)
    inner = [finder for one in get_args(annotation) if (finder := _in(one))]
    if not inner:
        return None
    return _in_items(inner) if get_origin(annotation) in CONTAINERS else _in_value(inner)


def _itself(value: Any) -> Iterator[Digest]:
    if isinstance(value, str):
        yield Digest(value)


def _in_model(model: type[BaseModel]) -> Finder | None:
    named = {name: _in(field.annotation) for name, field in model.model_fields.items()}
    holding = [(name, finder) for name, finder in named.items() if finder]
    if not holding:
        return None

    def find(value: Any) -> Iterator[Digest]:
        for name, finder in holding if isinstance(value, dict) else ():
            yield from finder(value.get(name))

    return find


def _in_items(inner: Sequence[Finder]) -> Finder:
    def find(value: Any) -> Iterator[Digest]:
        items = value.values() if isinstance(value, dict) else value
        for item in items if not isinstance(value, str) and items else ():
            for finder in inner:
                yield from finder(item)

    return find


def _in_value(inner: Sequence[Finder]) -> Finder:
    """Try each member of a union, since the value does not say which one it is."""

    def find(value: Any) -> Iterator[Digest]:
        for finder in inner:
            yield from finder(value)

    return find
