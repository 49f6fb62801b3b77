"""What holds of every operation in the catalog, asked of all of them."""

from collections.abc import Iterable
from typing import Any

import orjson
import pytest
from jsonschema import Draft202012Validator

from hansard.app.application import validate
from hansard.app.catalog import Catalog
from hansard.app.schema import input_schema, output_schema
from hansard.app.start import catalog
from hansard.cli.generate import all_problems
from hansard.kernel.operation import Operation, Result, Written
from hansard.kernel.problem import (
    InvalidInput,
    PermissionDenied,
    Problem,
    RequestTooLarge,
    UnknownOperation,
)
from hansard.mcp.messages import NotJson

CATALOG = catalog()
OPERATIONS = {operation.name: operation for operation in CATALOG}
PROBLEMS = all_problems(CATALOG)

DESCRIPTION_CHARS_MAX = 300
BUDGETS = {"all": 9_000, "default": 4_200, "core": 1_500}
CHARS_PER_TOKEN = 4
OPEN = {"workflow_checkpoint_save": [True]}
"""Whose arguments have a part that takes any name, and says so: 001 keeps all metadata."""

each_operation = pytest.mark.parametrize("operation", OPERATIONS.values(), ids=OPERATIONS)
each_problem = pytest.mark.parametrize("problem", PROBLEMS, ids=lambda one: one.__name__)


# What a model reads.


@each_operation
def test_its_description_is_a_short_sentence(operation: Operation) -> None:
    assert 0 < len(operation.description) <= DESCRIPTION_CHARS_MAX
    assert operation.description[0].isupper()
    assert operation.description.endswith(".")


@pytest.mark.holds("ALL-13.1", "ALL-13.2", "ALL-13.3", "ALL-13.4")
@pytest.mark.parametrize("toolset", BUDGETS)
def test_a_tool_list_keeps_to_its_budget(toolset: str) -> None:
    shown = [
        {"name": one.name, "description": one.description, "inputSchema": input_schema(one)}
        for one in CATALOG.toolset([toolset])
    ]

    chars = sum(len(orjson.dumps(one).decode()) for one in shown)

    assert chars / CHARS_PER_TOKEN <= BUDGETS[toolset]


def objects(schema: Any) -> Iterable[dict[str, Any]]:
    """Give every part of a schema that describes an object with named fields."""
    if isinstance(schema, dict):
        if "properties" in schema:
            yield schema
        for inner in schema.values():
            yield from objects(inner)
    if isinstance(schema, list):
        for inner in schema:
            yield from objects(inner)


@pytest.mark.holds("ALL-07.2")
@each_operation
def test_its_input_schema_is_valid_closed_and_plain_at_the_root(operation: Operation) -> None:
    schema = input_schema(operation)

    Draft202012Validator.check_schema(schema)
    assert schema["type"] == "object"
    assert not {"oneOf", "anyOf", "allOf", "$ref", "$defs"} & set(schema)
    still_open = [part for part in objects(schema) if part.get("additionalProperties") is not False]
    assert [part.get("additionalProperties") for part in still_open] == OPEN.get(operation.name, [])
    assert b'"title":' not in orjson.dumps({**schema, "properties": {}})


@each_operation
def test_its_output_schema_is_valid(operation: Operation) -> None:
    schema = output_schema(operation)

    Draft202012Validator.check_schema(schema)
    assert schema["type"] == "object"


@pytest.mark.holds("ALL-05.4", "ALL-01.6", "ALL-10.2")
@each_operation
def test_it_lists_the_session_and_nothing_that_travels_outside_the_arguments(
    operation: Operation,
) -> None:
    listed = set(input_schema(operation)["properties"])

    assert listed & {"session_id", "sessionId"}
    required = {"session_id", "sessionId"} & {*input_schema(operation).get("required", ())}
    # Source 001 lists the checkpoints of a session that is named, and of no other.
    assert bool(required) == (operation.name == "workflow_checkpoint_list")
    assert not listed & {"idempotency_key", "secret"}
    # A reader may ask for what some actor did; who writes is known by the connection.
    assert not (operation.writes and listed & {"actor", "role"})


def test_no_name_is_used_twice() -> None:
    names = [name for one in CATALOG for name in (one.name, *one.aliases)]

    assert len(names) == len(set(names))


# What it takes.


@pytest.mark.holds("ALL-07.1")
@each_operation
def test_an_unknown_argument_is_refused_by_name(operation: Operation) -> None:
    with pytest.raises(InvalidInput, match="no_such_argument: there is no such argument"):
        validate(operation, {"no_such_argument": 1})


def types(schema: dict[str, Any]) -> list[str]:
    """Name the types that a schema allows; none means all."""
    stated = schema.get("type", [])
    return [stated] if isinstance(stated, str) else stated


