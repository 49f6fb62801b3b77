"""The OpenAPI document of the HTTP API, made from the catalog like everything else."""

from typing import Any

import hansard
from hansard.app.catalog import Catalog
from hansard.app.schema import input_schema, output_schema
from hansard.kernel.operation import Operation

Json = dict[str, Any]

VERSION = "3.1.0"
BASE = "/api/v1"

ERROR: Json = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message", "http_status"],
            "properties": {
                "code": {"type": "string"},
                "message": {"type": "string"},
                "details": {"type": "object"},
                "recovery_hint": {"type": ["string", "null"]},
                "rpc_code": {"type": "integer"},
                "http_status": {"type": "integer"},
            },
        }
    },
}


def document(known: Catalog) -> Json:
    """Describe every operation as a path to post its arguments to."""
    return {
        "openapi": VERSION,
        "info": {
            "title": "Hansard",
            "version": hansard.__version__,
            "description": "What the page asks: each operation under its name. The cookie is given "
            "for the token that `hansard serve` prints.",
        },
        "paths": {f"{BASE}/{one.name}": {"post": _described(one)} for one in known},
        "components": {
            "schemas": {"Error": ERROR},
            "securitySchemes": {
                "cookie": {"type": "apiKey", "in": "cookie", "name": "hansard_page"}
            },
        },
        "security": [{"cookie": []}],
    }


def _described(operation: Operation) -> Json:
    return {
        "operationId": operation.name,
        "summary": operation.description,
        "parameters": [
            {
                "name": "X-Hansard-Page",
                "in": "header",
                "required": True,
                "schema": {"const": "1"},
            },
            {"name": "Idempotency-Key", "in": "header", "schema": {"type": "string"}},
        ],
        "requestBody": {"content": {"application/json": {"schema": input_schema(operation)}}},
        "responses": {
            "200": {
                "description": "Done.",
                "content": {"application/json": {"schema": output_schema(operation)}},
            },
            "default": {
                "description": "Refused, with a code and what to do.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
            },
        },
    }
