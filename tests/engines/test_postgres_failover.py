"""A primary is lost while several servers write: nothing acknowledged is, and they go on."""

import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import pytest

from hansard.app.application import Application
from hansard.app.verify import verify
from hansard.kernel import paging
from hansard.kernel.problem import StorageUnavailable
from tests.app import kept
from tests.conftest import a_caller
from tests.patience import PATIENCE_S
from tests.postgres_pair import Pair, postgres_pair

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.slow("runs two database servers, one of which is lost"),
]

SERVERS = 2
WRITERS = 4
BEFORE, AFTER = 60, 60
"""Writes that are acknowledged before the primary is lost, and after."""


@pytest.fixture
def pair() -> Iterator[Pair]:
    with postgres_pair() as running:
        yield running


class Writer(threading.Thread):
    """Writes one note after the other, each until it is acknowledged, under one key."""

    def __init__(self, name: str, app: Application) -> None:
        super().__init__(name=name, daemon=True)
        self.app = app
        self.acks: list[tuple[float, str, int, str]] = []
        self.refused = 0
        self.error: BaseException | None = None
        self.stopped = threading.Event()

    def run(self) -> None:
        number = 0
        try:
            while not self.stopped.is_set():
                number += 1
                self._write(f"{self.name} {number}")
        except Exception as error:  # noqa: BLE001 - the test looks at it
            self.error = error

    def _write(self, text: str) -> None:
        caller = replace(a_caller(session=self.name), idempotency_key=text)
        while not self.stopped.is_set():
            try:
                done: Any = self.app.call("toy_note", {"text": text}, caller)
            except StorageUnavailable:
                self.refused += 1
                self.stopped.wait(0.05)
            else:
                receipt = done.receipt
                self.acks.append((time.monotonic(), text, receipt.seq, receipt.hash))
                return


def acknowledged(writers: list[Writer]) -> int:
    return sum(len(writer.acks) for writer in writers)


def wait_for(writers: list[Writer], count: int) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while acknowledged(writers) < count:
        assert [writer.error for writer in writers if writer.error] == []
        assert time.monotonic() < deadline, "nothing is acknowledged any more"
        time.sleep(0.02)


@pytest.mark.fault("primary lost")
def test_what_is_acknowledged_outlives_the_primary(
    pair: Pair, capsys: pytest.CaptureFixture[str]
) -> None:
    with ExitStack() as stack:
        apps = [stack.enter_context(kept.opened(pair.url)) for _ in range(SERVERS)]
        writers = [Writer(f"writer-{n}", apps[n % SERVERS]) for n in range(WRITERS)]
        for writer in writers:
            writer.start()
        wait_for(writers, BEFORE)

        pair.lose_the_primary()
        lost_at, known = time.monotonic(), acknowledged(writers)
        pair.promote()
        wait_for(writers, known + AFTER)

        for writer in writers:
            writer.stopped.set()
        for writer in writers:
            writer.join(PATIENCE_S)
        acks = [ack for writer in writers for ack in writer.acks]
        store = apps[0].store
        entries = store.read(
            kept.PROJECT, lambda tx: {entry.seq: entry for entry in paging.entries(tx)}
        )
        notes: Any = apps[1].call("toy_list", {}, a_caller())
        assert verify(store).findings == ()

    assert all(entries[seq].hash == digest for _, _, seq, digest in acks)
    assert len(notes.notes) == len(set(notes.notes)), "a repeated call had two effects"
    assert {text for _, text, _, _ in acks} <= set(notes.notes)
    back = min(at for at, *_ in acks if at > lost_at) - lost_at
    refused = sum(writer.refused for writer in writers)
    with capsys.disabled():
        print(f"\n{len(acks)} acknowledged, 0 lost, {refused} refused, back after {back:.1f} s")  # noqa: T201 - the figure
