"""A cursor opens the list that it came from, and nothing else: every other one is refused."""

import base64
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest

from hansard.app.application import Application
from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.engines.memory import MemoryEngine, MemoryStore
from hansard.kernel.operation import Caller
from hansard.kernel.problem import InvalidInput, Problem
from hansard.mcp.resources import RESOURCES
from tests.conftest import a_caller
from tests.contract.everything_asked import SECRET, Asking, Json, ask_nearly_everything

SESSION = "main"
TURNS = {"type": "text", "payload": {"content": "And so on"}}


@dataclass
class Lists:
    """One project with more in it than a page holds, and a list of each operation that pages."""

    app: Application
    caller: Caller
    lists: dict[str, tuple[Json, str]]
    """What was asked, and the cursor that it was answered with."""

    def refusal(self, name: str, arguments: Json) -> str | None:
        """Give the code an operation refuses with, or `None` where it answers."""
        try:
            self.app.call(name, arguments, self.caller)
        except Problem as problem:
            return problem.code
        return None


def paging(app: Application) -> list[str]:
    """Name the operations that take a cursor."""
    return [one.name for one in app.catalog if "cursor" in one.request.model_fields]


def _more(asking: Asking) -> None:
    """Put in what makes a second page where one of each would fit the first."""
    for number in range(8):
        asking("workflow_checkpoint_save", context={"n": number, f"k{number}": "x" * 3_000})
        asking("file_op", action="create", path=f"more{number}.py", content="one\n")
        asking("audit_event", type="note", description="A note of some length. " * 20)
        asking("metric_record", samples=[{"name": f"m{number}", "value": 1, "dimensions": {}}])
        asking("record_plan_step", step=f"Step {number}")
        asking("record_step", index=number)
    one, two = (
        asking("workflow_checkpoint_save", context={f"{n}": fill * 300 for n in range(60)})
        for fill in "xy"
    )
    ids = {"from": one["checkpointId"], "to": two["checkpointId"]}
    asking("workflow_checkpoint_diff", **ids, budget_tokens=256)
    record = asking("list_records")["records"][0]["id"]
    asking.another()("activate", id=record)
    made = asking("entity_create", type="messageThread", data={"turns": []})["entity"]["id"]
    for sender in ("user", "assistant", "user"):
        said = asking("thread_append", thread_id=made, sender=sender, partials=[TURNS])
        made = said["entity"]["id"]
    asking("entity_get", id=made, limit=1)


SAMPLES: dict[str, Json] = {
    "undo": {"of_session": SESSION, "preview": True},
    "restore": {"point": "s:1", "preview": True},
    "get_story": {"session_id": SESSION, "budget_tokens": 200},
    "workflow_checkpoint_diff": {"budget_tokens": 256},
}
"""How to ask, where what was asked before does not have two pages."""


def first_pages(asking: Asking) -> Iterator[tuple[str, Json, str]]:
    """Ask each list for so little that there is more, and give the cursor to it."""
    for name in paging(asking.app):
        request = asking.app.catalog.find(name).request.model_fields
        small = {"limit": 1} if "limit" in request else {}
        tried = [given for one, given in asking.asked if one == name]
        for arguments in (*tried[::-1], SAMPLES.get(name, {})):
            asked = arguments | SAMPLES.get(name, {}) | small
            try:
                answer: Any = asking.app.call(name, asked, asking.caller)
            except Problem:
                continue
            if answer.nextCursor:
                yield name, asked, answer.nextCursor
                break


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Lists, Lists]]:
    """The same work done in two projects of one store; what a cursor opens is decided above it."""
    shared, made = MemoryStore(), []
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HANSARD_SECRET", SECRET)
        for project in ("acme", "globex"):
            folder = tmp_path_factory.mktemp(project)
            settings = Settings(
                workspace=str(folder), project=project, embedder="none", review_window_s=0
            )
            app = start(settings, lambda _, schema: MemoryEngine(schema, shared))
            asking = _Named(app, replace(a_caller(secret=SECRET), session=SESSION))
            ask_nearly_everything(asking, folder)
            _more(asking)
            found = {name: (asked, cursor) for name, asked, cursor in first_pages(asking)}
            assert set(paging(app)) - found.keys() == set(), "give these a sample with two pages"
            made.append(Lists(app, asking.caller, found))
    yield made[0], made[1]
    for lists in made:
        lists.app.close()


