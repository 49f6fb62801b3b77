"""When a session is behind, and whether somebody is in it."""

from typing import Any

import pytest

from hansard.kernel.session_holder import Holder, Via
from hansard.sessions.rules import (
    HOLDERS_MAX,
    Quiet,
    is_in,
    joined,
    session_status,
    stale_warning,
)

EMPTY = {"status": "open", "is_joined": False, "holders": []}
LOCK = "owner-0123456789abcdef"
QUIET = Quiet(idle_s=10, away_s=100)


def holder(number: int = 1, via: Via = "stdio", owner: str | None = LOCK) -> Holder:
    return Holder(owner=owner, via=via, client=f"client-{number}", version="1")


def status(row: dict[str, Any], quiet_s: float, *, is_gone: bool = False) -> str:
    return session_status(row, quiet_s=quiet_s, limits=QUIET, is_gone=lambda _: is_gone)


@pytest.mark.parametrize("gap", [10, 50, 200])
def test_a_warning_says_how_far_behind_a_session_is(gap: int) -> None:
    assert str(gap) in stale_warning(gap)


def test_who_came_in_is_in_until_the_session_ends() -> None:
    row = joined(EMPTY, "ana", holder())

    assert is_in(row, "ana", holder())
    assert is_in(row, "ben", None)
    assert not is_in(row, "ben", holder())
    assert not is_in(row, "ana", holder(2))
    assert not is_in(row | {"status": "ended"}, "ana", holder())
    assert not is_in(EMPTY, "ana", None)


def test_the_row_says_who_came_in_last_and_through_what() -> None:
    first = joined(EMPTY, "ana", holder())
    second = joined(first, "ben", None)

    assert (first["by"], first["client"], first["version"], first["via"]) == (
        *("ana", "client-1", "1", "stdio"),
    )
    assert (second["by"], second["client"], second["via"]) == ("ben", None, None)
    assert second["holders"] == first["holders"]


def test_who_comes_in_again_is_the_latest_and_only_the_latest_are_remembered() -> None:
    row: Any = EMPTY
    for number in range(HOLDERS_MAX + 1):
        row = joined(row, "ana", holder(number))
    again = joined(row, "ana", holder(1))

    assert [one["client"] for one in row["holders"]] == [
        f"client-{number}" for number in range(1, HOLDERS_MAX + 1)
    ]
    assert len(again["holders"]) == HOLDERS_MAX
    assert again["holders"][-1]["client"] == "client-1"


@pytest.mark.parametrize(
    ("quiet_s", "expected"), [(0, "active"), (10, "active"), (11, "idle"), (1_000, "idle")]
)
def test_who_holds_a_lock_is_there_however_quiet(quiet_s: float, expected: str) -> None:
    row = joined(EMPTY, "ana", holder())

    assert status(row, quiet_s) == expected
    assert status(row, quiet_s, is_gone=True) == "away"
    assert status(row | {"status": "ended"}, quiet_s) == "ended"


@pytest.mark.parametrize("came", [holder(via="http"), holder(via="hook"), holder(owner=None)])
def test_who_only_deeds_tell_of_is_gone_after_a_while(came: Holder) -> None:
    row = joined(EMPTY, "ana", came)

    assert status(row, 100) == "idle"
    assert status(row, 101) == "away"


def test_one_who_is_there_is_enough() -> None:
    row = joined(joined(EMPTY, "ana", holder(via="http")), "ben", holder(2))

    assert status(row, 101) == "idle"


def test_of_a_session_that_nobody_came_into_only_deeds_tell() -> None:
    assert [status(EMPTY, quiet_s) for quiet_s in (10, 100, 101)] == ["active", "idle", "away"]


def test_the_usual_limits_are_a_quarter_of_an_hour_and_two_hours() -> None:
    assert (Quiet().idle_s, Quiet().away_s) == (900, 7_200)
