"""Whatever a caller may send has a limit with a name, and the refusal says it."""

import ast
import importlib
import pkgutil
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from pydantic_core import SchemaValidator, ValidationError

import hansard
from hansard.app.application import Application, validate
from hansard.app.schema import input_schema
from hansard.app.settings import Settings
from hansard.app.start import catalog, start
from hansard.kernel.limits import INTEGER_BITS_MAX, NESTING_MAX, REQUEST_BYTES_MAX
from hansard.kernel.operation import Operation
from hansard.kernel.problem import InvalidInput, Problem
from tests.conftest import a_caller

Json = dict[str, Any]

OPERATIONS = {operation.name: operation for operation in catalog()}
each_operation = pytest.mark.parametrize("operation", OPERATIONS.values(), ids=OPERATIONS)

TOO_LONG = "x" * (REQUEST_BYTES_MAX + 1)
"""Longer than anything that can be sent in one request."""

WRAPPERS = ("function-after", "function-before", "function-wrap", "nullable", "default")
TYPED = ("str", "list", "dict", "any", "int", "float")

JUDGED_WHOLE = {
    "create_record.metadata", "update_record.metadata",
    "workflow_checkpoint_save.context",
    "entity_create.data", "entity_update.data", "entity_list.where",
    "thread_append.partials.[].toolRequest.payload.input",
    "execution_event.events.[].nodeStarted.input",
    "execution_event.events.[].nodeCompleted.output",
    "execution_event.events.[].edgeTaken.value",
    "execution_event.events.[].custom.value",
    "file_op.edits.[].old", "file_op.edits.[].new",
    "file_op.ops.[].edits.[].old", "file_op.ops.[].edits.[].new",
}  # fmt: skip
"""What takes any JSON, or is limited only together with what it becomes: in bytes, when it runs."""


def named_limits() -> set[int]:
    """Gather the numbers of every `limits.py`."""
    found: set[int] = set()
    for module in pkgutil.walk_packages(hansard.__path__, "hansard."):
        if module.name.endswith(".limits"):
            values = vars(importlib.import_module(module.name)).values()
            found |= {value for value in values if isinstance(value, int)}
    return found


LIMITS = named_limits()


@dataclass(frozen=True)
class Part:
    """One place in the arguments of an operation: what it takes, inside and with its checks."""

    path: str
    kind: str
    inner: Mapping[str, Any]
    whole: Mapping[str, Any]


def parts(operation: Operation) -> Iterator[Part]:
    """Give every place in an operation's arguments that takes a text, a list or a number."""
    operation.request.model_rebuild()
    schema: Any = operation.request.__pydantic_core_schema__
    whole = _inlined(schema, {})
    yield from _parts(operation.name, whole, whole)


def _inlined(node: Any, shared: Mapping[str, Any]) -> Any:
    """Put what a schema defines once and uses twice where it is used."""
    if isinstance(node, list):
        return [_inlined(one, shared) for one in node]
    if not isinstance(node, dict):
        return node
    if node.get("type") == "definitions":
        known = {one["ref"]: one for one in node["definitions"]}
        return _inlined(node["schema"], {**shared, **known})
    if node.get("type") == "definition-ref":
        return _inlined(shared[node["schema_ref"]], shared)
    return {key: _inlined(one, shared) for key, one in node.items() if key != "ref"}


def _parts(path: str, node: Mapping[str, Any], whole: Mapping[str, Any]) -> Iterator[Part]:
    kind = node["type"]
    if kind in WRAPPERS:
        inner = node["schema"]
        yield from _parts(path, inner, inner if kind == "default" else whole)
        return
    if kind in TYPED:
        yield Part(path, kind, node, whole)
    for name, inside in _inside(node):
        if path not in JUDGED_WHOLE:
            yield from _parts(f"{path}{name}", inside, inside)