def unfit(schema: dict[str, Any]) -> Any:
    """Give a value that is of no type the schema allows, or `None` if it allows all."""
    allowed = {kind for one in (schema, *schema.get("anyOf", ())) for kind in types(one)}
    candidates = {"object": {"unfit": True}, "string": "unfit", "boolean": True, "array": []}
    fitting = [value for kind, value in candidates.items() if kind not in allowed]
    return fitting[0] if allowed and fitting else None


def refusals(operation: Operation, arguments: dict[str, Any]) -> list[str]:
    """Name the arguments that are refused."""
    with pytest.raises(InvalidInput) as refused:
        validate(operation, arguments)
    return [fault["argument"] for fault in refused.value.details["arguments"]]


@each_operation
def test_an_argument_of_the_wrong_type_is_refused_by_name(operation: Operation) -> None:
    fitting = sample(input_schema(operation))
    for name, schema in input_schema(operation)["properties"].items():
        wrong = unfit(schema)
        if wrong is None:
            continue
        # Alone, and among others: an argument may be judged only beside those it needs.
        faults = [
            *refusals(operation, {name: wrong}),
            *refusals(operation, fitting | {name: wrong}),
        ]
        assert any(path.partition(".")[0] == name for path in faults), f"{name} is not named"


@each_operation
def test_arguments_that_are_no_object_of_json_are_refused(operation: Operation) -> None:
    for hostile in (float("nan"), 2**64, "\ud800"):
        with pytest.raises(InvalidInput):
            validate(operation, {"session_id": hostile})


# What it answers.


@pytest.mark.holds("ALL-10.3")
@each_operation
def test_what_writes_has_a_receipt_and_needs_more_than_a_viewer(operation: Operation) -> None:
    assert issubclass(operation.result, Written) or not operation.writes
    assert operation.role != "viewer" or not operation.writes
    if operation.writes:
        assert "receipt" in output_schema(operation)["properties"]


def sample(schema: dict[str, Any]) -> Any:
    """Make a value that a schema allows."""
    if "const" in schema or "enum" in schema:
        return schema.get("const", next(iter(schema.get("enum", ())), None))
    for choice in ("anyOf", "oneOf"):
        if choice in schema:
            return sample(schema[choice][0])
    kind = next(iter(types(schema)), "string")
    if kind == "array":
        return [sample(schema.get("items", {}))]
    if kind == "object":
        return {name: sample(part) for name, part in schema.get("properties", {}).items()}
    return {"string": "2026-01-01T00:00:00Z", "integer": 1, "number": 0.5, "boolean": True}[kind]


def is_open(schema: Any) -> bool:
    """Whether a schema has a map in it whose keys it does not state, so that none can be made."""
    if isinstance(schema, list):
        return any(is_open(inner) for inner in schema)
    if not isinstance(schema, dict):
        return False
    is_map = schema.get("type") == "object" and "properties" not in schema
    return is_map or any(is_open(inner) for inner in schema.values())


@each_operation
def test_its_answer_is_rendered_as_text(operation: Operation) -> None:
    assert operation.result.text is not Result.text
    if is_open(output_schema(operation)):
        return
    whole = sample(output_schema(operation))
    needed = {name: whole[name] for name in output_schema(operation).get("required", ())}

    for content in (whole, needed):
        answer = operation.result.model_validate(content)
        assert answer.text().strip()


# What it refuses.


@each_problem
def test_a_problem_says_its_code_meaning_and_what_to_do(problem: type[Problem]) -> None:
    assert problem.code == problem.code.upper().replace("-", "_")
    assert problem.__doc__
    assert problem.hint
    assert 400 <= problem.http_status < 600


@pytest.mark.holds("ALL-06.2", "ALL-06.4")
def test_only_what_no_caller_can_fix_is_a_protocol_error() -> None:
    not_fixable = {problem for problem in PROBLEMS if not problem.fixable}

    # What is no JSON, or was not read for its length, never came to be a call.
    not_called = {NotJson, RequestTooLarge}
    assert {UnknownOperation, PermissionDenied} | not_called <= not_fixable
    assert {one.http_status for one in not_fixable - not_called} == {401, 403, 404, 421, 500}
    assert all(
        issubclass(problem, InvalidInput) for problem in not_fixable if problem.http_status == 404
    )


def test_a_code_means_one_thing() -> None:
    by_code: dict[str, list[type[Problem]]] = {}
    for problem in PROBLEMS:
        by_code.setdefault(problem.code, []).append(problem)

    for first, *others in by_code.values():
        assert all(issubclass(other, first) for other in others)
        assert {other.rpc_code for other in others} <= {first.rpc_code}


def test_the_sweep_sees_something() -> None:
    assert isinstance(CATALOG, Catalog)
    assert len(OPERATIONS) > 5
    assert {"INVALID_INPUT", "PROJECT_NOT_FOUND"} <= {problem.code for problem in PROBLEMS}
