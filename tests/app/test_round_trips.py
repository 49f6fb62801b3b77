"""How often a call asks PostgreSQL and waits: each time costs a team the way to its server."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from anyio.from_thread import start_blocking_portal
from httpx2 import ASGITransport, AsyncClient
from starlette.applications import Starlette

from hansard.app import tokens
from hansard.app.application import Application
from hansard.app.openapi import BASE
from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.http.site import Site
from hansard.kernel.clock import to_text, utc_now
from hansard.kernel.event import Actor, Stamp
from hansard.langgraph import HansardSaver
from tests.engines.wire import Asked, Wire
from tests.langgraph.steps import config_of, put
from tests.records.chats import Chat

pytestmark = pytest.mark.postgres

WARM = 2
CHILDREN = 5
REASON = "because it was measured and found to hold"

Call = Callable[[Chat, int], Any]

STATEMENTS_MAX = {"write a file": 18}
"""How many statements it may take, where that is not twelve."""

CALLS: dict[str, tuple[int, Call]] = {
    "create": (3, lambda chat, n: chat.create(f"Record {n}")),
    "update": (4, lambda chat, n: chat.update("R001", body=f"Body {n}\n")),
    "decide": (
        3,
        lambda chat, n: chat.ask(
            "record_decision", title=f"D{n}", target=f"t{n}", rationale=REASON
        ),
    ),
    "write a file": (
        6,
        lambda chat, n: chat.ask("file_op", action="create", path=f"{n}.txt", content="text\n"),
    ),
    "save": (
        4,
        lambda chat, n: chat.ask("workflow_checkpoint_save", context={"step": n}),
    ),
    "activate": (4, lambda chat, _: chat.activate("R001")),
    "look over the project": (1, lambda chat, _: chat.ask("get_project_overview")),
}
"""By what is done: how many round trips it may take, and how it is asked for.

A ratchet: the numbers may go down.
"""


@pytest.fixture
def team(emptied_postgres: str, tmp_path: Path) -> Iterator[Application]:
    """A server of a team."""
    application = start(Settings(store=emptied_postgres, workspace=str(tmp_path), embedder="none"))
    yield application
    application.close()


@pytest.mark.parametrize("what", CALLS)
def test_a_call_waits_no_more_often_than_it_must(team: Application, what: str) -> None:
    chat, wire = Chat(team), Wire()
    chat.create("The parent")
    for number in range(CHILDREN):
        chat.create(f"Child {number}", parent="R001")
    chat.activate("R001")
    most, call = CALLS[what]

    with wire.counting():
        for number in range(WARM):
            call(chat, number)
        asked = wire.of(partial(call, chat, WARM))

    assert asked.statements, "nothing was counted"
    assert asked.round_trips <= most, "\n".join(asked.statements)
    assert len(asked.statements) <= STATEMENTS_MAX.get(what, 12), "\n".join(asked.statements)


def test_a_saved_step_of_a_graph_asks_no_more_than_it_must(emptied_postgres: str) -> None:
    wire = Wire()
    with HansardSaver(emptied_postgres) as saver, wire.counting():
        last = config_of()
        for number in range(WARM + 1):
            last = put(saver, {"messages": f"{number} " * 500}, last, number + 1)
        asked = wire.of(lambda: put(saver, {"messages": "at last " * 500}, last, WARM + 2))

    # The heads; what is new of it, and the row of its step; all that it changes.
    assert 0 < len(asked.statements) <= 4, "\n".join(asked.statements)
    assert asked.round_trips <= 3, "\n".join(asked.statements)


OVER_HTTP: dict[tuple[str, bool], tuple[int, int]] = {
    ("create_record", True): (8, 4),
    ("create_record", False): (9, 5),
    ("record_decision", True): (8, 4),
    ("record_decision", False): (9, 5),
    ("get_project_overview", True): (2, 2),
}
"""Statements and round trips of a call with a token, which may name its session or begin another.

