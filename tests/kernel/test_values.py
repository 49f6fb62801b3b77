"""What callers may send is told from what has no exact form."""

import math
from typing import Any

import pytest

from hansard.kernel.limits import ID_CHARS_MAX, NESTING_MAX
from hansard.kernel.problem import InvalidInput
from hansard.kernel.values import check_handle, check_values, without_nul


def nested(levels: int) -> Any:
    value: Any = []
    for _ in range(levels - 1):
        value = [value]
    return value


@pytest.mark.parametrize(
    "value",
    [
        2**64 - 1,
        -(2**63),
        1.5,
        True,
        None,
        "naïve 日本",
        {"a": [{"b": "c"}]},
        nested(NESTING_MAX),
    ],
)
def test_what_json_can_say_exactly_is_taken(value: object) -> None:
    check_values({"given": value})


@pytest.mark.parametrize(
    ("value", "argument"),
    [
        (2**64, "given"),
        (-(2**63) - 1, "given"),
        (math.nan, "given"),
        (-math.inf, "given"),
        ("\ud800", "given"),
        ([0, {"a": 2**64}], "given.1.a"),
        ({"\ud800": 1}, "given (a key)"),
    ],
)
def test_what_it_cannot_is_refused_by_its_name(value: object, argument: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        check_values({"given": value})

    assert refused.value.details["argument"] == argument
    refused.value.message.encode()


def test_what_is_nested_too_deep_is_refused() -> None:
    with pytest.raises(InvalidInput) as refused:
        check_values({"given": nested(NESTING_MAX + 1)})

    assert refused.value.details["limit"] == NESTING_MAX


def test_a_handle_is_no_longer_than_any_id_and_holds_no_nul() -> None:
    check_handle("é" * ID_CHARS_MAX, "session")

    for handle in ("x" * (ID_CHARS_MAX + 1), "a\0b", "\ud800"):
        with pytest.raises(InvalidInput) as refused:
            check_handle(handle, "session")
        assert refused.value.details["argument"] == "session"


def test_a_text_of_a_key_holds_no_nul() -> None:
    assert without_nul("ab") == "ab"
    with pytest.raises(ValueError, match="NUL"):
        without_nul("a\0b")
