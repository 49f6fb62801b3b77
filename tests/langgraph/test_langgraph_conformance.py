"""`langgraph-checkpoint-conformance`, whole: everything it knows is detected, run and passed."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import CheckpointTuple
from langgraph.checkpoint.conformance import checkpointer_test, validate
from langgraph.checkpoint.conformance.capabilities import (
    ALL_CAPABILITIES,
    BASE_CAPABILITIES,
    EXTENDED_CAPABILITIES,
    Capability,
)

from hansard.langgraph import HansardSaver
from hansard.sdk import Hansard
from tests.conftest import OpenApp

TESTS_KNOWN = 81
"""In version 0.0.2; a later suite may only have more."""


class Synchronous(HansardSaver):
    """The suite only asks asynchronously; this answers with the plain methods, in its thread."""

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        return self.get_tuple(config)

    async def alist(self, config: Any, **chosen: Any) -> AsyncIterator[CheckpointTuple]:
        for found in self.list(config, **chosen):
            yield found

    async def aput(self, *given: Any) -> RunnableConfig:
        return self.put(*given)

    async def aput_writes(self, *given: Any, **named: Any) -> None:
        self.put_writes(*given, **named)

    async def adelete_thread(self, thread_id: str) -> None:
        self.delete_thread(thread_id)

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        self.delete_for_runs(run_ids)

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        self.copy_thread(source_thread_id, target_thread_id)

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        self.prune(thread_ids, strategy=strategy)


@pytest.mark.parametrize("kind", [HansardSaver, Synchronous])
def test_every_capability_that_the_suite_knows_passes(
    open_app: OpenApp, kind: Callable[..., HansardSaver]
) -> None:
    @checkpointer_test(name=f"{kind}")
    async def factory() -> AsyncIterator[HansardSaver]:
        yield kind(Hansard(application=open_app()))

    report = asyncio.run(validate(factory))

    assert {Capability(name) for name in report.results} == ALL_CAPABILITIES
    assert ALL_CAPABILITIES == BASE_CAPABILITIES | EXTENDED_CAPABILITIES
    failures = [line for one in report.results.values() for line in one.failures]
    assert failures == []
    assert all(one.detected and one.passed for one in report.results.values())
    assert sum(one.tests_skipped for one in report.results.values()) == 0
    assert sum(one.tests_passed for one in report.results.values()) >= TESTS_KNOWN
