"""A follower that fails is left alone for longer and longer, and never for good."""

from collections import Counter
from collections.abc import Sequence

import pytest

from hansard.app.application import Application
from hansard.kernel import follow
from hansard.kernel.event import Entry
from hansard.kernel.follow import Follower
from hansard.kernel.operation import Caller
from tests.kernel.test_follow import Diary, diary, following, take_notes, wakes_often

__all__ = ["diary", "wakes_often"]


def test_a_follower_that_fails_is_left_alone_for_longer_and_longer(
    app: Application,
    agent: Caller,
    diary: Diary,
    wakes_often: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(follow, "RETRY_S", follow.RETRY_MAX_S)
    failed: Counter[str] = Counter()

    def stumble(project: str, entries: Sequence[Entry]) -> None:
        failed[project] += 1
        raise KeyError(project)

    # The weak one comes first in each round: what the other has seen, it was not asked about.
    with following(app, Follower("weak", stumble), Follower("diary", diary.apply)):
        for _ in range(4):
            diary.wait_for(app.default_project, take_notes(app, agent, 1))

    assert failed[app.default_project] == 1


def test_a_rest_has_an_end_however_often_a_follower_failed() -> None:
    rests = [follow.rest_after(times) for times in range(1, 2_000)]

    assert rests[:3] == [follow.RETRY_S, 2 * follow.RETRY_S, 4 * follow.RETRY_S]
    assert set(rests[1_000:]) == {follow.RETRY_MAX_S}


@pytest.mark.parametrize(("times", "often"), [(1, "once"), (2, "2 times"), (1_000, "1000 times")])
def test_a_failure_is_told_with_how_often_it_came(times: int, often: str) -> None:
    told = str(follow.FollowerFailure("diary", "KeyError", times))

    assert f"diary failed {often} " in told
