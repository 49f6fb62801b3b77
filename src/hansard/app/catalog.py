"""All capabilities in one list, and what follows from it: operations, events, views, schema."""

from collections.abc import Iterable, Iterator

from hansard.app import redacted
from hansard.embedders.vectors import VECTORS
from hansard.kernel import effect, follow, ids, origin, reply
from hansard.kernel.engine import Schema
from hansard.kernel.event import Event, Kinds
from hansard.kernel.nearest import did_you_mean
from hansard.kernel.operation import Capability, Operation
from hansard.kernel.problem import UnknownOperation
from hansard.kernel.view import View, schema_of

KERNEL_EVENTS: tuple[type[Event], ...] = (*ids.EVENTS, *reply.EVENTS, *origin.EVENTS)
KERNEL_VIEWS = (ids.VIEW, reply.VIEW, origin.VIEW, effect.VIEW)
PLAIN_TABLES = (follow.CURSORS, VECTORS, ids.WITHHELD)
"""Tables that no view derives."""


class Catalog:
    """What this Hansard can do."""

    def __init__(self, capabilities: Iterable[Capability]) -> None:
        """Take the capabilities in the order in which their tools are listed."""
        self.capabilities = tuple(capabilities)
        self._by_name: dict[str, Operation] = {}
        for operation in self:
            for name in (operation.name, *operation.aliases):
                assert name not in self._by_name, f"two operations are called {name}"
                self._by_name[name] = operation

    def __iter__(self) -> Iterator[Operation]:
        """Go through all operations."""
        for capability in self.capabilities:
            yield from capability.operations

    def find(self, name: str) -> Operation:
        """Find an operation by its name or an alias."""
        if name not in self._by_name:
            asked = did_you_mean(name, self._by_name)
            raise UnknownOperation(f"There is no operation called {name[:100]}", hint=asked or None)
        return self._by_name[name]

    def keeps_text(self, operation: Operation) -> bool:
        """Whether what an operation is given comes back byte for byte."""
        return any(one.keeps_text and operation in one.operations for one in self.capabilities)

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
        named = (one.name for one in self.capabilities if one.operations)
        return ("all", "default", "core", *named)

    @property
    def kinds(self) -> Kinds:
        """Gather every kind of event."""
        declared = (event for one in self.capabilities for event in one.events)
        return Kinds([*KERNEL_EVENTS, *redacted.EVENTS, *declared])

    @property
    def views(self) -> tuple[View, ...]:
        """Gather every view."""
        return (*KERNEL_VIEWS, *(view for one in self.capabilities for view in one.views))

    @property
    def schema(self) -> Schema:
        """Gather what an engine must hold."""
        return schema_of(self.views, PLAIN_TABLES)
