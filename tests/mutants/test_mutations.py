"""The faults that are put into a source are those that are meant, and nothing else changes."""

import ast

import pytest

from tests.mutants.mutations import mutations

CASES = {
    "a < b": ["(a) <= (b)"],
    "a is not b": ["(a) is (b)"],
    "a in b": ["(a) not in (b)"],
    "a and b or c": ["((a and b) and (c))", "((a) or (b)) or c"],
    "not a": ["(a)"],
    "a - b": ["(a) + (b)"],
    "x = 7": ["x = 8"],
    "x = 99": ["x = 100"],
    "x = 700": ["x = 1400"],
    "now() >= deadline": [],
    "time.monotonic() == began": ["(time.monotonic()) != (began)"],
    "x = 64 * 1024 * 1024": ["x = 134217728"],
    "x = 3 * 5": ["x = 16"],
    "x = 3 * y": ["x = 4 * y", "x = (3) // (y)"],
    "x = True": ["x = False"],
    "min(a, b)": ["max(a, b)", "pass"],
    "raise a": ["pass"],
    "if a:\n    b": ["if (not (a)):\n    b"],
    "def f():\n    return a": ["def f():\n    return None"],
    "def f():\n    return None": [],
    "def f():\n    return False": ["def f():\n    return True"],
    '"""What it is."""': [],
    "@dataclass(frozen=True, order=True)\nclass A: ...": [
        "@dataclass(frozen=True, order=False)\nclass A: ..."
    ],
    "WAIT_S = 5": [],
    "ENTRIES_PAGE = 1_000": [],
    "del unused": [],
    "x = zip(a, b, strict=True)": [],
    "del rows[key]": ["pass"],
    "PLACES = 5": ["PLACES = 6"],
    "é = 'ü' < b": ["é = ('ü') <= (b)"],
}


@pytest.mark.parametrize(("source", "faulty"), CASES.items(), ids=CASES)
def test_each_fault_is_put_where_it_belongs(source: str, faulty: list[str]) -> None:
    made = [mutation.put_into(source) for mutation in mutations(source)]

    assert sorted(made) == sorted(faulty)
    for one in made:
        ast.parse(one)


def test_a_fault_is_told_in_a_line() -> None:
    source = "def f(a):\n    return (\n        a > 1\n    )\n"

    told = [(mutation.line, mutation.told(source)) for mutation in mutations(source)]

    assert (3, "a > 1 -> (a) >= (1)") in told