def _inside(node: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Give what a schema consists of, each with what it adds to the path."""
    match node:
        case {"type": "model", "schema": fields}:
            yield "", fields
        case {"type": "model-fields", "fields": fields}:
            yield from ((f".{name.rstrip('_')}", one["schema"]) for name, one in fields.items())
        case {"type": "tagged-union", "choices": choices}:
            yield from ((f".{tag}", choice) for tag, choice in choices.items())
        case {"type": "union", "choices": choices}:
            yield from (("", choice) for choice in choices)
        case {"type": "list" | "dict"}:
            kinds = (".[]", "items_schema"), (".{key}", "keys_schema"), (".{}", "values_schema")
            yield from ((name, node[inside]) for name, inside in kinds if inside in node)
        case {"type": kind}:
            known = (*TYPED, "literal", "bool", "none")
            assert kind in known, f"the sweep knows nothing of {kind}"


def refusal(part: Part, value: object) -> str:
    """Give what is said against a value; empty if nothing is."""
    try:
        SchemaValidator(part.whole).validate_python(value)
    except ValidationError as error:
        return error.errors(include_url=False, include_input=False)[0]["msg"]
    return ""


def says_a_limit(message: str) -> bool:
    return bool({int(number) for number in re.findall(r"\d+", message)} & LIMITS)


@pytest.mark.holds("ALL-07.5")
@each_operation
def test_every_text_has_a_named_limit(operation: Operation) -> None:
    texts = [one for one in parts(operation) if one.kind == "str" and one.path not in JUDGED_WHOLE]

    unlimited = [
        part.path
        for part in texts
        if "pattern" not in part.inner and not says_a_limit(refusal(part, TOO_LONG))
    ]

    assert texts
    assert unlimited == []


@pytest.mark.holds("ALL-07.5")
@each_operation
def test_every_list_and_map_has_a_named_limit(operation: Operation) -> None:
    collections = [
        one
        for one in parts(operation)
        if one.kind in ("list", "dict") and one.path not in JUDGED_WHOLE
    ]

    unlimited = [
        part.path
        for part in collections
        if _length_limit(part) not in LIMITS | {len(_choices(part))} - {0}
    ]

    assert unlimited == []


def _length_limit(part: Part) -> int | None:
    """Find how long a list may be: stated, or as a check says that is tried."""
    if "max_length" in part.inner:
        return int(part.inner["max_length"])
    node = part.whole
    while node["type"] in WRAPPERS:
        check = node.get("function", {}).get("function")
        if isinstance(check, partial) and "max_length" in check.keywords:
            return int(check.keywords["max_length"])
        node = node["schema"]
    found = re.search(r"at most (\d+)", refusal(part, _choices(part) * 1_000))
    return int(found[1]) if found else None


def _choices(part: Part) -> list[str]:
    """Give what the items of a list are chosen from; a list may also be as long as that."""
    return list(part.inner.get("items_schema", {}).get("expected", ()))


@pytest.mark.holds("ALL-07.5")
@each_operation
def test_every_number_has_a_named_limit(operation: Operation) -> None:
    stated = [part.inner.get("le", part.inner.get("lt")) for part in parts(operation)]
    assert {limit for limit in stated if limit is not None} <= LIMITS

    for name in input_schema(operation)["properties"]:
        for number in (2**INTEGER_BITS_MAX, -(2**INTEGER_BITS_MAX)):
            with pytest.raises(InvalidInput, match=f"more than {INTEGER_BITS_MAX} bits"):
                validate(operation, {name: number})


@pytest.mark.holds("ALL-07.5")
@each_operation
def test_every_depth_has_the_named_limit(operation: Operation) -> None:
    for name in input_schema(operation)["properties"]:
        nested: object = "x"
        for _ in range(NESTING_MAX + 1):
            nested = [nested]
        with pytest.raises(InvalidInput, match=f"deeper than {NESTING_MAX}"):
            validate(operation, {name: nested})


# What is judged whole.


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Application]:
    application = start(Settings(store="memory:", workspace=str(tmp_path), embedder="none"))
    yield application
    application.close()


RECORD = {"type": "task", "title": "t", "summary": "s", "body": "b"}
REQUESTED = {"callId": "1", "shortId": "look", "input": {"k": TOO_LONG}}
HUGE: list[tuple[str, Json]] = [
    ("create_record", RECORD | {"metadata": {"k": TOO_LONG}}),
    ("update_record", {"id": "R001", "metadata": {"k": TOO_LONG}}),
    ("workflow_checkpoint_save", {"context": {"k": TOO_LONG * 4}}),
    ("workflow_checkpoint_save", {"context": {}, "metadata": {"k": TOO_LONG}}),
    ("entity_create", {"type": "settings", "data": {"k": TOO_LONG}}),
    ("entity_update", {"id": "{document}", "data": {"title": TOO_LONG}}),
    ("entity_list", {"type": "textDocument", "where": {"title": TOO_LONG}}),
    (
        "thread_append",
        {
            "thread_id": "{thread}",
            "sender": "a",
            "partials": [{"type": "toolRequest", "payload": REQUESTED}],
        },
    ),
    (
        "execution_event",
        {"id": "{run}", "events": [{"type": "custom", "name": "a", "value": TOO_LONG}]},
    ),
    (
        "file_op",
        {"action": "edit", "path": "a.txt", "edits": [{"old": "one", "new": TOO_LONG}]},
    ),
]


@pytest.mark.holds("ALL-07.5")
def test_what_is_judged_whole_has_a_named_limit_too(app: Application) -> None:
    caller = a_caller()

    def made(type_: str, **content: object) -> str:
        created = app.call("entity_create", {"type": type_, "data": content}, caller)
        return str(created.model_dump()["entity"]["id"])

    graph = made("agentGraph", name="g", nodes=[], edges=[])
    ids = {
        "{document}": made("textDocument", title="t", content="c"),
        "{thread}": made("messageThread", turns=[]),
        "{run}": made("agentGraphExecution", agentGraphId=graph, status="inProgress"),
    }
    app.call("create_record", RECORD, caller)
    app.call("file_op", {"action": "create", "path": "a.txt", "content": "one"}, caller)

    for operation, arguments in HUGE:
        given = {name: ids.get(str(value)[:20], value) for name, value in arguments.items()}
        with pytest.raises(Problem) as refused:
            app.call(operation, given, caller)
        assert refused.value.code == "INVALID_INPUT", operation
        assert says_a_limit(refused.value.message), refused.value.message
        assert len(refused.value.message) < 1_000


@pytest.mark.holds("ALL-07.5")
def test_a_name_that_is_too_long_is_not_said_back_in_full(app: Application) -> None:
    with pytest.raises(InvalidInput) as refused:
        app.call("entity_list", {"type": "textDocument", "where": {TOO_LONG: "a"}}, a_caller())

    assert len(refused.value.message) < 1_000
    assert len(str(refused.value.details)) < 1_000


@pytest.mark.holds("ALL-07.5")
def test_a_limit_is_written_where_it_has_a_name() -> None:
    written = [
        f"{path.name}:{call.lineno}"
        for path in sorted(Path(hansard.__file__).parent.rglob("contract.py"))
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call)
        for keyword in call.keywords
        if keyword.arg in ("max_length", "le", "lt") and isinstance(keyword.value, ast.Constant)
    ]

    assert written == []
