"""A refused request leaves no trace: no entry anywhere, no project, no session. Of every operation.

What is asked is the long piece of work that asks everything once, and the same with parts of it
made wrong. A new operation is in it, or the test that everything was asked fails.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hansard.app.application import Application
from hansard.app.home_projects import NamedHome
from hansard.kernel.event import Head
from hansard.kernel.operation import Caller
from hansard.kernel.problem import Problem
from hansard.kernel.store import CATALOG, UNMADE
from hansard.records.contract import Conflict
from tests.conftest import OpenApp, a_caller
from tests.contract.everything_asked import SECRET, Asking, ask_nearly_everything, ask_the_end

Json = dict[str, Any]
Asked = list[tuple[str, Json]]

TOLD = {"file_op"}
"""Refused, it is on the timeline of its own session by contract: what an agent tried to do
to a file is a part of the record. No project is made for the sake of it."""

WRONG: list[Json] = [
    {"no_such_argument": 1},
    {"session_id": "nobody"},
    {"session_id": "nowhere.0123456789"},
    {"project_id": "nowhere"},
    {"project_id": "@catalog"},
    {"project_id": "@unmade"},
]


@pytest.fixture
def everything(open_app: OpenApp, files: Path, monkeypatch: pytest.MonkeyPatch) -> Asking:
    """A store in which all was asked once, and what was asked."""
    monkeypatch.setenv("HANSARD_SECRET", SECRET)
    app = open_app(project="full", embedder="none", review_window_s=0)
    asking = Asking(app, a_caller(secret=SECRET))
    ask_nearly_everything(asking, files)
    ask_the_end(asking)
    return asking


def refusals(
    app: Application, asked: Asked, caller: Caller
) -> Iterator[tuple[str, Problem, Any, Any]]:
    """Ask; of what is refused, give the heads before and after."""
    for name, arguments in asked:
        before = app.store.engine.heads()
        try:
            app.call(name, arguments, caller)
        except Problem as problem:
            yield name, problem, before, app.store.engine.heads()


def is_told(name: str, problem: Problem, before: dict[str, Head], after: dict[str, Head]) -> bool:
    """Whether a refusal is one that the timeline tells, and nothing but that."""
    grown = {project for project in after if after[project] != before.get(project)}
    return grown <= before.keys() - {CATALOG} and (name in TOLD or isinstance(problem, Conflict))


@pytest.mark.holds("ALL-02.21")
def test_nothing_that_is_refused_in_a_project_yet_to_be_made_leaves_a_trace(
    everything: Asking,
) -> None:
    wrong = [(name, given | more) for more in WRONG for name, given in everything.asked]
    refused = set()

    for number, asked in enumerate([*everything.asked, *wrong]):
        caller = replace(a_caller(secret=SECRET), home=NamedHome(f"fresh-{number}"))
        for name, problem, before, after in refusals(everything.app, [asked], caller):
            assert after == before, f"{name} was refused with {problem.code} and left a trace"
            refused.add(name)

    assert {name for name, _ in everything.asked} - refused == set()


@pytest.mark.holds("ALL-02.21")
def test_nothing_that_is_refused_beside_others_leaves_a_trace(everything: Asking) -> None:
    app = everything.app
    wrong = [(name, given | more) for name, given in everything.asked for more in WRONG]
    unknown = [(name, _elsewhere(given)) for name, given in everything.asked]
    again, caller, refused = everything.asked, a_caller(secret=SECRET), set()

    for name, problem, before, after in refusals(app, [*wrong, *unknown, *again], caller):
        is_clean = after == before or is_told(name, problem, before, after)
        assert is_clean, f"{name} was refused with {problem.code} and left a trace"
        refused.add(name)

    asked = {name for name, _ in everything.asked}
    assert asked - refused == set()
    assert UNMADE not in app.store.engine.heads()


def _elsewhere(value: Any) -> Any:
    """Change every id in some arguments to one that nothing has."""
    if isinstance(value, dict):
        return {name: _elsewhere(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_elsewhere(inner) for inner in value]
    if isinstance(value, str) and value[:1] in "RDPC" and value[1:].isdecimal():
        return f"{value[0]}900"
    if isinstance(value, str) and "::" in value:
        return f"{value.partition('::')[0]}::{'0' * 20}"
    return value
