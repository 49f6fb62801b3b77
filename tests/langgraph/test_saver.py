"""What LangGraph's users get besides conformance: exactness, one record, small storage, forks."""

import asyncio
import dataclasses
import random
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import orjson
import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.serde.encrypted import EncryptedSerializer

from hansard.app.application import Application
from hansard.app.catalog import Catalog
from hansard.app.tokens import RateLimited
from hansard.app.verify import verify
from hansard.checkpoints import capability as checkpoints
from hansard.checkpoints.contract import StorageQuotaExceeded
from hansard.checkpoints.limits import CheckpointQuotas
from hansard.kernel.problem import InvalidInput
from hansard.langgraph import HansardSaver, serialization
from hansard.sdk import Hansard
from tests.checkpoints.contexts import hardly_packed
from tests.conftest import OpenApp, a_caller
from tests.langgraph.conftest import OpenSaver
from tests.langgraph.steps import config_of, growing, identifier_of, ids_of, put, values_of

BIG = "what was said stays said. " * 400


@dataclasses.dataclass
class Plan:
    """A value of a class of the user's own."""

    goal: str
    steps: list[int]


@pytest.mark.parametrize(
    "value",
    [
        None,
        b"",
        b"\x00\xff",
        "",
        "🙈" * 300,
        2**63,
        -0.0,
        [],
        [None] * 20,
        list(range(70_000)),
        {},
        {str(number): number for number in range(300)},
        {1: "one", "1": "other"},
        datetime(2026, 1, 1, tzinfo=UTC),
        UUID(int=7),
        {"a", "b"},
        Path("a/b"),
        [HumanMessage("hello", id="1"), AIMessage(BIG, id="2")],
    ],
)
def test_a_value_comes_back_as_it_was(saver: HansardSaver, value: Any) -> None:
    config = put(saver, {"value": value}, config_of())

    back = values_of(saver, config)["value"]

    assert back == value
    assert type(back) is type(value)


def test_a_value_of_a_class_of_ones_own_comes_back(saver: HansardSaver) -> None:
    config = put(saver, {"plan": Plan(BIG, [1, 2])}, config_of())

    assert values_of(saver, config)["plan"] == Plan(BIG, [1, 2])


def test_another_process_goes_on_where_one_ended(open_saver: OpenSaver) -> None:
    first = open_saver()
    config = put(first, {"messages": [BIG], "kept": BIG + "!"}, config_of())
    second = open_saver()
    again = second.get_tuple(config_of())
    assert again is not None
    checkpoint = again.checkpoint | {"id": "ffff", "channel_versions": {"messages": 2, "kept": 1}}
    checkpoint["channel_values"] = {"messages": [BIG, BIG], "kept": BIG + "!"}

    second.put(again.config, checkpoint, {"step": 2}, {"messages": 2})

    assert values_of(first, config_of()) == {"messages": [BIG, BIG], "kept": BIG + "!"}
    assert values_of(first, config) == {"messages": [BIG], "kept": BIG + "!"}


def test_what_a_step_does_not_change_is_stored_once(saver: HansardSaver, app: Application) -> None:
    config = put(saver, {"documents": BIG, "count": 0}, config_of())
    before = _blobs(app)
    for number in range(1, 20):
        found = saver.get_tuple(config)
        assert found is not None
        checkpoint = found.checkpoint | {"id": f"ffff{number:04}"}
        checkpoint["channel_values"] = {"documents": BIG, "count": number}
        checkpoint["channel_versions"] = {"documents": 1, "count": number + 1}
        config = saver.put(config, checkpoint, {}, {"count": number + 1})

    assert _blobs(app) == before
    assert values_of(saver, config) == {"documents": BIG, "count": 19}


