"""A graph's history on a bad disk: puts prove what they name, and damage stays small."""

import random
from pathlib import Path
from typing import Any

import pytest
from langchain_core.runnables import RunnableConfig

from hansard.app.keeping.garbage_collection import collect
from hansard.app.keeping.redaction import WantedErasure, erase
from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.app.verify import verify
from hansard.checkpoints.limits import KEYFRAME_EVERY
from hansard.kernel.blob import Digest
from hansard.kernel.event import SYSTEM, Actor, Stamp
from hansard.kernel.problem import BlobDamaged
from hansard.langgraph import HansardSaver
from hansard.sdk import Hansard
from tests.checkpoints.contexts import hardly_packed, sql
from tests.checkpoints.damaging import all_blobs, flip, flipped
from tests.langgraph.conftest import OpenSaver
from tests.langgraph.steps import a_checkpoint, config_of, growing, put, values_of

LATER = "2999-01-01T00:00:00.000000Z"
GC = Stamp(SYSTEM, LATER)
PERSON = Stamp(Actor("human", "maria", "admin"), LATER)
BIG = "what was said stays said. " * 100


def put_onto(
    saver: HansardSaver, values: dict[str, Any], parent: RunnableConfig, step: int, *changed: str
) -> RunnableConfig:
    """Put a checkpoint of which only some channels are new."""
    found = saver.get_tuple(parent) if step > 1 else None
    before = found.checkpoint["channel_versions"] if found else {}
    versions = {name: step if name in changed else before.get(name, 1) for name in values}
    checkpoint = a_checkpoint(values, step, channel_versions=versions)
    new = {name: versions[name] for name in changed}
    return saver.put(parent, checkpoint, {"source": "loop", "step": step}, new)


def collected(store: Path) -> None:
    """Collect in another process all that was deleted."""
    other = start(Settings(store=str(store)))
    collect(other.store, deleted_before=LATER, stamp=GC)
    other.close()


@pytest.mark.holds("CHK-blob-7")
def test_what_was_collected_meanwhile_is_stored_again(tmp_path: Path) -> None:
    with Hansard(tmp_path) as hansard, HansardSaver(hansard) as saver:
        put(saver, {"kept": BIG}, config_of("gone"))
        saver.delete_thread("gone")
        collected(tmp_path)
        assert all_blobs(tmp_path) == []

        config = put(saver, {"kept": BIG}, config_of("new"))

        assert values_of(saver, config) == {"kept": BIG}
        assert verify(hansard.application.store).exit_code == 0


@pytest.mark.holds("CHK-blob-7")
def test_what_another_process_deleted_and_collected_is_no_base(tmp_path: Path) -> None:
    with Hansard(tmp_path) as hansard, HansardSaver(hansard) as saver:
        parent = put(saver, {"kept": BIG, "grown": [BIG]}, config_of())
        with HansardSaver(tmp_path) as other:
            other.delete_thread("t")
        collected(tmp_path)

        config = put(saver, {"kept": BIG, "grown": [BIG, "more"]}, parent, 2)

        assert values_of(saver, config) == {"kept": BIG, "grown": [BIG, "more"]}
        assert verify(hansard.application.store).exit_code == 0


@pytest.mark.holds("CHK-blob-7")
def test_a_value_that_the_parent_had_is_given_whole_once_it_is_gone(tmp_path: Path) -> None:
    with HansardSaver(tmp_path) as saver:
        values = {"kept": BIG, "count": 1}
        parent = put_onto(saver, values, config_of(), 1, *values)
        with HansardSaver(tmp_path) as other:
            other.delete_thread("t")
        collected(tmp_path)
        checkpoint = a_checkpoint(
            values | {"count": 2}, 2, channel_versions={"kept": 1, "count": 2}
        )

        config = saver.put(parent, checkpoint, {}, {"count": 2})

        assert values_of(saver, config) == values | {"count": 2}


@pytest.mark.holds("CHK-blob-7")
def test_a_redacted_value_is_no_base(tmp_path: Path) -> None:
    with Hansard(tmp_path) as hansard, HansardSaver(hansard) as saver:
        parent = put(saver, {"grown": [BIG]}, config_of())
        [digest] = all_blobs(tmp_path)
        other = start(Settings(store=str(tmp_path)))
        wanted = WantedErasure(digests=(Digest(digest),))
        erase(other.store, "default", wanted, reason="private", stamp=PERSON)
        other.close()

        config = put(saver, {"grown": [BIG, "more"]}, parent, 2)

        assert values_of(saver, config) == {"grown": [BIG, "more"]}


