"""Serializes a LangGraph checkpoint with the graph's own serializer.

A value of some size is content of its own, so that it is stored once however many checkpoints have
it. What is small stands in the body, beside the versions and the metadata.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
)
from langgraph.checkpoint.serde.base import SerializerProtocol
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from hansard.checkpoints.threads.contract import Step
from hansard.langgraph import bodies

SMALL_BYTES_MAX = 256
"""Below this a value costs less in each body than as content of its own."""

MSGPACK = "msgpack"
_MSGPACK_HEAD = b"msgpack\n"

_SHORT_FIRST, _SHORT_LAST = 0x80, 0x9F
_LONG = {0xDC: 3, 0xDD: 5, 0xDE: 3, 0xDF: 5}
"""How MessagePack begins a list or map: a few members counted in one byte, more in more."""

_SIZES = [bytes([size]) for size in range(6)]

_APART = {"id", "channel_values"}
"""What of a checkpoint stands elsewhere than in the body."""


@dataclass(frozen=True, slots=True)
class PackedCheckpoint:
    """A checkpoint written down: the body, and what is content of its own."""

    body: bytes
    """As it was before packing."""
    values: dict[str, bytes]
    """New contents, by channel."""
    known: dict[str, str]
    """Contents that are stored already, by channel and digest."""
    small: dict[str, bytes]


@dataclass(frozen=True, slots=True)
class Remembered:
    """What a checkpoint's values were written down as, for the next that has the same."""

    versions: ChannelVersions
    small: Mapping[str, bytes]
    large: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Read:
    """A step, read back except for what is content of its own."""

    step: Step
    skeleton: dict[str, Any]
    metadata: CheckpointMetadata
    small: dict[str, bytes] = field(default_factory=dict)

    @property
    def config(self) -> RunnableConfig:
        """Give the config that names this step."""
        return config_of(self.step.thread, self.step.ns, self.step.id)

    @property
    def channels(self) -> set[str]:
        """Name the channels that have a value here."""
        return self.small.keys() | self.step.values.keys()

    @property
    def replayed(self) -> set[str]:
        """Name the channels whose values are not here but follow from earlier steps' writes."""
        counted = self.metadata.get("counters_since_delta_snapshot") or {}
        return counted.keys() - self.channels

    def remembered(self) -> Remembered:
        """Keep what the next checkpoint may have in common with this one."""
        versions = dict(self.skeleton["channel_versions"])  # the graph goes on changing its own
        return Remembered(versions, self.small, self.step.values)


def write_checkpoint(
    serde: SerializerProtocol,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    new_versions: ChannelVersions,
    parent: Remembered | None,
) -> PackedCheckpoint:
    """Write a checkpoint down; what its parent has in the same version is not written again."""
    written = PackedCheckpoint(b"", {}, {}, {})
    versions = checkpoint["channel_versions"]
    for channel, value in checkpoint["channel_values"].items():
        is_same = (
            parent is not None
            and channel not in new_versions
            and channel in versions
            and parent.versions.get(channel) == versions[channel]
        )
        if is_same and parent and channel in parent.large:
            written.known[channel] = parent.large[channel]
        elif is_same and parent and channel in parent.small:
            written.small[channel] = parent.small[channel]
        else:
            content = dump(serde, value)
            into = written.small if len(content) <= SMALL_BYTES_MAX else written.values
            into[channel] = content
    skeleton = {name: part for name, part in checkpoint.items() if name not in _APART}
    body = dump(serde, {"checkpoint": skeleton, "metadata": metadata, "values": written.small})
    return PackedCheckpoint(body, written.values, written.known, written.small)


def read_step(serde: SerializerProtocol, step: Step, body: bytes | None = None) -> Read:
    """Read a step's body, if it is not at hand as it was before packing."""
    parts = load(serde, bodies.unpack(step.body) if body is None else body)
    return Read(step, parts["checkpoint"], parts["metadata"], parts["values"])


def to_tuple(
    serde: SerializerProtocol, read: Read, contents: Mapping[str, bytes | bytearray]
) -> CheckpointTuple:
    """Make the whole checkpoint that LangGraph wants back."""
    step = read.step
    values = {channel: load(serde, content) for channel, content in read.small.items()}
    for channel, digest in step.values.items():
        values[channel] = load(serde, contents[digest])
    checkpoint = {**read.skeleton, "id": step.id, "channel_values": values}
    parent = config_of(step.thread, step.ns, step.parent) if step.parent else None
    return CheckpointTuple(
        read.config,
        cast("Checkpoint", checkpoint),
        read.metadata,
        parent,
        [(write.task, write.channel, load(serde, write.content)) for write in step.writes],
    )


def config_of(thread: str, ns: str, identifier: str) -> RunnableConfig:
    """Name a checkpoint as LangGraph does."""
    return {
        "configurable": {
            "thread_id": thread,
            "checkpoint_ns": ns,
            "checkpoint_id": identifier,
        }
    }


def dump(serde: SerializerProtocol, value: Any) -> bytes:
    """Write a value down, its kind first."""
    kind, data = serde.dumps_typed(value)
    size = _count_bytes(data) if kind == MSGPACK else 0
    # A list that has grown then begins as it did before, and is stored as what was added.
    rest = memoryview(data)
    return b"".join((kind.encode(), b"\n", rest[size:], rest[:size], _SIZES[size]))


def load(serde: SerializerProtocol, content: bytes | bytearray) -> Any:
    """Read a value back."""
    if content.startswith(_MSGPACK_HEAD):
        kind, start = MSGPACK, len(_MSGPACK_HEAD)
    else:
        start = content.index(b"\n") + 1
        kind = content[: start - 1].decode()
    end = len(content) - 1
    rest = memoryview(content)
    if not (size := content[end]):
        # Copying a value of some MB takes longer than reading it; what is not LangGraph's own may
        # want bytes.
        is_read_in_place = kind == MSGPACK and type(serde) is JsonPlusSerializer
        data = rest[start:end] if is_read_in_place else bytes(rest[start:end])
        return serde.loads_typed((kind, cast("bytes", data)))
    counted = end - size
    return serde.loads_typed((kind, b"".join((rest[counted:end], rest[start:counted]))))


def _count_bytes(data: bytes) -> int:
    """Say how many bytes MessagePack begins with to count the members of a list or map."""
    first = data[0] if data else 0
    if _SHORT_FIRST <= first <= _SHORT_LAST:
        return 1
    return _LONG.get(first, 0)
