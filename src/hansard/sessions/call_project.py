"""The project of a call: the one its arguments name, else the caller's home."""

from dataclasses import dataclass

from hansard.kernel.operation import Caller, Home
from hansard.kernel.store import UNMADE, Store
from hansard.sessions import projects


@dataclass(frozen=True, slots=True)
class CallPlace:
    """The project of a call."""

    project: str
    """Its key; `UNMADE` for a home that is yet to be made."""
    is_named: bool
    """Whether the arguments name it."""
    is_home: bool
    """Whether it was found as the caller's home, which a write may have to make."""


def find_place(store: Store, named: str | None, caller: Caller, *, looks: bool) -> CallPlace:
    """Find the project of a call, or refuse an unknown one.

    `looks` says that the call is about what exists, so a mistyped home is refused, too.
    """
    assert caller.home, "every caller has a home by now"
    if named is None:
        return CallPlace(home_key(store, caller.home, caller, looks=looks), False, True)
    found = projects.find(store, named)
    if found and caller.sees(found.key):
        return CallPlace(found.key, True, False)
    if found is None and named == caller.home.name(store):
        return CallPlace(home_key(store, caller.home, caller, looks=looks), True, True)
    raise projects.not_found(store, named, caller)


def home_key(store: Store, home: Home, caller: Caller | None = None, *, looks: bool = True) -> str:
    """Give the key of a home; a reader finds nothing there until it is made."""
    key = home.find(store)
    if key is None and looks and home.must_exist:
        raise projects.not_found(store, home.name(store), caller)
    return key or UNMADE
