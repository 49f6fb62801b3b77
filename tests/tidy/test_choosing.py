"""What `make test` takes is the same wherever it is asked, and leaves nothing out for ever."""

from collections import Counter

import pytest

from tests import choosing
from tests.choosing import CASES, OWN_STEPS, QUARTERS, is_of_quarter, rest, share

DAY = 20_000


def name_of(item: pytest.Item) -> str:
    return choosing.test_of(item.nodeid)


def test_the_share_of_a_day_does_not_hang_on_the_order(request: pytest.FixtureRequest) -> None:
    items = request.session.items

    assert share(items, DAY) == share(items[::-1], DAY)


def test_of_each_test_no_more_than_two_cases_are_taken(request: pytest.FixtureRequest) -> None:
    taken = Counter(map(name_of, share(request.session.items, DAY)))

    assert max(taken.values()) <= CASES


def test_four_days_take_a_case_of_every_test_that_is_not_slow(
    request: pytest.FixtureRequest,
) -> None:
    items = request.session.items
    fast = [
        item
        for item in items
        if not {"slow", "clients", *OWN_STEPS} & {mark.name for mark in item.iter_markers()}
    ]

    days = [share(items, DAY + number) for number in range(QUARTERS)]

    taken = {name_of(item) for day in days for item in day}
    assert taken == {name_of(item) for item in fast}
    assert all(any(is_of_quarter(item, one) for one in range(QUARTERS)) for item in fast)


def test_the_rest_is_what_the_share_left_but_steps_of_their_own(
    request: pytest.FixtureRequest,
) -> None:
    items = request.session.items
    others = {item for item in items if any(map(item.get_closest_marker, OWN_STEPS))}

    taken, left = share(items, DAY), rest(items, DAY)

    assert not taken & left
    assert taken | left == set(items) - others
