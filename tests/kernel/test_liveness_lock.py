"""Whoever takes a lifeline counts as alive under its name, until it is dropped."""

from hansard.engines.memory import MemoryEngine
from hansard.kernel.engine import Schema
from hansard.kernel.liveness_lock import Lifeline


def test_it_is_held_under_the_name_that_is_told_from_taking_it_to_dropping_it() -> None:
    engine = MemoryEngine(Schema((), ()))
    lifeline, another = Lifeline(), Lifeline()
    names = [lifeline.name, another.name]
    assert engine.held(names) == set()

    for _ in range(2):
        lifeline.take(engine)
        assert engine.held(names) == {lifeline.name}
        lifeline.drop()
        assert engine.held(names) == set()

    assert lifeline.name != another.name


def test_it_is_taken_once_however_often_it_matters() -> None:
    engine = MemoryEngine(Schema((), ()))
    lifeline = Lifeline()

    lifeline.take(engine)
    lifeline.take(engine)
    lifeline.drop()

    assert engine.held([lifeline.name]) == set()
