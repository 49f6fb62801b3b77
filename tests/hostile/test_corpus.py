"""No case of the corpus is forgotten: each is tried here, or by a test that exists elsewhere."""

import importlib
from pathlib import Path

from tests.hostile.corpus import CASES, HELD_ELSEWHERE, TRIED

ROOT = Path(__file__).parents[2]
FILES = ["test_corpus_protocol", "test_corpus_agents"]


def test_every_case_is_tried_somewhere() -> None:
    for name in FILES:
        importlib.import_module(f"tests.hostile.{name}")

    assert {*CASES} - TRIED - {*HELD_ELSEWHERE} == set()
    assert {*HELD_ELSEWHERE} & TRIED == set()


def test_what_is_held_elsewhere_is_there() -> None:
    for named in HELD_ELSEWHERE.values():
        path, _, name = named.partition("::")
        assert f"def {name}(" in (ROOT / path).read_text(encoding="utf-8"), named
