"""Reads and writes `made/catalog.json`, the description of every capability.

It is made from the capabilities themselves (`make generate`); each is compared with its description
when it is loaded.
"""

import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import orjson

from hansard.kernel.deferred import Declared
from hansard.kernel.engine import Table, Topic
from hansard.kernel.event import DeclaredKind, Event
from hansard.kernel.operation import Capability
from hansard.kernel.view import DeclaredView, View

PATH = "src/hansard/app/made/catalog.json"
MADE = Path(__file__).parent / "made" / "catalog.json"

Json = dict[str, Any]


def written() -> dict[str, Declared]:
    """Read what is written down, by the name of the capability."""
    return {name: _declared(one) for name, one in orjson.loads(MADE.read_bytes()).items()}


def shown(capabilities: Iterable[Capability]) -> Json:
    """Write down what a process must know of capabilities that it has not loaded.

    A capability with followers alone has nothing to write down, and exists only where its packages
    do.
    """
    return {
        one.name: _shown(one) for one in capabilities if one.operations or one.events or one.views
    }


def _declared(made: Json) -> Declared:
    return Declared(
        operation_names=tuple(made["operations"]),
        events=tuple(_kind(kind, one) for kind, one in made["events"].items()),
        views=tuple(_view(name, one) for name, one in made["views"].items()),
        passage_kinds=frozenset(made["passage_kinds"]),
        keeps_text=made["keeps_text"],
        recovers=made["recovers"],
        follows=made["follows"],
    )


def _kind(kind: str, made: Json) -> DeclaredKind:
    load = partial(_event_at, made["module"], made["name"])
    return DeclaredKind(kind, made["advances_tick"], made["rewrites"], load)


def _view(name: str, made: Json) -> DeclaredView:
    version, kinds = made["version"], made["kinds"]
    tables = {one["name"]: _table(one, version) for one in made["tables"]}
    return DeclaredView(
        name,
        version,
        tuple(tables.values()),
        topics=tuple(
            Topic(one["name"], tables[one["table"]], one["columns"]) for one in made["topics"]
        ),
        is_shared=made["is_shared"],
        kinds=None if kinds is None else frozenset(kinds),
        load=partial(_view_at, made["module"], name),
    )


def _table(made: Json, version: int) -> Table:
    indexes = tuple(tuple(fields) for fields in made["indexes"])
    return Table(
        made["name"],
        made["fields"],
        indexes,
        history=made["history"],
        version=version,
        is_large=made["is_large"],
    )


def _event_at(module: str, name: str) -> type[Event]:
    event: type[Event] = getattr(import_module(module), name)
    return event


@cache
def _view_at(module: str, name: str) -> View:
    return next(view for view in _views_in(import_module(module)) if view.name == name)


def _views_in(module: ModuleType) -> Iterator[View]:
    """Give the views that a module has, by themselves or in a tuple."""
    for value in vars(module).values():
        for one in value if isinstance(value, tuple) else (value,):
            if isinstance(one, View):
                yield one


def _shown(capability: Capability) -> Json:
    return {
        "operations": capability.operation_names,
        "events": {event.kind: _event_shown(event) for event in capability.events},
        "views": {view.name: _view_shown(view, capability.name) for view in capability.views},
        "passage_kinds": sorted(capability.passage_kinds),
        "keeps_text": capability.keeps_text,
        "recovers": capability.recover is not None,
        "follows": capability.followers is not None,
    }


def _event_shown(event: type[Event]) -> Json:
    return {
        "module": event.__module__,
        "name": event.__name__,
        "advances_tick": event.advances_tick,
        "rewrites": event.rewrites,
    }


def _view_shown(view: View, capability: str) -> Json:
    kinds = None if view.on_any else sorted(event.kind for event in view.on)
    return {
        "version": view.version,
        "module": _module_of(view, capability),
        "kinds": kinds,
        "is_shared": view.is_shared,
        "tables": [_table_shown(table) for table in view.tables],
        "topics": [
            {"name": topic.name, "table": topic.table.name, "columns": dict(topic.columns)}
            for topic in view.topics
        ],
    }


def _table_shown(table: Table) -> Json:
    fields: Mapping[str, str] = table.fields
    return {
        "name": table.name,
        "fields": dict(fields),
        "indexes": table.indexes,
        "history": table.history,
        "is_large": table.is_large,
    }


def _module_of(view: View, capability: str) -> str:
    """Name the module that defines a view, not the one that assembles its capability."""
    homes = [
        name
        for name, module in sorted(sys.modules.items())
        if name.startswith("hansard.")
        and name != f"hansard.{capability}.capability"
        and any(one is view for one in _views_in(module))
    ]
    assert len(homes) == 1, f"the view {view.name} lies in {homes}, and should in one module"
    return homes[0]
