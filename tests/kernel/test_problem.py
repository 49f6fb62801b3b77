"""Refusals have one shape, whatever was refused."""

import pytest

from hansard.kernel import problem
from hansard.kernel.problem import InvalidInput, PermissionDenied, Problem, StorageUnavailable

KEYS = ["code", "message", "details", "recovery_hint", "rpc_code", "http_status"]


@pytest.mark.holds("ALL-06.1", "000-errors-format")
@pytest.mark.parametrize(
    "refused",
    [
        InvalidInput("No"),
        InvalidInput("No", argument="title"),
        PermissionDenied("No", hint="Ask"),
        StorageUnavailable("No", outcome="unknown"),
    ],
)
def test_every_refusal_has_the_same_keys(refused: Problem) -> None:
    shape = refused.as_dict()

    assert list(shape) == KEYS
    assert shape["recovery_hint"]
    assert shape["details"] == dict(refused.details)


@pytest.mark.parametrize(
    ("kind", "code", "rpc_code", "http_status", "fixable"),
    [
        (problem.InvalidInput, "INVALID_INPUT", -32602, 400, True),
        (problem.RequestTooLarge, "REQUEST_TOO_LARGE", -32600, 413, False),
        (problem.UnknownOperation, "INVALID_INPUT", -32602, 404, False),
        (problem.PermissionDenied, "PERMISSION_DENIED", 403, 403, False),
        (problem.Unauthorized, "UNAUTHORIZED", 401, 401, False),
        (problem.Internal, "INTERNAL", -32603, 500, False),
        (problem.StorageUnavailable, "STORAGE_UNAVAILABLE", -32000, 503, True),
        (problem.BlobDamaged, "BLOB_DAMAGED", -32000, 500, True),
        (problem.BlobRedacted, "BLOB_REDACTED", -32000, 410, True),
    ],
)
def test_a_refusal_is_told_by_the_codes_that_programs_know(
    kind: type[Problem], code: str, rpc_code: int, http_status: int, *, fixable: bool
) -> None:
    told = kind("No").as_dict()

    assert (told["code"], told["rpc_code"], told["http_status"]) == (code, rpc_code, http_status)
    assert kind.fixable is fixable
