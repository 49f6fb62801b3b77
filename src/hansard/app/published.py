"""The published contract in `schema/v1`, generated from the catalog and committed."""

import importlib
import pkgutil
import re
from collections.abc import Iterable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import hansard
from hansard.app.catalog import Catalog
from hansard.app.schema import published
from hansard.kernel.blob import canonical_json, digest_of
from hansard.kernel.event import Event
from hansard.kernel.operation import Operation
from hansard.kernel.problem import Problem

Json = dict[str, Any]

CONTRACT_VERSION = "1.0.0"
CONTRACT_PATH = "schema/v1/hansard.json"


MCP_MEANING = (
    "Over MCP a tool's structuredContent is its mcpOutputSchema. What is left out has its default "
    "in outputSchema, or else is what is empty of its type. A write's receipt is in _meta under "
    "hansard/receipt; digests are under hansard/proof, by JSON Pointer into the full answer."
)
"""How an answer that a model reads differs from the one that other programs get."""


def contract(catalog: Catalog, problems: Iterable[type[Problem]]) -> Json:
    """Write the whole contract down, with its hash."""
    whole = {
        "version": CONTRACT_VERSION,
        "mcp": MCP_MEANING,
        "operations": [operation_shown(operation) for operation in catalog],
        "errors": [error_shown(problem) for problem in problems],
        "events": [event_shown(event) for event in catalog.kinds],
    }
    return {"version": CONTRACT_VERSION, "hash": digest_of(canonical_json(whole)), **whole}


def committed_contract() -> str:
    """Read the contract as it was committed: from the installed package, or from a checkout.

    It is not generated again, since the tools that would do so may have moved on.
    """
    packaged = files("hansard") / CONTRACT_PATH
    if packaged.is_file():
        return packaged.read_text(encoding="utf-8")
    checkout = Path(hansard.__file__).parents[2] / CONTRACT_PATH
    return checkout.read_text(encoding="utf-8")


def operation_shown(operation: Operation) -> Json:
    """Give what the contract says about an operation."""
    aliases = {"aliases": list(operation.aliases)} if operation.aliases else {}
    return published(operation) | aliases


def error_shown(problem: type[Problem]) -> Json:
    """Say what the contract says of an error; the hint is the usual one, and may be more exact."""
    return {
        "code": problem.code,
        "meaning": meaning(problem),
        "http_status": problem.http_status,
        "rpc_code": problem.rpc_code,
        "fixable": problem.fixable,
        "recovery_hint": problem.hint,
    }


def event_shown(event: type[Event]) -> Json:
    """Give what the contract says about an event."""
    return {
        "kind": event.kind,
        "meaning": meaning(event),
        "advances_tick": event.advances_tick,
        "activity": event.activity,
        "schema": _untitled(event.model_json_schema()),
    }


def problems_in(folders: Iterable[str]) -> list[type[Problem]]:
    """Find every problem declared in these folders of the package, by code."""
    places = tuple(f"hansard.{folder}." for folder in folders)
    for folder in folders:
        package = importlib.import_module(f"hansard.{folder}")
        for module in pkgutil.walk_packages(package.__path__, f"hansard.{folder}."):
            importlib.import_module(module.name)
    found = {one for one in _below(Problem) if f"{one.__module__}.".startswith(places)}
    return sorted(found, key=lambda one: (one.code, len(one.__mro__), one.__name__))


def meaning(declared: type[Problem] | type[Event]) -> str:
    """Give the first sentence of a declaration's docstring, else its name."""
    if declared.__doc__:
        return declared.__doc__.partition("\n")[0]
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", declared.__name__).capitalize() + "."


def _below(problem: type[Problem]) -> Iterator[type[Problem]]:
    for each in problem.__subclasses__():
        yield each
        yield from _below(each)


def _untitled(node: Any) -> Any:
    """Leave out the titles that pydantic makes from names."""
    if isinstance(node, list):
        return [_untitled(item) for item in node]
    if not isinstance(node, dict):
        return node
    return {
        key: _named(value) if key in {"properties", "$defs"} else _untitled(value)
        for key, value in node.items()
        if key not in {"title", "description"}
    }


def _named(named: Json) -> Json:
    return {name: _untitled(value) for name, value in named.items()}
