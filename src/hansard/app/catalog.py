"""All capabilities in one list, with their operations, events, views and schema."""

from collections.abc import Iterable, Iterator

from hansard.app import erasure_events
from hansard.app.copies import COPIED
from hansard.app.unfinished_imports import UNFINISHED
from hansard.embedders.vectors import VECTORS
from hansard.kernel import effect, follow, ids, origin, reply
from hansard.kernel.deferred import Deferred, Part
from hansard.kernel.engine import Schema
from hansard.kernel.event import Event, Kinds
from hansard.kernel.operation import Capability, Operation
from hansard.kernel.problem import UnknownOperation
from hansard.kernel.secret import Secret
from hansard.kernel.suggestion import did_you_mean
from hansard.kernel.view import View, schema_of

KERNEL_EVENTS: tuple[type[Event], ...] = (*ids.EVENTS, *reply.EVENTS, *origin.EVENTS)
KERNEL_VIEWS = (ids.VIEW, reply.VIEW, origin.VIEW, effect.VIEW)
PLAIN_TABLES = (follow.CURSORS, VECTORS, ids.WITHHELD, UNFINISHED, COPIED)
"""Tables that no view derives."""


class Catalog:
    """What this Hansard can do. Capabilities that are deferred are loaded as they are used."""

    def __init__(self, parts: Iterable[Part]) -> None:
        """Take the capabilities in the order in which their tools are listed."""
        self.parts = tuple(parts)
        self._owners: dict[str, Part] = {}
        for part in self.parts:
            for name in part.operation_names:
                assert name not in self._owners, f"two operations are called {name}"
                self._owners[name] = part
        self._by_name: dict[str, Operation] = {}

    def __iter__(self) -> Iterator[Operation]:
        """Go through all operations."""
        for capability in self.capabilities:
            yield from capability.operations

    @property
    def capabilities(self) -> tuple[Capability, ...]:
        """Give every capability in full, which loads those that are not loaded."""
        return tuple(map(whole, self.parts))

    @property
    def loaded(self) -> tuple[Capability, ...]:
        """Give the capabilities that have been used."""
        there = (one for one in self.parts if isinstance(one, Capability) or one.is_loaded)
        return tuple(map(whole, there))

    @property
    def secret(self) -> Secret | None:
        """Give what a caller proves to be a person by, or an admin."""
        return next((one.secret for one in self.parts if one.secret), None)

    def find(self, name: str) -> Operation:
        """Find an operation by its name or an alias."""
        if name not in self._by_name:
            if name not in self._owners:
                asked = did_you_mean(name, self._owners)
                said = f"There is no operation called {name[:100]}"
                raise UnknownOperation(said, hint=asked or None)
            for operation in whole(self._owners[name]).operations:
                for known in (operation.name, *operation.aliases):
                    self._by_name[known] = operation
        return self._by_name[name]

    def owner(self, operation: Operation) -> Part:
        """Give the capability that an operation belongs to."""
        return self._owners[operation.name]

    def keeps_text(self, operation: Operation) -> bool:
        """Whether an operation must give back what it was given byte for byte."""
        return self.owner(operation).keeps_text

    def toolset(self, names: Iterable[str]) -> list[Operation]:
        """Choose operations by `all`, `default`, `core` or the names of capabilities."""
        chosen = set(names)
        return [
            operation
            for capability in self.capabilities
            for operation in capability.operations
            if "all" in chosen or capability.name in chosen or chosen & {*operation.toolsets}
        ]

    @property
    def toolsets(self) -> tuple[str, ...]:
        """Name what `toolset` can choose by."""
        named = dict.fromkeys(part.name for part in self._owners.values())
        return ("all", "default", "core", *named)

    @property
    def kinds(self) -> Kinds:
        """Gather every kind of event."""
        declared = (event for one in self.parts for event in one.events)
        return Kinds([*KERNEL_EVENTS, *erasure_events.EVENTS, *declared])

    @property
    def views(self) -> tuple[View, ...]:
        """Gather every view."""
        return (*KERNEL_VIEWS, *(view for one in self.parts for view in one.views))

    @property
    def schema(self) -> Schema:
        """Gather what an engine must hold."""
        return schema_of(self.views, PLAIN_TABLES)


def whole(part: Part) -> Capability:
    """Give a capability, loading it if necessary."""
    return part.capability if isinstance(part, Deferred) else part
