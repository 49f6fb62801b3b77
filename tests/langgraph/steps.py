"""Checkpoints as a graph would make them."""

import random
from collections.abc import Iterator, Sequence
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import Checkpoint
from langgraph.checkpoint.base.id import uuid6

from hansard.langgraph import HansardSaver

WORDS = "agent plan step tool result error file path module function value state the of to".split()


def config_of(
    thread: str = "t", identifier: str | None = None, ns: str | None = ""
) -> RunnableConfig:
    """Name a thread, or a checkpoint of it; a namespace of `None` means all."""
    named: dict[str, Any] = {"thread_id": thread}
    if ns is not None:
        named["checkpoint_ns"] = ns
    return {"configurable": named | ({"checkpoint_id": identifier} if identifier else {})}


def identifier_of(config: RunnableConfig) -> str:
    """Give the id of the checkpoint that a config names."""
    identifier: str = config["configurable"]["checkpoint_id"]
    return identifier


def a_checkpoint(values: dict[str, Any], version: int = 1, **rest: Any) -> Checkpoint:
    """Make a checkpoint whose channels all have the same version."""
    checkpoint: Checkpoint = {
        "v": 4,
        "id": str(uuid6(clock_seq=version)),
        "ts": "2026-01-01T00:00:00.000000+00:00",
        "channel_values": values,
        "channel_versions": dict.fromkeys(values, version),
        "versions_seen": {"__input__": {}, "agent": {"messages": version}},
        "updated_channels": sorted(values),
    }
    return {**checkpoint, **rest}  # type: ignore[typeddict-item]


def put(
    saver: HansardSaver,
    values: dict[str, Any],
    parent: RunnableConfig,
    version: int = 1,
    **meta: Any,
) -> RunnableConfig:
    """Put a checkpoint of which everything is new."""
    checkpoint = a_checkpoint(values, version)
    metadata: Any = {"source": "loop", "step": version} | meta
    return saver.put(parent, checkpoint, metadata, checkpoint["channel_versions"])


def values_of(saver: HansardSaver, config: RunnableConfig) -> dict[str, Any]:
    """Get a checkpoint that must be there, and give its values."""
    found = saver.get_tuple(config)
    assert found is not None
    return found.checkpoint["channel_values"]


def growing(steps: int, chance: random.Random) -> Iterator[list[dict[str, str]]]:
    """Make the messages of a chat that grows by about 1 KB a step."""
    messages: list[dict[str, str]] = []
    for number in range(steps):
        text = " ".join(chance.choices(WORDS, k=1_000))[:1_000]
        messages = [*messages, {"role": "assistant", "id": str(number), "content": text}]
        yield messages


def ids_of(found: Sequence[Any]) -> list[str]:
    """Give the ids of listed checkpoints."""
    return [one.checkpoint["id"] for one in found]