def test_a_child_of_a_step_that_is_gone_meanwhile_is_whole(open_saver: OpenSaver) -> None:
    saver, other = open_saver(), open_saver()
    parent = put(saver, {"kept": BIG}, config_of())
    other.delete_thread("t")
    checkpoint = {
        "v": 4, "id": "ffff", "ts": "", "channel_values": {"kept": BIG},
        "channel_versions": {"kept": 1}, "versions_seen": {}, "updated_channels": None,
    }  # fmt: skip

    config = saver.put(parent, checkpoint, {}, {})  # type: ignore[arg-type]

    assert values_of(other, config) == {"kept": BIG}


def test_a_thread_is_a_session_with_its_steps_on_its_timeline(
    saver: HansardSaver, app: Application
) -> None:
    config = put(saver, {"a": 1}, config_of("chat-7"), source="input", step=-1)
    saver.put_writes(config, [("a", 2)], "task")
    put(saver, {"a": 2}, config, 2)
    saver.delete_thread("chat-7")

    entries = app.store.read("default", lambda tx: tx.entries(session="chat-7", limit=100))

    assert [entry.kind.split(".")[1] for entry in entries] == [
        "session_started",
        "input_saved",
        "writes_kept",
        "step_saved",
        "thread_deleted",
    ]
    activity = app.call("get_recent_activity", {}, a_caller()).model_dump()["activity"]
    told = [one["type"] for one in activity]
    assert told == ["thread_deleted", "thread_input", "session_started"]


def test_two_projects_may_use_the_same_thread_id(open_saver: OpenSaver) -> None:
    one, other = open_saver(project="one"), open_saver(project="other")
    put(one, {"a": "one's"}, config_of("1"))
    put(other, {"a": "other's"}, config_of("1"))
    again = open_saver(project="other")
    config = put(again, {"a": "other's again"}, config_of("1"), 2)

    assert values_of(one, config_of("1")) == {"a": "one's"}
    assert values_of(other, config_of("1")) == {"a": "other's again"}
    assert one.get_tuple(config_of("1", identifier_of(config))) is None


def test_lists_are_whole_across_pages_threads_and_copies(saver: HansardSaver) -> None:
    config = config_of("a")
    for number in range(45):
        config = put(saver, {"n": number}, config, number + 1)
    saver.copy_thread("a", "b")
    put(saver, {"n": 0}, config_of("b", ns="child:1"))

    everything = list(saver.list(None))

    assert len(everything) == 45 * 2 + 1
    assert ids_of(everything) == sorted(ids_of(everything), reverse=True)
    assert len(list(saver.list(config_of("b", ns=None)))) == 46
    assert len(list(saver.list(config_of("b")))) == 45
    assert ids_of(list(saver.list(config_of("a"), limit=3))) == ids_of(everything[1:7:2])
    assert len(list(saver.list(config_of("a"), filter={"step": 7}))) == 1
    assert len(list(saver.list(config))) == 1
    assert len(list(saver.list(config_of("a"), before=config))) == 44
    assert list(saver.list(config_of("a"), limit=0)) == []


def test_a_fork_shares_its_past_and_goes_its_own_way(saver: HansardSaver) -> None:
    start = put(saver, {"messages": [BIG]}, config_of())
    one = put(saver, {"messages": [BIG, "left"]}, start, 2)
    other = put(saver, {"messages": [BIG, "right"]}, start, 2)

    assert values_of(saver, one)["messages"][-1] == "left"
    assert values_of(saver, other)["messages"][-1] == "right"
    for fork in (one, other):
        found = saver.get_tuple(fork)
        assert found is not None
        assert found.parent_config == start


def test_writes_come_in_the_order_of_their_tasks_paths(saver: HansardSaver) -> None:
    config = put(saver, {"a": 1}, config_of())
    saver.put_writes(config, [("x", 1), ("y", BIG)], "z-task", "~1")
    saver.put_writes(config, [("x", 3)], "a-task", "~2")
    saver.put_writes(config, [("x", "not taken")], "z-task", "~1")
    saver.put_writes(config, [("__error__", "first")], "z-task", "~1")
    saver.put_writes(config, [("__error__", "second")], "z-task", "~1")

    found = saver.get_tuple(config)

    assert found is not None
    assert found.pending_writes == [
        ("z-task", "__error__", "second"),
        ("z-task", "x", 1),
        ("z-task", "y", BIG),
        ("a-task", "x", 3),
    ]