class _Named(Asking):
    """Asks for projects of its own name."""

    def __call__(self, name: str, /, **arguments: Any) -> Json:
        if name == "create_project":
            arguments["id"] = f"{self.app.default_project}-shop"
        return super().__call__(name, **arguments)


def test_the_list_goes_on_by_its_own_cursor(both: tuple[Lists, Lists]) -> None:
    for lists in both:
        refused = {
            name: lists.refusal(name, asked | {"cursor": cursor})
            for name, (asked, cursor) in lists.lists.items()
        }
        assert {name: code for name, code in refused.items() if code} == {}


@pytest.mark.holds("ALL-08.12")
def test_a_cursor_of_another_operation_project_or_query_is_refused(
    both: tuple[Lists, Lists],
) -> None:
    ours, theirs = both

    for name, (asked, own) in ours.lists.items():
        strange = {one: cursor for one, (_, cursor) in theirs.lists.items()} | {
            f"own {one}": cursor for one, (_, cursor) in ours.lists.items() if one != name
        }
        if name == "list_projects":  # both projects see the same
            assert strange.pop(name) == own
        got = {one: ours.refusal(name, asked | {"cursor": strange[one]}) for one in strange}
        assert {one: code for one, code in got.items() if code != "INVALID_INPUT"} == {}, name


def others(own: str, seed: int = 20261116) -> Iterator[str]:
    """Make up cursors: of any bytes, and of a true one's with one changed, added or left out."""
    dice = random.Random(seed)
    for length in (0, 1, 7, 8, 9, 40, 400):
        yield base64.urlsafe_b64encode(dice.randbytes(length)).decode().rstrip("=")
        yield "".join(chr(dice.randrange(1, 0x2FFF)) for _ in range(length))
    for place in sorted({0, 3, len(own) // 2, len(own) - 2}):
        other = "A" if own[place] != "A" else "B"
        yield own[:place] + other + own[place + 1 :]
        yield own[:place] + own[place + 1 :]
        yield own[:place] + other + own[place:]
    yield from (own + "A", own[:-1], own * 2, own[::-1])
    values: tuple[Any, ...] = (0, -1, 2**63, 2**63 - 1, 2**40 + 1, 1e308, "", "z", True, [], {})
    for value in values:
        yield base64.urlsafe_b64encode(repr([value, ""]).encode()).decode().rstrip("=")


@pytest.mark.holds("ALL-08.12")
def test_a_cursor_that_nobody_gave_is_refused(both: tuple[Lists, Lists]) -> None:
    ours, _ = both

    for name, (asked, own) in ours.lists.items():
        for forged in others(own):
            assert ours.refusal(name, asked | {"cursor": forged}) == "INVALID_INPUT", (name, forged)


CHANGED: dict[str, Json] = {
    "list_records": {"states": ["OPEN"]},
    "search_records": {"query": "another"},
    "search": {"query": "another"},
    "entity_list": {"type": "settings"},
    "get_timeline": {"kinds": ["audit_event"]},
    "workflow_checkpoint_list": {"sessionId": "other"},
    "get_story": {"session_id": "other"},
}


def test_a_cursor_of_another_query_or_session_is_refused(both: tuple[Lists, Lists]) -> None:
    ours, _ = both
    other = replace(ours.caller, session="other")
    ours.app.call("workflow_checkpoint_save", {"context": {"n": 1}}, other)

    for name, changed in CHANGED.items():
        asked, own = ours.lists[name]
        assert ours.refusal(name, asked | changed) is None
        assert ours.refusal(name, asked | changed | {"cursor": own}) == "INVALID_INPUT", name


def test_a_cursor_goes_on_whatever_the_size_of_the_page(both: tuple[Lists, Lists]) -> None:
    ours, _ = both

    for name, (asked, own) in ours.lists.items():
        if "limit" in asked:
            assert ours.refusal(name, asked | {"cursor": own, "limit": 2}) is None, name


def test_a_resource_refuses_cursors_as_its_operation_does(both: tuple[Lists, Lists]) -> None:
    ours, theirs = both
    paged = [one for one in RESOURCES if "cursor" in one._query]
    assert len(paged) > 5

    for resource in paged:
        parts = {"id": SESSION, "path": "a.py", "cursor": theirs.lists["get_timeline"][1]}
        given = {name: parts[name] for name in (*resource._pattern.groupindex, "cursor")}
        with pytest.raises(InvalidInput):
            resource.read(ours.app, ours.caller, given)