A ratchet: the numbers may go down.
"""


@pytest.mark.parametrize(("operation", "names_session"), OVER_HTTP)
def test_a_call_over_http_asks_no_more_than_it_must(
    team: Application, tmp_path: Path, operation: str, names_session: bool
) -> None:
    wire = Wire()
    with over_http(team, Settings(workspace=str(tmp_path))) as post, wire.counting():
        given = {"session_id": post("create_record", **a_record(0))["session_id"]}
        for number in range(WARM + 1):
            post(operation, **arguments(operation, number), **(given if names_session else {}))
        more = arguments(operation, WARM + 1) | (given if names_session else {})
        asked = wire.of(partial(post, operation, **more))

    statements, round_trips = OVER_HTTP[operation, names_session]
    assert 0 < len(asked.statements) <= statements, "\n".join(asked.statements)
    assert asked.round_trips <= round_trips, "\n".join(asked.statements)


def arguments(operation: str, number: int) -> dict[str, Any]:
    decision = {"title": f"D{number}", "target": f"t{number}", "rationale": REASON}
    some = {"create_record": a_record(number), "record_decision": decision}
    return some.get(operation, {})


def a_record(number: int) -> dict[str, Any]:
    return {"type": "note", "title": f"t{number}", "summary": "s", "body": "b" * 500}


@contextmanager
def over_http(application: Application, settings: Settings) -> Iterator[Callable[..., Any]]:
    """Serve an application in this process; gives what posts to it with a token."""
    stamp = Stamp(Actor("human", "maria", "admin"), to_text(utc_now()))
    _, token = tokens.create(application.store, tokens.WantedToken("agent"), stamp, "proved")
    site = Site(application, settings)
    served = ASGITransport(site.around(Starlette(routes=site.routes()), lambda inner: inner))
    with start_blocking_portal() as portal:

        async def posted(operation: str, given: dict[str, Any]) -> Any:
            async with AsyncClient(transport=served, base_url="http://localhost") as client:
                headers = {"authorization": f"Bearer {token}"}
                answer = await client.post(f"{BASE}/{operation}", json=given, headers=headers)
            assert answer.status_code == 200, answer.text
            return answer.json()

        yield lambda operation, **given: portal.call(posted, operation, given)
        site.end()


SEARCHES: dict[str, dict[str, Any]] = {
    "by words": {"query": "cache"},
    "by words, as it was": {"query": "cache", "mode": "audit"},
    "all there is": {"query": "", "where": {"status": "active"}},
    "a history": {"query": "", "where": {"target": "changing"}, "history": True},
}


@pytest.mark.parametrize("what", SEARCHES)
def test_a_search_of_decisions_waits_no_more_often_where_it_finds_more(
    team: Application, emptied_postgres: str, tmp_path: Path, what: str
) -> None:
    chat = Chat(team)
    given = {"title": "The cache", "rationale": REASON}
    ends = [chat.ask("record_decision", target="changing", **given)["decision_id"]]

    def decide() -> None:
        number = len(ends)
        chat.ask("record_decision", target=f"t{number}", **given | {"title": f"Cache {number}"})
        old, changed = [ends[-1]], given | {"title": f"Cache as of {number}"}
        new = chat.ask("supersede_decision", old_decision_ids=old, target="changing", **changed)
        ends.append(new["decision_id"])

    def searched() -> tuple[int, Asked]:
        """Search as a process that has not seen any of it."""
        settings = Settings(store=emptied_postgres, workspace=str(tmp_path), embedder="none")
        stranger, wire, found = start(settings), Wire(), list[int]()
        other = Chat(stranger)

        def search() -> None:
            answer = other.ask("search_decisions", limit=20, **SEARCHES[what])
            found.append(len(answer["results"]))

        with closing(stranger), wire.counting():
            other.ask("list_records")
            asked = wire.of(search)
        return found[-1], asked

    decide()
    few, asked_for_few = searched()
    for _ in range(6):
        decide()
    many, asked_for_many = searched()

    assert many >= few + 6
    assert asked_for_many.round_trips == asked_for_few.round_trips
