"""Refusals have one shape, whatever was refused."""

import pytest

from hansard.kernel.problem import InvalidInput, PermissionDenied, Problem, StorageUnavailable

KEYS = ["code", "message", "details", "recovery_hint", "rpc_code", "http_status"]


@pytest.mark.holds("ALL-06.1", "000-errors-format")
@pytest.mark.parametrize(
    "problem",
    [
        InvalidInput("No"),
        InvalidInput("No", argument="title"),
        PermissionDenied("No", hint="Ask"),
        StorageUnavailable("No", outcome="unknown"),
    ],
)
def test_every_refusal_has_the_same_keys(problem: Problem) -> None:
    shape = problem.as_dict()

    assert list(shape) == KEYS
    assert shape["recovery_hint"]
    assert shape["details"] == dict(problem.details)
