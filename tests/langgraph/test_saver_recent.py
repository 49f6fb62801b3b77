"""What is answered from memory is what the store holds, whoever has written meanwhile."""

import random
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from hansard.checkpoints.threads import queries, reading
from hansard.kernel.blob import seal, seal_onto, unseal, unseal_along
from hansard.kernel.chain_states import ChainStates
from hansard.langgraph import HansardSaver, cache
from tests.langgraph.conftest import OpenSaver
from tests.langgraph.steps import (
    a_checkpoint,
    config_of,
    growing,
    identifier_of,
    ids_of,
    put,
    values_of,
)

BIG = "what was said stays said. " * 400


def test_what_another_process_put_is_the_latest(open_saver: OpenSaver) -> None:
    ours, theirs = open_saver(), open_saver()
    first = put(ours, {"text": BIG + "one"}, config_of())
    assert values_of(ours, config_of()) == {"text": BIG + "one"}
    assert len(list(ours.list(config_of()))) == 1

    put(theirs, {"text": BIG + "two"}, first, version=2)

    assert values_of(ours, config_of()) == {"text": BIG + "two"}
    assert [one.checkpoint["channel_values"]["text"][-3:] for one in ours.list(config_of())] == [
        "two",
        "one",
    ]


def test_what_another_process_wrote_or_deleted_is_seen_at_once(open_saver: OpenSaver) -> None:
    ours, theirs = open_saver(), open_saver()
    step = put(ours, {"text": BIG}, config_of())
    assert ours.get_tuple(step) is not None

    theirs.put_writes(step, [("text", "more")], "task")
    found = ours.get_tuple(config_of())
    theirs.delete_thread("t")

    assert found is not None
    assert found.pending_writes == [("task", "text", "more")]
    assert ours.get_tuple(config_of()) is None
    assert list(ours.list(config_of())) == []


def test_a_put_below_the_highest_id_is_not_the_latest(saver: HansardSaver) -> None:
    low, high = a_checkpoint({"n": "low"}), a_checkpoint({"n": "high"}, 2)
    saver.put(config_of(), high, {"source": "loop", "step": 1}, high["channel_versions"])

    saver.put(config_of(), low, {"source": "loop", "step": 2}, low["channel_versions"])

    assert values_of(saver, config_of()) == {"n": "high"}
    assert values_of(saver, config_of(identifier=low["id"])) == {"n": "low"}


def test_writes_that_came_before_their_step_are_with_it(saver: HansardSaver) -> None:
    step = a_checkpoint({"n": 1})
    saver.put_writes(config_of(identifier=step["id"]), [("n", 2)], "task")

    saver.put(config_of(), step, {"source": "loop", "step": 1}, step["channel_versions"])

    found = saver.get_tuple(config_of())
    assert found is not None
    assert found.pending_writes == [("task", "n", 2)]


def test_whoever_changes_what_it_was_given_changes_nothing_else(saver: HansardSaver) -> None:
    step = put(saver, {"items": [1, 2], "large": [BIG]}, config_of())

    for config in (config_of(), step):
        given = saver.get_tuple(config)
        assert given is not None
        given.checkpoint["channel_values"]["items"].append(3)
        given.checkpoint["channel_values"]["large"].clear()
        given.checkpoint["channel_versions"]["items"] = 9
        given.metadata["step"] = 9

    again = saver.get_tuple(config_of())
    assert again is not None
    assert again.checkpoint["channel_values"] == {"items": [1, 2], "large": [BIG]}
    assert again.checkpoint["channel_versions"] == {"items": 1, "large": 1}
    assert again.metadata["step"] == 1


