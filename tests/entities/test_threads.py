"""Threads that never change, and chats that move on from one to the next."""

from typing import Any

import orjson
import pytest

from hansard.app.application import Application
from hansard.entities import limits
from hansard.entities.contract import (
    EntityConflict,
    EntityGet,
    EntityNotFound,
    EntityShownAnswer,
    ThreadWrittenAnswer,
)
from hansard.entities.tables import THREADS
from hansard.entities.views import WORDS
from hansard.kernel.cursor import Listing, to_cursor
from hansard.kernel.engine import Position, ReadTx
from hansard.kernel.problem import InvalidInput
from tests.entities.asking import CHAT, Asking, Json, answered, asked, said, texts


@pytest.fixture
def empty(entities_of: Asking) -> str:
    """A thread in which nothing was said yet."""
    return str(entities_of.create("messageThread", {})["id"])


@pytest.mark.holds(
    "ENT-tools-7",
    "ENT-thread-1",
    "ENT-thread-4",
    "002-messageThread-1",
    "002-messageThread-2",
    "002-messageThread-3",
)
def test_an_append_makes_a_new_thread_and_leaves_the_old_one(
    entities_of: Asking, empty: str
) -> None:
    first = entities_of.append(empty, "me", said("hi"))
    second = entities_of.append(first["id"], "me", said("still me"), said("and more"))
    third = entities_of.append(second["id"], "you", said("hello"))

    assert len({empty, first["id"], second["id"], third["id"]}) == 4
    assert texts(entities_of.get(empty)) == []
    assert texts(entities_of.get(first["id"])) == [("me", ["hi"])]
    assert texts(entities_of.get(second["id"])) == [("me", ["hi", "still me", "and more"])]
    assert texts(third) == [("me", ["hi", "still me", "and more"]), ("you", ["hello"])]
    assert entities_of.get(third["id"]) == third
    [mine, _] = third["turns"]
    assert mine["id"] == first["turns"][0]["id"]
    assert (mine["createdAt"], mine["updatedAt"]) == (first["createdAt"], second["createdAt"])


def test_a_thread_is_made_of_turns_as_it_would_be_by_appending(entities_of: Asking) -> None:
    turns = [
        {"senderId": "a", "partials": [said("1"), asked("c")]},
        {"senderId": "tool", "partials": [answered("c")]},
        {"senderId": "tool", "partials": [said("2")]},
    ]

    made = entities_of.create("messageThread", {"turns": turns})

    assert [turn["senderId"] for turn in made["turns"]] == ["a", "tool"]
    assert made["turns"][1]["partials"] == [answered("c"), said("2")]
    assert made["turns"][0]["partials"] == turns[0]["partials"]


UNFIT: list[Any] = [
    {"type": "image", "payload": {"content": "x"}},
    {"type": "text", "payload": {"callId": "x"}},
    {"type": "text", "payload": {"content": "x", "more": 1}},
    {"type": "text", "payload": {"content": "a\0b"}},
    {"type": "text", "payload": {"content": "x" * (limits.OUTPUT_BYTES_MAX + 1)}},
    {"type": "toolRequest", "payload": {"callId": "x", "input": {}}},
    {"type": "toolResponse", "payload": {"callId": "x", "status": "done", "output": ""}},
    {"type": "toolResponse", "payload": {"callId": "x", "status": "completed", "output": {}}},
    {"payload": {"content": "x"}},
    "text",
]


@pytest.mark.holds("ENT-thread-5", "002-messageThread-4", "002-messageThread-5", "ENT-shape-4")
def test_a_partial_is_one_of_three_shapes(entities_of: Asking, empty: str) -> None:
    before = entities_of.head()

    for unfit in UNFIT:
        with pytest.raises(InvalidInput, match="partials"):
            entities_of.append(empty, "me", unfit)
    with pytest.raises(InvalidInput, match="sender"):
        entities_of.append(empty, "", said("x"))
    with pytest.raises(InvalidInput, match="thread_id"):
        entities_of.app.call(
            "thread_append", {"sender": "me", "partials": [said("x")]}, entities_of.caller
        )

    assert entities_of.head() == before
    for status in ("notStarted", "inProgress", "completed", "failed"):
        response = {"callId": "x", "status": status, "output": "…"}
        whole = [asked("x"), {"type": "toolResponse", "payload": response}]
        made = entities_of.append(empty, "me", *whole)
        assert made["turns"][0]["partials"] == whole


