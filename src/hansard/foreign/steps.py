"""Imports LangGraph's checkpoints, repacked without unpickling.

A packed value may name any class of any module, and the framework's own reader makes one of it. So
it is read here as plain data, in which such a value stays the bytes that it is; what a graph reads
back later is what it once wrote.
"""

from collections.abc import Iterable
from typing import Any

import orjson

from hansard.app.application import Application
from hansard.app.catalog import Catalog
from hansard.checkpoints.limits import CheckpointQuotas
from hansard.checkpoints.threads import capability as threads
from hansard.foreign.import_run import ImportRun
from hansard.foreign.items import GraphStep, Skipped
from hansard.kernel.problem import Problem
from hansard.sessions.directory import chosen_id

KINDS = ("msgpack", "json", "bytes", "bytearray", "null")


class _AsData:
    """A serializer that makes no object of anything: what it cannot name stays as it is packed."""

    def dumps_typed(self, value: Any) -> tuple[str, bytes]:
        """Pack plain data, and what is packed already."""
        import ormsgpack

        if isinstance(value, _Packed):
            return value.kind, value.content
        if value is None:
            return "null", b""
        return "msgpack", ormsgpack.packb(value, option=ormsgpack.OPT_NON_STR_KEYS)

    def loads_typed(self, packed: tuple[str, bytes]) -> Any:
        """Unpack plain data."""
        import ormsgpack

        kind, content = packed
        if kind == "json":
            return orjson.loads(content)
        if kind != "msgpack":
            return _Packed(kind, content) if content else None
        return ormsgpack.unpackb(content, ext_hook=ormsgpack.Ext, option=ormsgpack.OPT_NON_STR_KEYS)


class _Packed:
    """A value that is passed on as it is packed."""

    def __init__(self, kind: str, content: bytes) -> None:
        self.kind = kind
        self.content = content


def take_steps(importing: ImportRun, steps: Iterable[GraphStep], quotas: CheckpointQuotas) -> None:
    """Take checkpoints over, in the order in which they were made."""
    application = Application(
        Catalog([threads.capability(quotas)]),
        importing.application.store,
        home=importing.application.home,
        read_only=importing.application.read_only,
    )
    for one in steps:
        try:
            _take(importing, application, one)
        except Problem as problem:
            importing.require_going(problem)
            importing.report.skip(Skipped(one.key[:80], f"refused: {problem.code}"))
        except (ValueError, TypeError, KeyError) as error:
            # What the packing says is not what a checkpoint is made of.
            importing.report.skip(
                Skipped(one.key[:80], f"not a checkpoint: {type(error).__name__}")
            )


def _take(importing: ImportRun, application: Application, step: GraphStep) -> None:
    key = f"{importing.source.format}:{importing.source.label}:{step.key}"
    content = {"id": step.id, "bytes": len(step.checkpoint)}
    if importing.is_new("checkpoints", key, content) and not importing.is_dry:
        told = _step(step)
        importing.write("thread_put_step", told, key, content, at=step.at, application=application)
    for task, told in _writes(step).items():
        given = f"{key}/{task}"
        count = {"writes": len(told["writes"])}
        if importing.is_new("writes", given, count) and not importing.is_dry:
            importing.write("thread_put_writes", told, given, count, application=application)


def _step(step: GraphStep) -> dict[str, Any]:
    from hansard.langgraph import bodies, serialization

    serde = _AsData()
    checkpoint = serde.loads_typed((step.kind, step.checkpoint))
    if not isinstance(checkpoint, dict) or not isinstance(checkpoint.get("channel_values"), dict):
        raise TypeError("a checkpoint is a map with values")
    metadata = dict(step.metadata)
    written = serialization.write_checkpoint(serde, checkpoint, metadata, {}, None)  # type: ignore[arg-type]
    run, number = metadata.get("run_id"), metadata.get("step")
    return _place(step) | {
        "parent": step.parent,
        "run": None if run is None else str(run),
        "step": number if isinstance(number, int) else None,
        "is_input": metadata.get("source") != "loop",
        "body": bodies.pack(written.body),
        "values": written.values,
        "known": {},
    }


def _writes(step: GraphStep) -> dict[str, dict[str, Any]]:
    """Give what each task wrote, as one write each."""
    from hansard.langgraph import serialization

    tasks: dict[str, dict[str, Any]] = {}
    for one in step.writes:
        told = tasks.setdefault(
            one.task, _place(step) | {"task": one.task, "path": one.path, "writes": []}
        )
        content = serialization.dump(_AsData(), _Packed(one.kind, one.content))
        told["writes"].append({"channel": one.channel, "index": one.index, "content": content})
    return tasks


def _place(step: GraphStep) -> dict[str, Any]:
    return {
        "session_id": chosen_id(step.thread),
        "thread": step.thread,
        "ns": step.ns,
        "id": step.id,
    }
