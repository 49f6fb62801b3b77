"""The OpenAPI document of the HTTP API, generated from the catalog."""

from typing import Any

import hansard
from hansard.app.catalog import Catalog
from hansard.app.schema import exact_input_schema, output_schema
from hansard.kernel.limits import IDEMPOTENCY_KEY_CHARS_MAX
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

KEY: Json = {
    "name": "Idempotency-Key",
    "in": "header",
    "schema": {"type": "string", "minLength": 1, "maxLength": IDEMPOTENCY_KEY_CHARS_MAX},
}

COOKIE = "hansard_page"
MARK = "X-Hansard-Page"
"""A header of a browser's requests besides the cookie: no other site's form can set it."""

SECURITY: list[dict[str, list[str]]] = [{"bearer": []}, {"cookie": [], "page": []}]
"""A token alone; or, in a signed-in browser, the cookie with the header."""


def document(known: Catalog, *, cookie: str = COOKIE) -> Json:
    """Describe every operation as a path to post its arguments to; `cookie` is the page's."""
    return {
        "openapi": VERSION,
        "info": {
            "title": "Hansard",
            "version": hansard.__version__,
            "description": "Each operation under its name. `hansard token create` makes a bearer "
            "token; a browser is given the cookie for the address that `hansard serve` prints.",
        },
        "paths": {f"{BASE}/{one.name}": {"post": _described(one)} for one in known},
        "components": {
            "schemas": {"Error": ERROR},
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer"},
                "cookie": {"type": "apiKey", "in": "cookie", "name": cookie},
                "page": {"type": "apiKey", "in": "header", "name": MARK},
            },
        },
        "security": SECURITY,
    }


def _described(operation: Operation) -> Json:
    return {
        "operationId": operation.name,
        "summary": operation.description,
        "parameters": [KEY] if operation.writes else [],
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": exact_input_schema(operation)}},
        },
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