@pytest.mark.holds("ENT-thread-6", "ENT-thread-7")
def test_a_tool_response_answers_an_open_request_once(entities_of: Asking, empty: str) -> None:
    waiting = entities_of.append(empty, "me", asked("c1"), asked("c2"))["id"]
    done = entities_of.append(waiting, "tool", answered("c2"))["id"]

    for thread, partials in [
        (empty, [answered("c1")]),
        (waiting, [answered("c3")]),
        (done, [answered("c2")]),
        (waiting, [answered("c1"), answered("c1")]),
        (waiting, [asked("c1")]),
    ]:
        with pytest.raises(InvalidInput, match=r"callId|open already"):
            entities_of.append(thread, "tool", *partials)

    # Each thread waits for its own: what another was answered is still open here.
    assert entities_of.append(waiting, "tool", answered("c2"), answered("c1"))
    assert entities_of.append(done, "me", answered("c1"), asked("c2"), answered("c2"))


@pytest.mark.holds("ENT-thread-8")
def test_a_tool_response_may_progress_and_each_is_kept(entities_of: Asking, empty: str) -> None:
    steps = ["notStarted", "inProgress", "inProgress", "failed"]
    thread = entities_of.append(empty, "me", asked("c"))
    for number, status in enumerate(steps):
        thread = entities_of.append(thread["id"], "tool", answered("c", f"{number}", status))
    with pytest.raises(InvalidInput):
        entities_of.append(thread["id"], "tool", answered("c"))

    told = entities_of.get(thread["id"])["turns"][1]["partials"]

    assert [one["payload"]["status"] for one in told] == steps
    assert [one["payload"]["output"] for one in told] == ["0", "1", "2", "3"]
    assert entities_of.append(thread["id"], "me", asked("c"))


@pytest.mark.holds("ENT-thread-8")
def test_progress_keeps_the_request_open_and_never_falls_back(
    entities_of: Asking, empty: str
) -> None:
    thread = entities_of.append(empty, "me", asked("c"))
    begun = entities_of.append(thread["id"], "tool", answered("c", status="inProgress"))
    with pytest.raises(InvalidInput):
        entities_of.append(begun["id"], "me", asked("c"))
    with pytest.raises(InvalidInput):
        entities_of.append(begun["id"], "tool", answered("c", status="notStarted"))

    one = entities_of.append(begun["id"], "tool", answered("c"))
    other = entities_of.append(begun["id"], "tool", answered("c", status="failed"))

    for ended in (one, other):
        with pytest.raises(InvalidInput):
            entities_of.append(ended["id"], "tool", answered("c", status="inProgress"))


def test_too_many_open_requests_are_refused(entities_of: Asking, empty: str) -> None:
    many = [asked(f"c{number}") for number in range(limits.OPEN_CALLS_MAX)]
    full = entities_of.append(empty, "me", *many)["id"]

    with pytest.raises(InvalidInput, match=str(limits.OPEN_CALLS_MAX)):
        entities_of.append(full, "me", asked("one more"))


@pytest.mark.holds("ENT-thread-3")
def test_forks_do_not_see_each_other(entities_of: Asking, empty: str) -> None:
    root = entities_of.append(empty, "me", said("root"))["id"]
    fork = entities_of.append(root, "me")
    twice = entities_of.append(fork["id"], "me")

    left = entities_of.append(twice["id"], "me", said("left"))
    right = entities_of.append(fork["id"], "you", said("right"))

    assert texts(fork) == texts(twice) == texts(entities_of.get(root)) == [("me", ["root"])]
    assert len({root, fork["id"], twice["id"]}) == 3
    assert texts(left) == [("me", ["root", "left"])]
    assert texts(right) == [("me", ["root"]), ("you", ["right"])]


def test_a_thread_outlives_the_one_it_goes_on_from(entities_of: Asking, empty: str) -> None:
    first = entities_of.append(empty, "me", said("1"))
    second = entities_of.append(first["id"], "you", said("2"))

    entities_of.delete(first["id"])

    assert texts(entities_of.get(second["id"])) == [("me", ["1"]), ("you", ["2"])]
    with pytest.raises(EntityNotFound):
        entities_of.append(first["id"], "me", said("3"))


class Counting:
    """Counts what is read of threads."""

    def __init__(self, tx: ReadTx) -> None:
        self._tx = tx
        self.blobs = self.rows = 0

    def get(self, *args: Any, **kwargs: Any) -> Any:
        self.rows += args[0] is THREADS
        return self._tx.get(*args, **kwargs)

    def blob(self, *args: Any) -> Any:
        self.blobs += 1
        return self._tx.blob(*args)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tx, name)


def long_thread(at: Asking, turns: int) -> str:
    """Make a thread by one append for each turn."""
    thread = at.create("messageThread", {})["id"]
    for number in range(turns):
        thread = at.append(thread, "me" if number % 2 else "you", said(f"{number}"))["id"]
    return str(thread)


