"""What people said in turn is found by what was said around it, by whom, and when."""

from typing import Any

import pytest

from hansard.app.application import Application
from hansard.kernel.engine import ReadTx
from hansard.kernel.event import Stamp
from hansard.kernel.operation import Context
from hansard.kernel.query_meaning import telling
from hansard.records.places import places
from hansard.records.reading import texts_of
from hansard.records.views import WORDS
from tests.embedders.following import embed_all
from tests.records.chats import Chat

TURNS = (
    ("Ana", "How was the pottery evening?"),
    ("Boris", "Messy! It cracked a little, but I love it."),
    ("Ana", "That is half the charm."),
)


def talk(chat: Chat, day: str, turns: tuple[tuple[str, str], ...] = TURNS) -> list[str]:
    parent = chat.create(f"Session of {day}", summary="", body="")["id"]
    return [
        chat.create(f"{who} speaks", summary="", body=f"{who}: {line}", parent=parent)["id"]
        for who, line in turns
    ]


def test_an_answer_is_found_by_what_it_answers(app: Application) -> None:
    chat = Chat(app)
    talk(chat, "3 March 2023", (("Ana", "Hello there."), ("Boris", "Good to see you.")))
    _, answered, _ = talk(chat, "7 May 2023")
    embed_all(app)

    found = chat.ask("search_records", query="What did Boris make at the ceramics class?")

    assert answered in [one["id"] for one in found["results"][:3]]


def test_a_day_tells_two_sessions_apart(app: Application) -> None:
    chat = Chat(app)
    early, late = talk(chat, "7 May 2023"), talk(chat, "9 June 2024")

    for day, turns in (("7 May 2023", early), ("9 June 2024", late)):
        found = chat.ask("search_records", query=f"How was the pottery evening on {day}?")
        said = [one["id"] for one in found["results"] if one["title"] == "Ana speaks"]
        assert said[0] == turns[0]


@pytest.mark.parametrize(
    "fields",
    [
        {"title": "D1:3", "body": "I moved.", "metadata": {"speaker": "Ana", "session": "s1"}},
        {"title": "A turn", "body": "[8 May 2023] Ana: I moved."},
        {"title": "A turn", "body": 'Ana said, "I moved."'},
        {"title": "Ana: I moved", "body": "I moved."},
    ],
)
def test_turns_without_a_parent_stand_in_the_order_they_came(
    app: Application, fields: dict[str, Any]
) -> None:
    chat = Chat(app)
    first, second, third = (chat.create(**fields)["id"] for _ in range(3))

    def work(tx: ReadTx) -> tuple[str | None, str | None, str | None]:
        place = places(tx, [second])[second]
        return place.before, place.after, place.who

    assert app.store.read(app.default_project, work) == (first, third, "Ana")


@pytest.mark.parametrize(("other", "said_by"), [("Boris", None), ("Ana", "Ana")])
def test_a_talk_of_several_is_said_by_none_of_them(
    app: Application, other: str, said_by: str | None
) -> None:
    chat = Chat(app)
    body = "\n".join(f"{name}: It rains, and I bake." for name in ("Ana", other) * 3)
    titles = ("A talk", "Ana: we talked", "Ana", "Ana", "Ana")
    ids = [chat.create(title, summary="", body=body)["id"] for title in titles]

    found = app.store.read(app.default_project, lambda tx: places(tx, ids))

    names = {"Ana", "Boris"} & {found[one].who for one in ids}
    assert names == ({said_by} if said_by else set())


SAID = ("I like my new job", "My back hurts", "That is my brother", "How nice", "Thanks, Boris")
NOTED = tuple(f"Step {number} is done" for number in range(37)) + ("Ask my team",) * 3
USED = (*SAID, "Postgres is down since I moved it", "Thanks, Boris", "I told my sister of Redis")
WRITTEN = ("The job runs nightly", "Back up the store", "Postgres is slow", "How nice", "Done")


@pytest.mark.parametrize(
    ("texts", "query", "asked"),
    [
        (SAID, "Where does Ana work?", "Where does work?"),
        (SAID, "What hurts Boris? Is Ana's back fine?", "What hurts ? Is back fine?"),
        (SAID, "How does the Alexanderplatz look?", "How does the Alexanderplatz look?"),
        (SAID, "Who hired Boris?", "Who hired ?"),
        (SAID, "Does OAuth work?", "Does OAuth work?"),
        (NOTED, "Why is Postgres slow?", "Why is Postgres slow?"),
        (NOTED, "What is Redis for?", "What is Redis for?"),
        (NOTED, "How does OAuth work here?", "How does OAuth work here?"),
        (NOTED, "Does Kafka lose messages?", "Does Kafka lose messages?"),
        (USED, "Why is Postgres slow? Is Boris well?", "Why is Postgres slow? Is well?"),
        (USED, "What is Redis for?", "What is Redis for?"),
        (WRITTEN, "Where does Ana work?", "Where does Ana work?"),
        (WRITTEN, "Why is Postgres slow?", "Why is Postgres slow?"),
    ],
)
def test_who_is_asked_about_is_not_compared_where_people_speak_of_themselves(
    app: Application, texts: tuple[str, ...], query: str, asked: str
) -> None:
    chat = Chat(app)
    for text in texts:
        chat.create("-", summary="", body=text)
    stamp = Stamp(chat.caller.actor, "2026-01-01T00:00:00.000Z")
    context = Context(app.store, app.default_project, chat.caller, stamp)

    assert telling(query, WORDS, context, texts_of) == asked


def test_records_that_nobody_says_have_no_neighbours(app: Application) -> None:
    chat = Chat(app)
    ids = [chat.create(title)["id"] for title in ("One", "Two", "Note: three")]

    def work(tx: ReadTx) -> list[str | None]:
        found = places(tx, ids)
        return [side for one in ids[:2] for side in (found[one].before, found[one].after)]

    assert app.store.read(app.default_project, work) == [None] * 4


def test_those_beside_a_record_that_moves_stand_beside_each_other(app: Application) -> None:
    chat = Chat(app)
    one, two, three = talk(chat, "7 May 2023")
    other = chat.create("Elsewhere")["id"]

    chat.ask("move_record", id=two, parent_id=other)

    found = app.store.read(app.default_project, lambda tx: places(tx, [one, two, three]))
    assert (found[one].after, found[three].before) == (three, one)
    assert (found[two].before, found[two].after, found[two].whole) == (None, None, other)
