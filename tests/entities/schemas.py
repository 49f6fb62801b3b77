"""Every answer about entities is held against the schema that is exported."""

from functools import cache
from typing import Any

import jsonschema
import orjson

from hansard.entities.exporting import export
from hansard.entities.exporting.definitions import described_as
from hansard.entities.types import BY_NAME
from hansard.kernel.operation import Result


@cache
def validator(name: str) -> jsonschema.Draft202012Validator:
    """Make what checks what is described under a name."""
    document = orjson.loads(export("jsonschema"))
    jsonschema.Draft202012Validator.check_schema(document)
    return jsonschema.Draft202012Validator(document | {"anyOf": [{"$ref": f"#/$defs/{name}"}]})


def check_answer(answer: Result) -> int:
    """Hold every entity of an answer against its schema; says how many there were."""
    given: dict[str, Any] = answer.model_dump(mode="json")
    entities = [*given.get("entities", ()), *([given["entity"]] if "entity" in given else [])]
    for entity in entities:
        declared = BY_NAME[entity["id"].partition("::")[0]]
        validator(described_as(declared)).validate(entity)
    return len(entities)