def numbers(entity: Json) -> list[int]:
    return [int(text) for _, told in texts(entity) for text in told]


@pytest.mark.holds("ENT-thread-2")
def test_a_look_into_a_long_thread_reads_what_it_shows_and_little_more(
    entities_of: Asking,
) -> None:
    from hansard.entities.reading import Look, find, show

    thread = long_thread(entities_of, 80)

    def work(tx: ReadTx) -> None:
        for end in (80, 45, 11):
            counting: Any = Counting(tx)
            cursor = to_cursor(Position(end, thread))
            entity, rest = show(counting, *find(tx, thread), Look(limit=10, cursor=cursor))
            assert numbers(entity) == list(range(end - 10, end))
            assert rest is not None
            assert entity["turnsTotal"] == 80
            assert counting.blobs <= 11
            assert counting.rows <= 10 + 2 * 2 * 7

    store = entities_of.app.store
    store.read(entities_of.app.default_project, work)


@pytest.mark.holds("ENT-thread-2")
def test_what_an_append_writes_does_not_grow_with_the_thread(entities_of: Asking) -> None:
    app = entities_of.app
    thread = entities_of.create("messageThread", {})["id"]

    def written(tx: ReadTx) -> int:
        [entry] = tx.entries(after=tx.head().seq - 1, limit=1)
        row = tx.get(THREADS, thread)
        assert row is not None
        blob = tx.blob(row["segment"])
        assert blob is not None
        return len(entry.payload or b"") + len(orjson.dumps(row)) + len(blob.packed)

    sizes = []
    for number in range(60):
        sender = "me" if number % 2 else "you"
        thread = entities_of.append(thread, sender, said("the same"))["id"]
        sizes.append(app.store.read(app.default_project, written))

    # Numbers get more digits, and that is all.
    assert max(sizes[50:]) - min(sizes[10:20]) <= 20


def test_a_long_thread_is_read_page_by_page(entities_of: Asking) -> None:
    thread = long_thread(entities_of, 25)

    shown = entities_of.ask(EntityShownAnswer, "entity_get", id=thread, limit=10)
    seen = numbers(shown.entity)
    while shown.nextCursor:
        assert shown.nextCursor in shown.text()
        shown = entities_of.ask(
            EntityShownAnswer, "entity_get", id=thread, limit=10, cursor=shown.nextCursor
        )
        seen = numbers(shown.entity) + seen

    assert seen == list(range(25))
    assert "turnsTotal" not in entities_of.get(thread)
    for cursor in ("nonsense", "WyJhIiwiYiJd"):
        with pytest.raises(InvalidInput):
            entities_of.get(thread, cursor=cursor)


def test_a_page_is_bounded_even_within_one_turn(
    entities_of: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "PARTIALS_SHOWN_MAX", 10)
    thread = entities_of.create("messageThread", {})["id"]
    for number in range(5):
        partials = [said(f"{number * 5 + offset}") for offset in range(5)]
        thread = entities_of.append(thread, "me", *partials)["id"]

    last = entities_of.ask(EntityShownAnswer, "entity_get", id=thread)

    assert numbers(last.entity) == list(range(15, 25))
    assert last.nextCursor
    earlier = entities_of.get(thread, cursor=last.nextCursor)
    [turn], [begun] = last.entity["turns"], entities_of.thread(thread)["turns"]
    assert turn["id"] == earlier["turns"][0]["id"]
    # A part of a turn says when the turn began, not when the part did.
    assert turn["createdAt"] == earlier["turns"][0]["createdAt"] == begun["createdAt"]
    assert numbers(entities_of.thread(thread)) == list(range(25))


def test_a_turn_is_whole_however_many_appends_made_it(entities_of: Asking, empty: str) -> None:
    thread = entities_of.append(empty, "you", said("0"))["id"]
    for number in range(1, 5):
        thread = entities_of.append(thread, "me", said(f"{number}"))["id"]

    assert numbers(entities_of.get(thread, limit=1)) == [1, 2, 3, 4]


def test_a_cursor_may_point_anywhere(entities_of: Asking, empty: str) -> None:
    thread = entities_of.append(empty, "me", *(said(f"{number}") for number in range(5)))["id"]

    for place, seen in {3: [0, 1, 2], -1: [], 99: [0, 1, 2, 3, 4]}.items():
        listing = Listing("entity_get", "default", EntityGet(id=thread))
        cursor = listing.cursor(to_cursor(Position(place, thread)))
        assert numbers(entities_of.get(thread, cursor=cursor)) == seen


