"""What happened is told in the words of people, once and in the right number."""

import pytest

from hansard.entities.events import ExecutionAdvanced, ThreadExtended
from hansard.entities.metrics.events import MetricsRecorded
from hansard.kernel.blob import Digest
from hansard.kernel.event import Event
from hansard.recorder.events import RestoreBegun
from hansard.recorder.going_back.answers import Others
from hansard.sessions.session_shape import SessionShown

DIGEST = Digest("0" * 64)
RUN, CHAT, THREAD = "agentGraphExecution::r", "chatThread::c", "messageThread::t"
MEASURED = MetricsRecorded(samples=DIGEST, count=2, first_name="ms", names=2)
UNDOING = RestoreBegun(
    workspace="w", scope="step 2", point=3, files=1, revision=None, step=None, is_undo=True
)


def extended(partials: int, parent: str | None = THREAD, chat: str | None = CHAT) -> Event:
    return ThreadExtended(
        id="messageThread::n", parent_id=parent, segment=DIGEST, sender="maria",
        partials=partials, chat_id=chat,
    )  # fmt: skip


def advanced(status: str | None, count: int) -> Event:
    return ExecutionAdvanced.model_validate(
        {"id": RUN, "status": status, "happened": DIGEST, "count": count}
    )


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (extended(1), "maria wrote 1 part to the chat chatThread::c (now messageThread::n)"),
        (extended(4, chat=None), f"maria wrote 4 parts to thread {THREAD} (now messageThread::n)"),
        (extended(0, parent=None), "Thread begun (messageThread::n)"),
        (advanced("completed", 9), "Run completed, 9 events (agentGraphExecution::r)"),
        (advanced("inProgress", 0), "Run begun (agentGraphExecution::r)"),
        (advanced(None, 1), "Run went on, 1 event (agentGraphExecution::r)"),
        (MEASURED, "2 samples of ms and 1 other metric recorded"),
        (UNDOING, "Undo step 2 (1 file)"),
    ],
)  # fmt: skip
def test_an_event_is_told_in_words(event: Event, words: str) -> None:
    assert event.summary() == words


def test_a_change_that_nobody_made_here_is_from_outside() -> None:
    assert Others(by="outside", count=1).text() == "1 change from outside (not recorded yet)"
    assert Others(by="agent:a", count=2).text() == "2 changes by agent:a (not recorded yet)"


def test_a_session_that_has_seen_everything_is_behind_nothing() -> None:
    def shown(gap: int) -> str:
        return SessionShown(
            id="s", by="agent:a", status="active", created="", last_activity="", last_sync_tick=0,
            tick_gap=gap, active_records=[],
        ).text()  # fmt: skip

    assert "behind" not in shown(0)
    assert "1 write behind" in shown(1)
    assert "5 writes behind" in shown(5)
