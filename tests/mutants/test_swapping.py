"""A fault gets into a program that is loaded, or it is said that it cannot."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from tests.mutants.swapping import Loaded, OnImportError

SOURCE = """
from functools import cache

LEAST = 3


def is_enough(count, least=LEAST):
    return count >= least


@cache
def doubled(count):
    return count * 2


def made(least):
    def is_more(count):
        return count > least

    return is_more


is_more = made(LEAST)


class Counter:
    kind = "whole"

    @property
    def total(self):
        return [one + 1 for one in (1, 2)]


triple = lambda count: count * 3
SQUARES = [one * one for one in range(3)]
"""


@pytest.fixture
def module(tmp_path: Path) -> Iterator[ModuleType]:
    file = tmp_path / "example.py"
    file.write_text(SOURCE)
    spec = importlib.util.spec_from_file_location("example", file)
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def change(module: ModuleType, was: str, now: str) -> None:
    assert SOURCE.count(was) == 1
    assert module.__file__
    Loaded().change(Path(module.__file__), SOURCE.replace(was, now))


@pytest.mark.parametrize(
    ("was", "now", "ask", "answer"),
    [
        ("count >= least", "count > least", "is_enough(3)", False),
        ("count * 2", "None", "doubled(2)", None),
        ("count > least", "count < least", "is_more(9)", False),
        ("one + 1", "one - 1", "Counter().total", [0, 1]),
        ("count * 3", "count // 3", "triple(3)", 1),
    ],
)
def test_a_function_that_is_loaded_gets_the_fault(
    module: ModuleType, was: str, now: str, ask: str, answer: object
) -> None:
    change(module, was, now)

    assert eval(ask, vars(module)) == answer


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("LEAST = 3", "LEAST = 4"),
        ("least=LEAST", "least=None"),
        ('kind = "whole"', "kind = None"),
        ("made(LEAST)", "made(1)"),
        ("@cache\n", ""),
        ("one * one", "one // one"),
    ],
)
def test_what_is_done_on_import_is_left_to_a_new_interpreter(
    module: ModuleType, was: str, now: str
) -> None:
    with pytest.raises(OnImportError):
        change(module, was, now)


def test_a_file_that_is_not_loaded_is_left_to_a_new_interpreter(tmp_path: Path) -> None:
    file = tmp_path / "elsewhere.py"
    file.write_text(SOURCE)

    with pytest.raises(OnImportError):
        Loaded().change(file, SOURCE.replace("count >= least", "count > least"))