def test_an_append_answers_with_little_however_long_the_thread(entities_of: Asking) -> None:
    thread = long_thread(entities_of, 30)

    last = entities_of.ask(
        ThreadWrittenAnswer, "thread_append", thread_id=thread, sender="me", partials=[said("30")]
    )

    assert len(last.entity["turns"]) <= limits.APPENDED_SHOWN_TURNS_MAX
    assert last.entity["turns"][-1]["partials"][-1] == said("30")
    assert last.entity["turnsTotal"] == 30
    assert last.nextCursor


def test_what_was_said_is_found_by_its_words(entities_of: Asking, empty: str) -> None:
    first = entities_of.append(empty, "me", said("the zeppelin has landed"))
    second = entities_of.append(first["id"], "you", said("which one?"))

    def found(words: str) -> list[str]:
        app = entities_of.app
        hits = app.store.read(app.default_project, lambda tx: tx.search(WORDS, words, limit=5))
        return [hit.key for hit in hits]

    assert found("zeppelins") == [first["id"]]
    entities_of.delete(first["id"])
    assert found("zeppelins") == []
    assert second["id"]


# Chats.


@pytest.mark.holds("ENT-chat-1", "002-chatThread-1")
def test_a_chat_moves_to_the_new_thread(entities_of: Asking) -> None:
    chat = entities_of.create("chatThread", CHAT)
    assert texts(entities_of.get(chat["threadId"])) == []

    first = entities_of.append_to_chat(chat["id"], "me", said("hi"))
    second = entities_of.append_to_chat(chat["id"], "you", said("hello"))

    moved = entities_of.get(chat["id"])
    assert moved["threadId"] == second.entity["id"] != first.entity["id"]
    assert second.chat_id == chat["id"]
    assert texts(second.entity) == [("me", ["hi"]), ("you", ["hello"])]
    assert moved["updatedAt"] > chat["updatedAt"]
    assert {key: moved[key] for key in CHAT} == CHAT
    heads = entities_of.list("chatThread", where={"threadId": second.entity["id"]})
    assert [one["id"] for one in heads.entities] == [chat["id"]]


@pytest.mark.holds("ENT-chat-2")
def test_a_chat_that_has_moved_on_is_not_moved_by_who_does_not_know(entities_of: Asking) -> None:
    chat = entities_of.create("chatThread", CHAT)
    start = chat["threadId"]
    first = entities_of.append_to_chat(chat["id"], "me", said("1"), thread_id=start)

    with pytest.raises(EntityConflict) as refused:
        entities_of.append_to_chat(chat["id"], "you", said("2"), thread_id=start)

    assert refused.value.details["thread_id"] == first.entity["id"]
    again = entities_of.append_to_chat(
        chat["id"], "you", said("2"), thread_id=refused.value.details["thread_id"]
    )
    assert texts(again.entity) == [("me", ["1"]), ("you", ["2"])]


def test_a_chat_is_moved_by_an_update_only_knowingly(entities_of: Asking, empty: str) -> None:
    chat = entities_of.create("chatThread", CHAT)

    with pytest.raises(InvalidInput, match="expected_updated_at"):
        entities_of.update(chat["id"], {"threadId": empty})
    with pytest.raises(EntityNotFound):
        entities_of.update(
            chat["id"],
            {"threadId": "messageThread::nope"},
            expected_updated_at=chat["updatedAt"],
        )

    with pytest.raises(InvalidInput, match="threadId"):
        entities_of.update(chat["id"], {"threadId": None}, expected_updated_at=chat["updatedAt"])

    assert entities_of.update(chat["id"], {"name": "new"})["threadId"] == chat["threadId"]
    now = entities_of.get(chat["id"])["updatedAt"]
    moved = entities_of.update(chat["id"], {"threadId": empty}, expected_updated_at=now)
    assert moved["threadId"] == empty


def test_the_thread_of_a_chat_cannot_be_deleted_under_it(entities_of: Asking) -> None:
    chat = entities_of.create("chatThread", CHAT)

    with pytest.raises(EntityConflict):
        entities_of.delete(chat["threadId"])
    with pytest.raises(EntityNotFound):
        entities_of.create("chatThread", CHAT | {"threadId": chat["id"]})

    entities_of.delete(chat["id"])
    entities_of.delete(chat["threadId"])


def test_a_thread_survives_a_rebuild(entities_of: Asking, app: Application) -> None:
    thread = long_thread(entities_of, 20)
    before = entities_of.get(thread)

    app.store.rebuild(app.default_project)

    assert entities_of.get(thread) == before
