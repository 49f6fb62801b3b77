"""Every digest that an event names is found, wherever in its shape it stands."""

from typing import Any, ClassVar

import pytest
from pydantic import BaseModel

from hansard.kernel.blob import Digest, digest_of
from hansard.kernel.event import Event, Kinds
from hansard.kernel.named_blobs import finder_in, finders

A, B, C = (digest_of(bytes([number])) for number in range(3))


class Inner(BaseModel):
    held: Digest | None = None
    said: str = ""


class Plain(Event):
    kind: ClassVar[str] = "test.plain.v1"

    text: str = ""
    number: int | None = None


class Holding(Event):
    kind: ClassVar[str] = "test.holding.v1"

    one: Digest | None = None
    inner: Inner | None = None
    listed: list[Digest]
    pairs: tuple[tuple[str, Digest], ...] = ()
    by_name: dict[str, Inner | Digest]
    text: str = ""


def named(**fields: Any) -> list[Digest]:
    find = finder_in(Holding)
    assert find is not None
    return list(find(fields))


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        ({}, []),
        ({"one": None, "inner": None, "listed": [], "by_name": {}}, []),
        ({"one": A, "text": B}, [A]),
        ({"inner": {"held": A, "said": B}}, [A]),
        ({"listed": [A, B]}, [A, B]),
        ({"by_name": {"x": {"held": A}, B: C}}, [A, C]),
        ({"one": A, "inner": {"held": B}, "listed": [C]}, [A, B, C]),
        ({"one": 7, "inner": "none", "listed": None}, []),
        ({"listed": A, "inner": A}, []),
    ],
)
def test_a_digest_is_found_by_the_type_of_its_field(
    fields: dict[str, Any], found: list[Digest]
) -> None:
    assert named(**fields) == found


def test_an_event_that_can_name_none_has_no_finder() -> None:
    assert finder_in(Plain) is None
    assert set(finders(Kinds([Plain, Holding]))) == {Holding.kind}
