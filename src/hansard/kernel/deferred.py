"""Loads capabilities when they are first needed.

A file lists what a store must know of each capability to be opened, read and checked: the names of
its operations, its kinds of events, its views with their tables. A process that lists records needs
nothing else of the recorder. A process that meets one of its events loads the event; a call of one
of its operations loads all of it.
"""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hansard.kernel.event import DeclaredKind
from hansard.kernel.follow import Follower
from hansard.kernel.meaning import Passages
from hansard.kernel.operation import Capability
from hansard.kernel.secret import Secret
from hansard.kernel.store import Store
from hansard.kernel.view import DeclaredView, fingerprint


@dataclass(frozen=True, slots=True)
class Declared:
    """The description of a capability."""

    operation_names: tuple[str, ...]
    """Each with its aliases."""
    events: tuple[DeclaredKind, ...]
    views: tuple[DeclaredView, ...]
    passage_kinds: frozenset[str]
    keeps_text: bool
    recovers: bool
    """Whether it settles what a crash left open."""
    follows: bool
    """Whether it may have followers."""


class Deferred:
    """A capability in a catalog that is loaded when it is first needed."""

    def __init__(
        self,
        name: str,
        declared: Declared,
        load: Callable[[], Capability],
        *,
        secret: Secret | None = None,
    ) -> None:
        """Stand in for what `load` makes; `secret` is the one that it will have."""
        self.name = name
        self.declared = declared
        self.secret = secret
        self._load = load
        self._lock = threading.Lock()
        self._loaded: Capability | None = None

    @property
    def is_loaded(self) -> bool:
        """Whether it was needed."""
        return self._loaded is not None

    @property
    def capability(self) -> Capability:
        """Load and give it."""
        if self._loaded is None:
            with self._lock:
                if self._loaded is None:
                    self._loaded = self._checked(self._load())
        return self._loaded

    @property
    def operation_names(self) -> tuple[str, ...]:
        """Name the operations, each with its aliases."""
        return self.declared.operation_names

    @property
    def events(self) -> tuple[DeclaredKind, ...]:
        """Give the kinds of its events."""
        return self.declared.events

    @property
    def views(self) -> tuple[DeclaredView, ...]:
        """Give the views that are derived from them."""
        return self.declared.views

    @property
    def keeps_text(self) -> bool:
        """Whether it must give back what it was given byte for byte."""
        return self.declared.keeps_text

    @property
    def passage_kinds(self) -> frozenset[str]:
        """Name the kinds of events that make or unmake passages."""
        return self.declared.passage_kinds

    @property
    def passages(self) -> Passages:
        """Give the texts by which its things are found by meaning."""
        return self.capability.passages

    @property
    def followers(self) -> Callable[[Store], Sequence[Follower]] | None:
        """Give what makes its followers."""
        return self.capability.followers if self.declared.follows else None

    def _checked(self, loaded: Capability) -> Capability:
        """Check the description against the capability: tables and names rely on it."""
        written = self.declared
        pairs = (
            (self.name, loaded.name),
            (written.operation_names, loaded.operation_names),
            ([one.kind for one in written.events], [one.kind for one in loaded.events]),
            (fingerprint(written.views), fingerprint(loaded.views)),
            (written.passage_kinds, loaded.passage_kinds),
            (written.keeps_text, loaded.keeps_text),
            (self.secret, loaded.secret),
        )
        for said, found in pairs:
            assert said == found, f"{self.name} is not as it is written down: `make generate`"
        return loaded


Part = Capability | Deferred
"""What a catalog is made of."""
