"""What was said in a thread is found by what was said before and after it."""

from datetime import date
from typing import Any

from hansard.app.application import Application
from hansard.app.search_all import Everything
from hansard.app.search_answers import SearchRequest
from hansard.entities.places import places
from hansard.kernel.event import Stamp
from hansard.kernel.operation import Caller, Context
from hansard.kernel.surroundings import TextPlace, surroundings
from tests.entities.asking import said
from tests.entities.near import Near


def asked(app: Application, caller: Caller, operation: str, **arguments: Any) -> dict[str, Any]:
    return app.call(operation, arguments, caller).model_dump()


def begun(app: Application, caller: Caller) -> str:
    made = asked(app, caller, "entity_create", type="messageThread", data={})
    identifier: str = made["entity"]["id"]
    return identifier


def append(app: Application, caller: Caller, thread: str, sender: str, text: str) -> str:
    given = {"thread_id": thread, "sender": sender, "partials": [said(text)]}
    identifier: str = asked(app, caller, "thread_append", **given)["entity"]["id"]
    return identifier


def where(app: Application, *keys: str) -> dict[str, TextPlace]:
    return app.store.read(app.default_project, lambda tx: places(tx, keys))


def test_what_stands_beside_what_was_meant_is_found_too(app: Application, agent: Caller) -> None:
    before = append(app, agent, begun(app, agent), "Ana", "Nice weather")
    question = append(app, agent, before, "Boris", "Where is the spare key?")
    answer = append(app, agent, question, "Ana", "Under the third pot")
    elsewhere = append(app, agent, begun(app, agent), "Ana", "Under the second pot")
    stamp = Stamp(agent.actor, "2026-01-01T00:00:00.000Z")
    context = Context(app.store, app.default_project, agent, stamp)

    request = SearchRequest(query="how to unlock", kinds=["entity"])
    found = [one.id for one in Everything(Near(question)).search(request, context).results]

    assert found[0] == question
    assert {*found} == {question, before, answer}
    assert elsewhere not in found


def test_a_thread_stands_between_what_it_goes_on_from_and_the_latest_that_goes_on(
    app: Application, agent: Caller
) -> None:
    root = begun(app, agent)
    first = append(app, agent, root, "Ana", "One")
    second = append(app, agent, first, "Boris", "Two")
    third = append(app, agent, first, "Chen", "Three")

    there = where(app, first, second, "textDocument::other")
    assert there.keys() == {first, second}
    assert (there[first].before, there[first].after, there[first].who) == (None, third, "Ana")
    assert (there[second].before, there[second].after) == (first, None)
    asked(app, agent, "entity_delete", id=third)
    assert where(app, first)[first].after == second
    assert where(app, third) == {}
    asked(app, agent, "create_project", id="other", name="Other")
    assert app.store.read("other", lambda tx: places(tx, [first])) == {}


def test_a_thread_is_of_the_day_that_it_says_or_that_what_it_goes_on_from_does(
    app: Application, agent: Caller
) -> None:
    plain = append(app, agent, begun(app, agent), "Ana", "Hello")
    dated = append(app, agent, plain, "Boris", "[1:56 pm on 8 May, 2023] Where were we?")
    later = append(app, agent, dated, "Ana", "At the pots")
    other = append(app, agent, later, "Boris", "9 June 2024: we met again")

    days = {key: place.day for key, place in where(app, plain, dated, later, other).items()}

    assert days[plain] not in {None, date(2023, 5, 8), date(2024, 6, 9)}
    assert (days[dated], days[later]) == (date(2023, 5, 8), date(2023, 5, 8))
    assert days[other] == date(2024, 6, 9)


def test_a_day_that_a_thread_tells_of_is_not_the_day_of_what_goes_on_from_it(
    app: Application, agent: Caller
) -> None:
    plain = append(app, agent, begun(app, agent), "Ana", "Hello")
    telling = append(app, agent, plain, "Ana", "The outage on 2019-03-01 taught us a lot")
    later = append(app, agent, telling, "Boris", "So it did")

    there = where(app, plain, telling, later)

    today = there[plain].day
    assert (there[telling].day, there[telling].also) == (today, date(2019, 3, 1))
    assert (there[later].day, there[later].also) == (today, None)


def test_a_thread_is_found_by_its_own_day_and_by_the_day_that_it_tells_of(
    app: Application, agent: Caller
) -> None:
    plain = append(app, agent, begun(app, agent), "Ana", "Hello")
    telling = append(app, agent, plain, "Ana", "The outage on 2019-03-01 taught us a lot")
    there = where(app, plain, telling)
    place, today = there[telling], there[plain].day or date.max
    asked_for = ("The outage of March 2019", "The outage of today", "The outage of May 2018")

    scored = [
        surroundings(query, lambda keys: dict.fromkeys(keys, place), today) for query in asked_for
    ]

    scores = [one.scored({telling: 0.5}, 0.0)[telling] for one in scored]
    assert scores[0] == scores[1] > scores[2]


def test_what_is_said_in_a_chat_is_of_the_day_that_its_name_says(
    app: Application, agent: Caller
) -> None:
    data = {"name": "Session 3, 8 May 2023", "participantId": "Ana"}
    chat = asked(app, agent, "entity_create", type="chatThread", data=data)["entity"]["id"]
    first, second = (
        asked(app, agent, "thread_append", chat_id=chat, sender="Ana", partials=[said(text)])
        for text in ("Hello", "Is anybody there?")
    )

    there = where(app, first["entity"]["id"], second["entity"]["id"])

    assert {place.day for place in there.values()} == {date(2023, 5, 8)}


def test_a_document_is_of_the_day_that_its_title_or_its_beginning_says(
    app: Application, agent: Caller
) -> None:
    def document(title: str, content: str) -> str:
        data = {"title": title, "content": content}
        made = asked(app, agent, "entity_create", type="textDocument", data=data)
        return str(made["entity"]["id"])

    titled = document("Session of 8 May 2023", "We met.")
    begins = document("A session", "Date: 9 June 2024\nWe met.")
    undated = document("A session", "We met." * 99 + "On 9 June 2024.")

    there = where(app, titled, begins, undated)

    assert {key: place.day for key, place in there.items()} == {
        titled: date(2023, 5, 8),
        begins: date(2024, 6, 9),
    }