def test_writes_may_come_before_their_checkpoint(saver: HansardSaver) -> None:
    config = config_of("t", "1ef00000-0000-6000-8000-000000000000")
    saver.put_writes(config, [("x", 1)], "task")
    assert saver.get_tuple(config) is None

    checkpoint = {
        "v": 4, "id": identifier_of(config), "ts": "", "channel_values": {},
        "channel_versions": {}, "versions_seen": {}, "updated_channels": None,
    }  # fmt: skip
    saver.put(config_of(), checkpoint, {}, {})  # type: ignore[arg-type]

    found = saver.get_tuple(config)
    assert found is not None
    assert found.pending_writes == [("task", "x", 1)]


def test_many_threads_put_at_once_and_nothing_is_lost(saver: HansardSaver) -> None:
    barrier = threading.Barrier(8)

    def work(number: int) -> list[str]:
        barrier.wait()
        config, made = config_of(f"t{number % 4}"), []
        for step in range(10):
            config = put(saver, {"messages": [BIG, number, step]}, config, step + 1)
            made.append(identifier_of(config))
        return made

    with ThreadPoolExecutor(8) as crowd:
        made = sorted(one for ids in crowd.map(work, range(8)) for one in ids)

    assert sorted(ids_of(list(saver.list(None)))) == made


def test_many_tasks_of_a_loop_put_at_once_and_nothing_is_lost(saver: HansardSaver) -> None:
    async def work() -> int:
        checkpoints = [saver.aput(config_of(f"t{n}"), _plain(n), {}, {}) for n in range(20)]
        configs = await asyncio.gather(*checkpoints)
        await asyncio.gather(*(saver.aput_writes(one, [("x", 1)], "task") for one in configs))
        return len([found async for found in saver.alist(None) if found.pending_writes])

    assert asyncio.run(work()) == 20


def test_views_of_threads_can_be_derived_again(saver: HansardSaver, app: Application) -> None:
    config = config_of("a")
    for number in range(30):
        config = put(saver, {"messages": [BIG] * number}, config, number + 1, run_id=f"r{number}")
    saver.put_writes(config, [("x", 1)], "task")
    saver.copy_thread("a", "b")
    saver.delete_for_runs(["r3", "r4"])
    saver.prune(["a"])
    saver.delete_thread("nobody")
    saver.copy_thread("b", "c")
    saver.delete_thread("c")

    report = verify(app.store)

    assert report.findings == ()
    assert report.exit_code == 0
    assert len(list(saver.list(config_of("b")))) == 28
    assert len(list(saver.list(config_of("a")))) == 1


def test_a_quota_refuses_a_put_and_keeps_nothing_of_it(open_app: OpenApp) -> None:
    saver = HansardSaver(
        Hansard(application=open_app()), quotas=CheckpointQuotas(checkpoint_bytes_max=2_000)
    )
    put(saver, {"a": BIG}, config_of())
    before = list(saver.list(None))

    with pytest.raises(StorageQuotaExceeded):
        put(saver, {"a": [str(number) for number in range(2_000)]}, config_of(), 2)

    assert list(saver.list(None)) == before


def test_limits_of_callers_are_limits_of_savers(open_saver: OpenSaver) -> None:
    saver = open_saver(limit_everyone=True, writes_per_day=2)
    config = put(saver, {"number": 0}, config_of())
    put(saver, {"number": 1}, config, 2)

    with pytest.raises(RateLimited):
        put(saver, {"number": 2}, config, 3)


