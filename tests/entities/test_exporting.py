"""The type definitions as JSON Schema, Prisma schema and TypeScript."""

import json
import re
import subprocess
import sys
from typing import Any

import pytest

from hansard.app.application import Application
from hansard.entities.exporting import FILES, FORMATS, Format, export
from hansard.entities.exporting.definitions import described_as
from hansard.entities.types import TYPES
from hansard.kernel.operation import Caller
from tests.cli.running import Hansard
from tests.entities.asking import Asking, said
from tests.entities.export_samples import one_of_each
from tests.entities.schemas import check_answer, validator
from tests.patience import PATIENCE_S


@pytest.mark.holds("ENT-schema-1")
def test_every_entity_is_as_the_json_schema_says(app: Application, agent: Caller) -> None:
    made = one_of_each(app, agent)

    assert made.keys() == {one.name for one in TYPES}
    for declared in TYPES:
        validator(described_as(declared)).validate(made[declared.name])


@pytest.mark.holds("ENT-schema-5")
def test_what_is_shown_in_part_is_as_the_json_schema_says(entities_of: Asking) -> None:
    thread = entities_of.create("messageThread", {})["id"]
    for number in range(3):
        thread = entities_of.append(thread, f"{number}", said("x"))["id"]
    graph = entities_of.create("agentGraph", {"name": "g"})["id"]
    given = {"agentGraphId": graph, "status": "inProgress"}
    run = entities_of.create("agentGraphExecution", given)["id"]
    entities_of.happen(run, *[{"type": "log", "message": "x"}] * 3)

    shown = [entities_of.list(name) for name in ("messageThread", "agentGraphExecution")]

    assert shown[0].entities[0]["turnsTotal"] == 3
    assert shown[1].entities[0]["eventsTotal"] == 3
    assert [check_answer(one) for one in shown] == [4, 1]


SOURCE_NAMES = (
    *("BaseRecordProps", "TextDocument", "ModelConnection", "MessageThread", "MessageTurn"),
    *("TextPartial", "ToolRequestPartial", "ToolResponsePartial", "MessagePartial", "Status"),
    *("ChatThread", "AgentGraph", "AgentGraphNode", "AgentGraphEdge", "AgentGraphExecution"),
    *("Metric", "Settings"),
)


@pytest.mark.holds("002-base-2")
def test_typescript_has_the_names_of_the_source_and_its_base() -> None:
    text = export("typescript")

    for name in SOURCE_NAMES:
        assert re.search(rf"^export (interface|type) {name}\b", text, re.MULTILINE), name
    extending = set(
        re.findall(r"^export interface (\w+) extends BaseRecordProps", text, re.MULTILINE)
    )
    parts = {"MessageTurn", "AgentGraphNode", "AgentGraphEdge"}
    assert extending == {described_as(one) for one in TYPES} | parts
    assert "partials: Array<MessagePartial>;" in text


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        ({"status": "done"}, "enum"),
        ({"unknown": 1}, "additionalProperties"),
        ({"events": {}}, "type"),
        ({"startTime": 3}, "anyOf"),
    ],
)
def test_what_is_no_entity_is_not_what_the_json_schema_says(
    changed: dict[str, Any], fault: str
) -> None:
    at = "2026-01-01T00:00:00.000000Z"
    times = {"createdAt": at, "updatedAt": at, "startTime": at, "endTime": None}
    run: dict[str, Any] = {
        "id": "x",
        "agentGraphId": "y",
        "status": "failed",
        "events": [],
        "recordedLater": False,
        **times,
    }
    validator("AgentGraphExecution").validate(run)

    [error] = validator("AgentGraphExecution").iter_errors(run | changed)

    [inner] = error.context or [error]
    assert inner.validator == fault


def test_a_field_that_is_missing_is_missed() -> None:
    [error] = validator("Position").iter_errors({"x": 1})

    [inner] = error.context or [error]
    assert inner.validator == "required"


@pytest.mark.parametrize("spelling", FORMATS)
def test_every_type_and_every_field_is_exported(spelling: Format) -> None:
    text = export(spelling)

    for declared in TYPES:
        body = _body(text, described_as(declared), spelling)
        body += _body(text, "BaseRecordProps", spelling) if spelling == "typescript" else ""
        for field in declared.model.model_fields.values():
            assert re.search(rf"\b{field.alias}\b", body), f"{declared.name}.{field.alias}"


def _body(text: str, name: str, spelling: Format) -> str:
    """Give what is said of one type."""
    if spelling == "jsonschema":
        return json.dumps(json.loads(text)["$defs"][name])
    word = "model" if spelling == "prisma" else "export interface"
    found = re.search(
        rf"^{word} {name}(?: extends BaseRecordProps)? {{$(.*?)^}}$", text, re.DOTALL | re.MULTILINE
    )
    assert found, f"{name} is not there"
    return found[1]


def test_parts_are_models_that_belong_to_their_owner() -> None:
    body = _body(export("prisma"), "AgentGraphNode", "prisma")

    assert "@@id([agentGraphId, id])" in body
    assert "position     Json" in body


@pytest.mark.slow("starts another interpreter, whose hashes differ")
@pytest.mark.parametrize("spelling", FORMATS)
def test_the_same_types_always_make_the_same_text(spelling: Format) -> None:
    program = f"from hansard.entities.exporting import export; print(export({spelling!r}), end='')"

    ran = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        check=True,
        env={"PYTHONHASHSEED": "1"},
        timeout=PATIENCE_S,
    )

    assert ran.stdout.decode() == export(spelling)


@pytest.mark.parametrize("spelling", FORMATS)
def test_the_command_prints_the_format_that_is_asked_for(
    spelling: Format, tmp_path_factory: pytest.TempPathFactory
) -> None:
    hansard = Hansard(tmp_path_factory.mktemp("folder"))

    ran = hansard("export-schema", "--format", spelling)
    refused = hansard("export-schema", "--format", "sql")

    assert (ran.code, ran.out) == (0, export(spelling))
    assert refused.code != 0
    assert "jsonschema" in refused.err
    assert spelling in FILES.values()
