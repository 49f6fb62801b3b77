"""Every argument of every operation is given values it was not made for: done, or a problem."""

import random
from contextlib import suppress

import pytest

from hansard.app.application import Application, validate
from hansard.app.schema import input_schema
from hansard.app.start import catalog
from hansard.app.verify import verify
from hansard.kernel.cursor import Listing
from hansard.kernel.operation import Operation
from hansard.kernel.problem import Problem
from tests.app.kept import PROJECT
from tests.conftest import a_caller
from tests.depth import deep
from tests.hostile.nasty import ANYTHING, CURSORS, TIMES, Json, fitting

OPERATIONS = {one.name: one for one in catalog()}
TRIED_OF_EACH = 3
POINTS = {"as_of", "since", "until", "from", "to", "point", "entry", "at"}
each_operation = pytest.mark.parametrize("operation", OPERATIONS.values(), ids=OPERATIONS)


def attempt(app: Application, operation: Operation, arguments: Json) -> None:
    """Ask for something; anything that is neither an answer nor a problem fails the test."""
    caller = a_caller("human", "admin")
    with suppress(Problem):
        arguments = tagged(operation, arguments)
        answer = app.call(operation.name, arguments, caller)
        assert answer.text()
        assert answer.model_dump_json()


def tagged(operation: Operation, arguments: Json) -> Json:
    """Give a place that was made up the tag of its list, so that it gets as far as it can."""
    if not isinstance(place := arguments.get("cursor"), str):
        return arguments
    listing = Listing(operation.name, PROJECT, validate(operation, arguments))
    return arguments | {"cursor": listing.cursor(place)}


@each_operation
def test_an_argument_of_any_value_is_taken_or_refused(
    application: Application, operation: Operation
) -> None:
    chance = random.Random(operation.name)
    for name in input_schema(operation)["properties"]:
        aimed = CURSORS if name == "cursor" else TIMES if name in POINTS else []
        for value in [*aimed, *chance.sample(ANYTHING, TRIED_OF_EACH)]:
            attempt(application, operation, fitting(operation) | {name: value})


@pytest.mark.slow("tries a third of all values for every argument, or with HANSARD_FAULTS=all all")
def test_every_argument_takes_or_refuses_every_value(application: Application) -> None:
    step = deep(3, 1)
    for operation in OPERATIONS.values():
        for number, name in enumerate(input_schema(operation)["properties"]):
            for value in ANYTHING[number % step :: step]:
                attempt(application, operation, fitting(operation) | {name: value})

    assert verify(application.store).findings == ()
