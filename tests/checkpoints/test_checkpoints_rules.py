"""What may be saved, whether it need be, and what a channel's next value is packed onto."""

from typing import Any

import pytest

from hansard.checkpoints import rules
from hansard.checkpoints.contract import Metadata, StorageQuotaExceeded
from hansard.checkpoints.limits import KEYFRAME_EVERY, CheckpointQuotas
from hansard.checkpoints.threads.events import Write, WritesKept
from hansard.checkpoints.threads.rules import NO_LINE, base_in, followed, has_ended, pending

QUOTAS = CheckpointQuotas(checkpoint_bytes_max=100, session_bytes_max=200, store_bytes_max=400)


def test_each_group_begins_with_a_save_of_its_own() -> None:
    numbers = [0, 1, KEYFRAME_EVERY - 1, KEYFRAME_EVERY, KEYFRAME_EVERY + 1]

    assert [rules.keyframe_before(number) for number in numbers] == [
        *(0, 0, 0, KEYFRAME_EVERY, KEYFRAME_EVERY)
    ]


def test_a_context_is_saved_again_if_it_or_a_mark_has_changed() -> None:
    latest = {"seq": 5, "context": "h"}

    assert rules.is_unchanged(latest, {}, "h")
    assert rules.is_unchanged(latest, {"key": 5}, "h")
    assert not rules.is_unchanged(latest, {"key": 6, "other": 1}, "h")
    assert not rules.is_unchanged(latest, {}, "other")


def test_nothing_that_was_said_of_a_checkpoint_is_lost() -> None:
    row: dict[str, Any] = {
        "name": "old",
        "tags": ["a"],
        "classes": {"k": "USEFUL"},
        "extra": {"x": 1},
        "cites": ["R1"],
    }
    more = Metadata.model_validate({"tags": ["a", "b"], "classes": {"l": "CRITICAL"}, "y": 2})

    said = rules.said_anew(row, more, ["R1", "R2"])

    assert said == {
        "name": "old",
        "tags": ["a", "b"],
        "classes": {"k": "USEFUL", "l": "CRITICAL"},
        "extra": {"x": 1, "y": 2},
        "cites": ["R1", "R2"],
    }
    assert rules.said_anew(row, Metadata(name="new"), [])["name"] == "new"


def test_an_older_context_may_go_if_every_marked_key_is_in_the_newer_as_it_was() -> None:
    older = {"a": {"x": 1, "y": 2}, "b": 1}

    assert rules.adds_nothing(older, {"a": {"y": 2, "x": 1}}, ["a", "absent"])
    assert not rules.adds_nothing(older, {"a": {"x": 1, "y": 2}}, ["a", "b"])
    assert not rules.adds_nothing(older, {"a": {"x": 2, "y": 2}}, ["a"])
    assert rules.adds_nothing(older, {}, [])


def test_a_quota_is_warned_of_before_it_is_reached_and_refused_beyond() -> None:
    assert rules.check_quotas(QUOTAS, 50, 100, 200) is None
    assert (
        rules.check_quotas(QUOTAS, 100, 100, 200) == "This checkpoint takes 100% of its 100 bytes."
    )
    warned = rules.check_quotas(QUOTAS, 10, 190, 390)
    assert warned
    assert "The session takes 95%" in warned
    assert "The store takes 98%" in warned
    for sizes, limit in (((101, 0, 0), 100), ((0, 201, 0), 200), ((0, 0, 401), 400)):
        with pytest.raises(StorageQuotaExceeded) as refused:
            rules.check_quotas(QUOTAS, *sizes)
        assert refused.value.details == {"limit": limit, "used": max(sizes)}


def kept(task: str, path: str, *writes: tuple[int, str]) -> WritesKept:
    made = [Write(index=index, channel=channel, packed="", blob=None) for index, channel in writes]
    rest: dict[str, Any] = {"thread": "t", "ns": "", "id": "1", "size_bytes": 0}
    return WritesKept(task=task, path=path, writes=made, **rest)


def test_the_first_write_of_a_place_stays_and_the_last_error_does() -> None:
    found = pending(
        [
            kept("t2", "b", (1, "one"), (0, "zero"), (-1, "error")),
            kept("t1", "b", (0, "other")),
            kept("t3", "a", (0, "first")),
            kept("t2", "b", (0, "again"), (-1, "later")),
        ]
    )

    assert [(one.task, one.write.index, one.write.channel) for one in found] == [
        ("t3", 0, "first"),
        ("t1", 0, "other"),
        ("t2", -1, "later"),
        ("t2", 0, "zero"),
        ("t2", 1, "one"),
    ]


def test_a_channel_begins_a_new_line_after_as_many_steps_as_may_share_a_damage() -> None:
    first = followed(NO_LINE, 3, "a", None)
    last = followed(first, 3 + KEYFRAME_EVERY - 1, "b", None)
    new = followed(last, 3 + KEYFRAME_EVERY, "c", None)

    assert has_ended(NO_LINE, 0)
    assert first == {"start": 3, "last": "a", "spare": None}
    assert (last["start"], last["last"]) == (3, "b")
    assert (new["start"], new["last"]) == (3 + KEYFRAME_EVERY, "c")
    assert base_in(first, 4) == "a"
    assert base_in(first, 3 + KEYFRAME_EVERY) is None
    assert base_in(NO_LINE, 0) is None


def test_a_value_that_does_not_change_ends_no_line_and_keeps_its_second_copy() -> None:
    line = {"start": 1, "last": "a", "spare": None}
    spared = followed(line, 50, "a", "a2")

    assert spared == {"start": 1, "last": "a", "spare": "a2"}
    assert followed(spared, 60, "a", None) == spared
    assert base_in(spared, 2) == "a2"