@pytest.mark.holds("CHK-blob-7")
@pytest.mark.parametrize("size", [5_000, 200_000], ids=["row", "file"])
def test_a_value_that_is_given_again_is_proved_or_written_again(tmp_path: Path, size: int) -> None:
    text = hardly_packed(size)
    with HansardSaver(tmp_path) as saver:
        first = put(saver, {"kept": text}, config_of())
        [digest] = all_blobs(tmp_path)
        flip(tmp_path, digest)

        config = put(saver, {"kept": text}, first, 2)
        saver.put_writes(config, [("kept", text)], "task")

        for one in (first, config):
            assert values_of(saver, one) == {"kept": text}
        flip(tmp_path, digest)
        saver.put_writes(config, [("kept", text)], "another")
        assert values_of(saver, config) == {"kept": text}


@pytest.mark.holds("CHK-blob-8")
@pytest.mark.parametrize(
    "steps",
    [23, pytest.param(45, marks=pytest.mark.slow("reads each with each of their blobs damaged"))],
)
def test_no_damaged_blob_harms_more_than_twenty_steps_of_a_thread(
    tmp_path: Path, steps: int
) -> None:
    with HansardSaver(tmp_path) as saver:
        puts = run(saver, steps)

        harmed = {}
        for digest in all_blobs(tmp_path):
            with flipped(tmp_path, digest):
                harmed[digest] = unreadable(saver, puts)

        assert max(len(steps) for steps in harmed.values()) <= KEYFRAME_EVERY
        assert max(steps[-1] - steps[0] for steps in harmed.values() if steps) < KEYFRAME_EVERY


def test_a_value_that_never_changes_is_stored_twice_and_no_more(tmp_path: Path) -> None:
    documents = hardly_packed(20_000)
    with HansardSaver(tmp_path) as saver:
        config = config_of()
        for step in range(1, 70):
            changed = ("documents", "n") if step == 1 else ("n",)
            config = put_onto(saver, {"documents": documents, "n": step}, config, step, *changed)
        assert values_of(saver, config) == {"documents": documents, "n": 69}

    sizes = [size for (size,) in sql(tmp_path, "SELECT size FROM blobs")]
    assert len([size for size in sizes if size > 20_000]) == 2


def test_a_fork_from_long_ago_does_not_rest_on_it_alone(tmp_path: Path) -> None:
    with HansardSaver(tmp_path) as saver:
        puts = run(saver, 12)
        first = puts[1][0]
        fork = first
        for step in range(13, 25):
            values = {"documents": puts[1][1]["documents"], "n": step}
            fork = put_onto(saver, values, fork, step, "n")
            puts[step] = fork, values

        for digest in all_blobs(tmp_path):
            with flipped(tmp_path, digest):
                assert len(unreadable(saver, puts)) <= KEYFRAME_EVERY


def test_two_processes_that_write_one_thread_keep_it_whole(open_saver: OpenSaver) -> None:
    savers = [open_saver(), open_saver()]
    states = list(growing(50, random.Random(1)))
    config, configs = config_of(), []
    for number, messages in enumerate(states):
        config = put(savers[number % 2], {"messages": messages}, config, number + 1)
        configs.append(config)

    for one, messages in zip(configs, states, strict=True):
        assert values_of(open_saver(), one) == {"messages": messages}


def run(saver: HansardSaver, steps: int) -> dict[int, tuple[RunnableConfig, dict[str, Any]]]:
    """Run a graph: what grows, what never changes, what is said anew with each step, writes."""
    config, puts = config_of(), {}
    documents = hardly_packed(2_000)
    for step, messages in enumerate(growing(steps, random.Random(1)), start=1):
        answer = hardly_packed(2_000, seed=step // 2)
        values = {"messages": messages, "documents": documents, "answer": answer, "n": step}
        changed = [name for name in values if step == 1 or name != "documents"]
        config = put_onto(saver, values, config, step, *changed)
        saver.put_writes(config, [("answer", answer), ("documents", documents)], f"task {step}")
        puts[step] = config, values
    return puts


def unreadable(
    saver: HansardSaver, puts: dict[int, tuple[RunnableConfig, dict[str, Any]]]
) -> list[int]:
    """Name the steps that are refused as damaged; any other must be what was put."""
    return [step for step, put_ in puts.items() if not _is_whole(saver, *put_)]


def _is_whole(saver: HansardSaver, config: RunnableConfig, values: dict[str, Any]) -> bool:
    try:
        found = saver.get_tuple(config)
    except BlobDamaged:
        return False
    assert found is not None
    assert found.checkpoint["channel_values"] == values
    return True
