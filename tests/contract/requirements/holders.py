"""Which test holds which clause, read from the `holds` markers. No test is imported for it."""

import ast
import os
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

MARKER = "pytest.mark.holds"
SWITCHED_OFF = frozenset({"pytest.mark.skip", "pytest.mark.xfail"})
"""A test that never runs, or may fail, holds nothing. `skipif` is for what a machine lacks."""


class MisplacedMarker(Exception):
    """A `holds` marker that pytest would ignore, or that this module cannot read."""


def find_holders(root: Path) -> dict[str, list[str]]:
    """Clause ids, each with the node ids of the tests under `root/tests` that hold it."""
    found: dict[str, list[str]] = {}
    for path in _test_files(root / "tests"):
        text = path.read_text(encoding="utf-8")
        if MARKER in text:
            for node_id, held in _marked(path.relative_to(root).as_posix(), ast.parse(text)):
                found.setdefault(held, []).append(node_id)
    return found


def _test_files(folder: Path) -> Iterator[Path]:
    for parent, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name != "node_modules")
        yield from (Path(parent, name) for name in sorted(files) if fnmatch(name, "test_*.py"))


def _marked(path: str, module: ast.Module) -> Iterator[tuple[str, str]]:
    """Pairs of a test's node id and a clause it holds, in one file."""
    placed: set[ast.Call] = set()
    for name, marks in _tests(module, ""):
        for mark in marks:
            for call in _markers(mark):
                placed.add(call)
                if _is_switched_off(marks):
                    raise MisplacedMarker(f"{path}{name} holds a clause but is skipped or may fail")
                yield from ((f"{path}{name}", held) for held in _ids(path, call))
    for call in _markers(module):
        if call not in placed:
            raise MisplacedMarker(f"{path}:{call.lineno} marks something that is no test")


def _tests(owner: ast.Module | ast.ClassDef, prefix: str) -> Iterator[tuple[str, list[ast.expr]]]:
    """Each test, test class or `TestX = mark(...)` of a module, with what may carry its marks."""
    for node in owner.body:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() if node.name.startswith("test_"):
                yield f"{prefix}::{node.name}", node.decorator_list
            case ast.ClassDef() if node.name.startswith("Test"):
                yield f"{prefix}::{node.name}", node.decorator_list
                yield from _tests(node, f"{prefix}::{node.name}")
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name.startswith("Test"):
                yield f"{prefix}::{name}", [value]


def _markers(node: ast.AST) -> Iterator[ast.Call]:
    for child in ast.walk(node):
        if isinstance(child, ast.Call) and ast.unparse(child.func) == MARKER:
            yield child


def _is_switched_off(marks: list[ast.expr]) -> bool:
    return any(ast.unparse(mark).partition("(")[0] in SWITCHED_OFF for mark in marks)


def _ids(path: str, call: ast.Call) -> Iterator[str]:
    if call.keywords or not call.args:
        raise MisplacedMarker(f"{path}:{call.lineno} holds takes the ids of clauses, nothing else")
    for argument in call.args:
        if not (isinstance(argument, ast.Constant) and isinstance(argument.value, str)):
            raise MisplacedMarker(f"{path}:{call.lineno} an id must be written out as a string")
        yield argument.value