def test_threads_and_checkpoints_share_the_quota_of_the_store(open_app: OpenApp) -> None:
    hansard = Hansard(application=open_app())
    put(HansardSaver(hansard), {"a": hardly_packed(100_000)}, config_of())
    small = checkpoints.capability(quotas=CheckpointQuotas(store_bytes_max=60_000))
    others = [one for one in hansard.application.catalog.capabilities if one.name != small.name]
    application = Application(Catalog([*others, small]), hansard.application.store)

    with pytest.raises(StorageQuotaExceeded):
        Hansard(application=application).checkpoints.save_checkpoint(
            "w", {"text": hardly_packed(30_000, seed=2)}
        )

    HansardSaver(hansard).delete_thread("t")
    saved = Hansard(application=application).checkpoints.save_checkpoint(
        "w", {"text": hardly_packed(30_000, seed=2)}
    )
    assert saved.status == "SAVED"


def test_300_steps_of_a_growing_chat_take_little_more_than_a_megabyte(tmp_path: Path) -> None:
    states = list(growing(300, random.Random(1)))
    with HansardSaver(tmp_path) as saver:
        config = config_of()
        for number, messages in enumerate(states):
            config = put(saver, {"messages": messages}, config, number + 1)
        found = {one.metadata["step"]: one for one in saver.list(config_of())}

    assert len(orjson.dumps(states[-1])) > 300_000
    for number in (1, 20, 21, 150, 299, 300):
        assert found[number].checkpoint["channel_values"]["messages"] == states[number - 1]
    on_disk = sum(path.stat().st_size for path in tmp_path.rglob("*") if path.is_file())
    assert on_disk <= 1_300_000


def test_a_value_beyond_the_limit_is_refused_by_name(saver: HansardSaver) -> None:
    with pytest.raises(InvalidInput, match=r"values\.big"):
        put(saver, {"big": b"\0" * (64 * 1024 * 1024)}, config_of())


def test_an_unknown_strategy_is_refused(saver: HansardSaver) -> None:
    with pytest.raises(InvalidInput):
        saver.prune(["t"], strategy="keep_some")


@pytest.mark.parametrize("current", [None, 3, "00000000000000000000000000000003.0.5"])
def test_versions_only_rise(saver: HansardSaver, current: Any) -> None:
    following = saver.get_next_version(current, None)

    assert current is None or (type(following) is type(current) and following > current)
    assert current is not None or following == 1


class Reversing:
    """A cipher good enough to see whether anything was left plain."""

    def encrypt(self, plaintext: bytes) -> tuple[str, bytes]:
        return "reversing", bytes(255 - byte for byte in plaintext)

    def decrypt(self, ciphername: str, ciphertext: bytes) -> bytes:
        assert ciphername == "reversing"
        return bytes(255 - byte for byte in ciphertext)


def test_what_a_serializer_hides_is_nowhere_in_the_store(tmp_path: Path) -> None:
    secret = "the launch code is 0000 " * 50
    with HansardSaver(tmp_path, serde=EncryptedSerializer(Reversing())) as saver:
        config = put(saver, {"secret": secret, "pin": "the launch code"}, config_of())
        saver.put_writes(config, [("secret", secret)], "task")
        found = saver.get_tuple(config)

        assert found is not None
        assert found.checkpoint["channel_values"]["secret"] == secret
        assert found.pending_writes == [("task", "secret", secret)]

    stored = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"launch code" not in stored


@pytest.mark.parametrize("members", [0, 1, 15, 16, 40, 65_535, 65_536])
def test_the_count_of_a_list_or_map_is_moved_and_moved_back(members: int) -> None:
    serde = BaseCheckpointSaver.serde
    for value in ([0] * members, {str(number): 0 for number in range(members)}):
        assert serialization.load(serde, serialization.dump(serde, value)) == value


def test_a_list_that_grew_begins_as_it_did() -> None:
    serde = BaseCheckpointSaver.serde
    short, longer = (serialization.dump(serde, list(range(size))) for size in (900, 901))

    assert longer.startswith(short[:-4])


def _plain(number: int) -> Any:
    return {
        "v": 4, "id": f"1ef{number:05}", "ts": "", "channel_values": {"n": number},
        "channel_versions": {"n": 1}, "versions_seen": {}, "updated_channels": None,
    }  # fmt: skip


def _blobs(app: Application) -> Sequence[str]:
    return app.store.read("default", lambda tx: tx.digests(limit=1_000))
