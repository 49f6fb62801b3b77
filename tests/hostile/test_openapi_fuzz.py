"""Requests made from the OpenAPI document at a real server: no 500, every answer as described."""

import json
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from hansard.app.openapi import BASE, document
from hansard.app.start import catalog
from hansard.app.verify import verify
from tests.depth import deep
from tests.hostile.from_schema import fitting
from tests.hostile.nasty import ANYTHING, drawn
from tests.hostile.serving import opened
from tests.http.serving import Browser, let_in, serving

DOCUMENT: dict[str, Any] = document(catalog())
OPERATIONS = {path.removeprefix(f"{BASE}/"): one["post"] for path, one in DOCUMENT["paths"].items()}
SEED = 20261115
EACH = 4


def body_schema(operation: str) -> Any:
    return OPERATIONS[operation]["requestBody"]["content"]["application/json"]["schema"]


def validators() -> dict[str, Draft202012Validator]:
    return {
        name: Draft202012Validator(one["responses"]["200"]["content"]["application/json"]["schema"])
        for name, one in OPERATIONS.items()
    }


FITS = validators()
IS_ERROR = Draft202012Validator(DOCUMENT["components"]["schemas"]["Error"])


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Someone who was let in to a server with a little in its store."""
    with serving(tmp_path_factory.mktemp("home")) as server:
        person = let_in(server)
        record = {"type": "note", "title": "t", "summary": "s", "body": "b"}
        person.call("create_record", **record)
        yield person


def bodies(operation: str) -> st.SearchStrategy[Any]:
    """Make bodies that fit the schema, and such with one argument that was made for nothing."""
    whole = fitting(body_schema(operation))
    names = st.sampled_from([*body_schema(operation)["properties"], "extra"])
    return whole | st.builds(
        lambda body, name, value: body | {name: value}, whole, names, drawn(ANYTHING)
    )


def judge(browser: Browser, operation: str, body: Any) -> int:
    """Post a body; gives the status, after comparing the answer with its description."""
    status, answer = browser.post(operation, body)
    assert status < 500, (operation, body, answer)
    expected = FITS[operation] if status == 200 else IS_ERROR
    faults = [fault.message for fault in expected.iter_errors(answer)]
    assert faults == [], (operation, body, answer)
    return status


def try_one(browser: Browser, operation: str, examples: int) -> Counter[int]:
    """Post so many bodies to an operation; gives how often each status came back."""
    statuses: Counter[int] = Counter()

    @seed(SEED)
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(bodies(operation))
    def attempt(body: Any) -> None:
        statuses[judge(browser, operation, body)] += 1

    attempt()
    return statuses


@pytest.mark.timeout(1_800)
@pytest.mark.parametrize(
    "examples",
    [EACH, pytest.param(deep(30, 100), marks=pytest.mark.slow("posts thousands of bodies"))],
)
def test_every_answer_is_as_the_document_describes_it(browser: Browser, examples: int) -> None:
    statuses: Counter[int] = Counter()
    for operation in sorted(OPERATIONS):
        statuses += try_one(browser, operation, examples)

    assert {200, 400} <= {*statuses}
    with opened(browser.server.home / "store") as app:
        assert verify(app.store).findings == ()


def test_a_body_that_is_no_object_of_arguments_is_refused(browser: Browser) -> None:
    chance = random.Random(SEED)
    for _ in range(100):
        raw = chance.randbytes(chance.randrange(1, 60))
        operation = chance.choice(sorted(OPERATIONS))
        headers = {
            "content_type": "application/json",
            "x_hansard_page": "1",
            "cookie": browser.cookie,
            "origin": browser.server.base,
        }
        answer = browser.server.request("POST", f"{BASE}/{operation}", raw, **headers)

        assert answer.status == 400, raw
        assert IS_ERROR.is_valid(json.loads(answer.body))