@pytest.mark.parametrize("look_bytes", [1, 9_000, 10_000_000])
def test_a_list_is_the_same_however_little_is_read_at_once(
    open_saver: OpenSaver, monkeypatch: pytest.MonkeyPatch, look_bytes: int
) -> None:
    saver, step = open_saver(), config_of()
    states = list(growing(25, random.Random(5)))
    for version, messages in enumerate(states, start=1):
        values = {"messages": messages, "other": BIG + str(version // 4)}
        step = put(saver, values, step, version, even=version % 2 == 0)
    monkeypatch.setattr(queries, "LOOK_BYTES_MAX", look_bytes)

    # A process that has none of it in memory, and asks twice.
    reader = open_saver()
    for _ in range(2):
        listed = list(reader.list(config_of()))
        even = list(reader.list(config_of(), filter={"even": True}, limit=7))

        assert [one.checkpoint["channel_values"]["messages"] for one in listed] == states[::-1]
        assert listed[0].checkpoint["channel_values"]["other"] == BIG + "6"
        assert ids_of(even) == ids_of(listed[1::2])[:7]
        assert even == listed[1::2][:7]
        assert identifier_of(step) == listed[0].checkpoint["id"]
        assert list(reader.list(config_of(), limit=0)) == []


def test_a_limited_list_asked_again_reads_no_value_again(
    open_saver: OpenSaver, monkeypatch: pytest.MonkeyPatch
) -> None:
    saver, step = open_saver(), config_of()
    for version in range(1, 6):
        step = put(saver, {"text": BIG + str(version)}, step, version)
    reader, asked = open_saver(), list[object]()
    read = reading.contents_within

    def counted(*given: Any, **named: Any) -> tuple[dict[str, bytes], list[ChainStates]]:
        asked.append(given)
        return read(*given, **named)

    monkeypatch.setattr(queries, "contents_within", counted)

    first = list(reader.list(config_of(), limit=3))
    assert asked != []
    asked.clear()
    again = list(reader.list(config_of(), limit=3))
    only = next(iter(reader.list(config_of(), limit=3)))

    assert asked == []
    assert first == again
    assert only == first[0]
    put(saver, {"text": BIG + "6"}, step, 6)
    assert ids_of(list(reader.list(config_of(), limit=3)))[1:] == ids_of(first)[:2]


def test_a_list_after_a_put_of_our_own_reads_nothing_of_the_steps_again(
    open_saver: OpenSaver, monkeypatch: pytest.MonkeyPatch
) -> None:
    saver, step = open_saver(), config_of()
    for version in range(1, 5):
        step = put(saver, {"text": BIG + str(version)}, step, version)
    before = list(saver.list(config_of(), limit=3))
    asked: list[object] = []
    read = reading.whole_step

    def counted(*given: Any) -> Any:
        asked.append(given)
        return read(*given)

    monkeypatch.setattr("hansard.checkpoints.threads.queries.whole_step", counted)

    put(saver, {"text": BIG + "5"}, step, 5)
    after = list(saver.list(config_of(), limit=3))

    assert asked == []
    assert [one.checkpoint["channel_values"]["text"][-1] for one in after] == ["5", "4", "3"]
    assert after[1:] == before[:2]
    assert after == list(open_saver().list(config_of(), limit=3))
    assert asked != []


@pytest.mark.parametrize("puts_bytes", [cache.PUTS_BYTES_MAX, 30_000])
def test_lists_and_latest_are_those_of_the_store_whatever_is_put_by_whom(
    open_saver: OpenSaver, monkeypatch: pytest.MonkeyPatch, puts_bytes: int
) -> None:
    monkeypatch.setattr(cache, "PUTS_BYTES_MAX", puts_bytes)
    chance = random.Random(11)
    ours, theirs, reader = open_saver(), open_saver(), open_saver()
    made: list[Any] = []
    places = [config_of(), config_of(ns="sub"), config_of("u")]
    asked = [*places, config_of(ns=None), config_of("u", ns=None)]
    for version in range(1, 60):
        saver = theirs if chance.random() < 0.1 else ours
        act = chance.random()
        if made and act < 0.1:
            saver.put_writes(chance.choice(made), [("text", version)], f"task{version}")
        elif made and act < 0.15:
            again = chance.choice(made)["configurable"]
            place = config_of(again["thread_id"], ns=again["checkpoint_ns"])
            step = a_checkpoint({"text": f"again {version}"}, version)
            step["id"] = again["checkpoint_id"]
            saver.put(place, step, {"source": "loop"}, step["channel_versions"])
        elif act < 0.18:
            saver.delete_thread("u")
            made = [one for one in made if one["configurable"]["thread_id"] != "u"]
        else:
            text = BIG + str(version)
            made.append(put(saver, {"text": text}, chance.choice(places), version))
        for config in chance.sample(asked, 2):
            limit = chance.choice([1, 3, None])
            shown = list(ours.list(config, limit=limit))
            assert shown == list(reader.list(config, limit=limit)), version
        latest = chance.choice(places)
        assert ours.get_tuple(latest) == reader.get_tuple(latest), version


class Strict(JsonPlusSerializer):
    """A serializer of somebody's own, which takes what the protocol says: bytes."""

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        assert type(data[1]) is bytes, f"given {type(data[1]).__name__}"
        return super().loads_typed(data)


def test_a_serializer_of_ones_own_is_given_bytes(open_saver: OpenSaver) -> None:
    saver = open_saver()
    saver.serde = Strict()
    put(saver, {"text": BIG, "items": [BIG]}, config_of())

    assert values_of(saver, config_of()) == {"text": BIG, "items": [BIG]}


def test_contents_along_a_chain_are_those_of_each_alone_or_left_out() -> None:
    contents = [BIG.encode() * 3 + b"x" * number for number in range(6)]
    blobs = [seal(contents[0])]
    for before, data in pairwise(contents):
        blobs.append(seal_onto(data, blobs[-1], before))
    by_digest = {blob.digest: blob for blob in blobs}
    assert blobs[-1].depth == 5

    wanted = {blobs[1].digest, blobs[4].digest, blobs[5].digest}
    found = unseal_along(blobs[-1], by_digest.__getitem__, wanted)
    broken = by_digest | {blobs[4].digest: replace(blobs[4], packed=blobs[4].packed[:6])}
    sound = unseal_along(blobs[-1], lambda one: broken[one], wanted)

    assert found == {one: unseal(by_digest[one], by_digest.__getitem__) for one in wanted}
    assert sound == {blobs[1].digest: contents[1]}


def test_a_store_of_its_own_is_asked_once_a_checkpoint_is_put_elsewhere(tmp_path: Path) -> None:
    with HansardSaver(tmp_path / "one") as one, HansardSaver(tmp_path / "two") as two:
        put(one, {"text": BIG}, config_of())

        assert two.get_tuple(config_of()) is None
