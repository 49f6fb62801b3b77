"""What finds entities by words or by meaning, and what is shown of one that was found."""

import pytest

from hansard.entities.passages import PASSAGES
from hansard.entities.reading import FoundEntity, found
from hansard.entities.views import WORDS
from hansard.kernel.engine import ReadTx
from hansard.kernel.meaning import Sources
from tests.entities.asking import CHAT, CONNECTION, DOCUMENT, Asking, said


def words(at: Asking, query: str) -> list[str]:
    store, project = at.app.store, at.app.default_project
    return [hit.key for hit in store.read(project, lambda tx: tx.search(WORDS, query, limit=9))]


def shown(at: Asking, identifier: str) -> FoundEntity | None:
    return at.app.store.read(at.app.default_project, lambda tx: found(tx, identifier))


def meanings(at: Asking) -> dict[str, str | None]:
    """Give the passages that follow from the journal, the last of each key."""
    store = at.app.store

    def work(tx: ReadTx) -> dict[str, str | None]:
        passages: dict[str, str | None] = {}
        for entry in tx.entries(limit=100):
            event = store.kinds.decode(entry)
            assert event is not None
            derive = PASSAGES.get(type(event))
            for passage in derive(event, Sources(tx)) if derive else ():
                assert passage.topic == WORDS.name
                passages[passage.key] = passage.text
        return passages

    return store.read(at.app.default_project, work)


def test_documents_are_found_by_what_they_say_now(entities_of: Asking) -> None:
    made = entities_of.create("textDocument", DOCUMENT)
    assert words(entities_of, "shipping") == [made["id"]]

    entities_of.update(made["id"], {"content": "sunk"})

    assert words(entities_of, "shipping") == []
    assert words(entities_of, "sunk plan") == [made["id"]]
    assert meanings(entities_of)[made["id"]] == "A plan\nsunk"
    seen = shown(entities_of, made["id"])
    assert seen is not None
    assert (seen.type, seen.title, seen.text) == ("textDocument", "A plan", "sunk")
    entities_of.delete(made["id"])
    assert words(entities_of, "sunk") == []
    assert shown(entities_of, made["id"]) is None
    assert meanings(entities_of)[made["id"]] is None


def test_a_thread_is_found_by_what_it_adds(entities_of: Asking) -> None:
    chat = entities_of.create("chatThread", CHAT | {"description": "about boats"})
    first = entities_of.append_to_chat(chat["id"], "me", said("a zeppelin")).entity["id"]
    second = entities_of.append_to_chat(chat["id"], "you", said("a balloon")).entity["id"]

    assert words(entities_of, "zeppelin") == [first]
    assert words(entities_of, "boat") == [chat["id"]]
    assert meanings(entities_of)[second] == "a balloon"
    seen = shown(entities_of, second)
    assert seen is not None
    assert (seen.type, seen.title, seen.text) == ("messageThread", "you", "a balloon")


@pytest.mark.holds("ALL-06.7")
def test_a_secret_is_found_by_nothing(entities_of: Asking) -> None:
    made = entities_of.create("modelConnection", CONNECTION)

    assert words(entities_of, "secret") == []
    assert meanings(entities_of) == {made["id"]: "main\nthe usual"}


def test_a_thread_of_several_means_what_each_of_them_says_in_turn(entities_of: Asking) -> None:
    def turn(sender: str, text: str) -> dict[str, object]:
        return {"senderId": sender, "partials": [said(text)]}

    turns = [turn("Ana", "a zeppelin\nat noon"), turn("Boris", "where?"), turn("Ana", "there")]
    several = entities_of.create("messageThread", {"turns": turns})
    alone = entities_of.create("messageThread", {"turns": turns[:1]})

    assert (
        meanings(entities_of)[several["id"]] == "Ana: a zeppelin at noon\nBoris: where?\nAna: there"
    )
    assert meanings(entities_of)[alone["id"]] == "a zeppelin\nat noon"
