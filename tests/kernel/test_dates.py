"""Which days a text speaks of."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hansard.kernel.dates import Span, day_in, spans, without_dates

TODAY = date(2026, 11, 18)


@pytest.mark.parametrize(
    ("question", "first", "last"),
    [
        ("What did Ana do on 7 May 2023?", date(2023, 5, 7), date(2023, 5, 7)),
        ("at 1:56 pm on 8 May, 2023", date(2023, 5, 8), date(2023, 5, 8)),
        ("on May 7, 2023", date(2023, 5, 7), date(2023, 5, 7)),
        ("the 3rd of March 2024", date(2024, 3, 3), date(2024, 3, 3)),
        ("2023-05-07", date(2023, 5, 7), date(2023, 5, 7)),
        ("in June 2023", date(2023, 6, 1), date(2023, 6, 30)),
        ("during 2022", date(2022, 1, 1), date(2022, 12, 31)),
        ("before June 2023", date.min, date(2023, 5, 31)),
        ("since 4 July 2025", date(2025, 7, 4), date.max),
        ("last spring", date(2026, 3, 1), date(2026, 5, 31)),
        ("last winter", date(2025, 12, 1), date(2026, 3, 2)),
        ("last week", date(2026, 11, 9), date(2026, 11, 15)),
        ("last month", date(2026, 10, 1), date(2026, 10, 31)),
        ("this year", date(2026, 1, 1), date(2026, 12, 31)),
        ("yesterday", date(2026, 11, 17), date(2026, 11, 17)),
        ("3 weeks ago", date(2026, 10, 25), date(2026, 10, 31)),
        ("2 days ago", date(2026, 11, 16), date(2026, 11, 16)),
        ("2 months ago", date(2026, 9, 4), date(2026, 10, 4)),
        ("1 Year ago", date(2025, 5, 20), date(2026, 5, 19)),
        ("Today", date(2026, 11, 18), date(2026, 11, 18)),
        ("This week", date(2026, 11, 16), date(2026, 11, 22)),
        ("this month", date(2026, 11, 1), date(2026, 11, 30)),
        ("last year", date(2025, 1, 1), date(2025, 12, 31)),
        ("this summer", date(2026, 6, 1), date(2026, 8, 31)),
        ("this autumn", date(2026, 9, 1), date(2026, 12, 1)),
        ("last fall", date(2025, 9, 1), date(2025, 12, 1)),
        ("this winter", date(2025, 12, 1), date(2026, 3, 2)),
        ("2023-05", date(2023, 5, 1), date(2023, 5, 31)),
        ("in Dec. 2023", date(2023, 12, 1), date(2023, 12, 31)),
        ("Until 2023-05-07", date.min, date(2023, 5, 6)),
        ("after 7 May 2023", date(2023, 5, 7), date.max),
        ("during February 2023", date(2023, 2, 1), date(2023, 2, 28)),
        ("of 1999", date(1999, 1, 1), date(1999, 12, 31)),
    ],
)
def test_a_question_names_days(question: str, first: date, last: date) -> None:
    [span] = spans(question, TODAY)

    assert (span.first, span.last) == (first, last)


@pytest.mark.parametrize(
    "text", ["", "may I march on?", "version 3.11.7", "E2023", "10 may be few"]
)
def test_what_names_no_day_names_none(text: str) -> None:
    assert spans(text, TODAY) == []
    assert without_dates(text, TODAY) == text.strip()


def test_without_a_year_the_days_of_any_year_are_meant() -> None:
    [span] = spans("on 29 February", TODAY)

    assert span.nearness(date(2020, 2, 29)) == 1
    assert span.nearness(date(2023, 6, 1)) == 0


def test_a_leap_day_is_the_last_of_february_in_other_years() -> None:
    [whole] = spans("last March 2023", TODAY)
    [leap] = spans("in February", TODAY)
    [bounded] = spans("before 28 February", TODAY)

    assert whole.nearness(date(2024, 2, 29)) == 0
    assert leap.nearness(date(2028, 2, 29)) == leap.nearness(date(2023, 2, 28)) == 1
    assert bounded.first == bounded.last
    assert Span(date(2023, 2, 28), date(2023, 2, 28), is_yearly=True).nearness(
        date(2024, 2, 29)
    ) == (1)


def test_days_at_the_end_of_time_have_no_later_ones() -> None:
    [since] = spans("since 2023-05-07", TODAY)

    assert since.nearness(date.max) == 1
    assert since.nearness(date(2023, 5, 6)) == 0


def test_days_said_in_several_ways_are_all_named_once() -> None:
    text = "on 7 May 2023, in June 2024, during 2022, last week and 3 days ago"

    found = spans(text, TODAY)

    assert {span.first for span in found} == {
        *(date(2023, 5, 7), date(2024, 6, 1), date(2022, 1, 1)),
        *(date(2026, 11, 9), date(2026, 11, 15)),
    }
    assert len(found) == 5


def test_seasons_turn_with_the_day_they_begin_and_end() -> None:
    first, last = date(2026, 6, 1), date(2026, 8, 31)

    def begun(text: str, today: date) -> date:
        return spans(text, today)[0].first

    assert begun("this summer", first) == first
    assert begun("this summer", first - timedelta(days=1)) == date(2025, 6, 1)
    assert begun("last summer", last) == date(2025, 6, 1)
    assert begun("last summer", last + timedelta(days=1)) == first


def test_what_is_told_some_days_later_is_still_near() -> None:
    [span] = spans("on 7 May 2023", TODAY)

    nearness = [span.nearness(date(2023, 5, day)) for day in (6, 7, 8, 14, 15)]
    assert nearness == [0, 1, 0.5, 0.5, 0]


def test_a_question_is_left_without_its_days() -> None:
    assert without_dates("What did Ana bake in May 2023 or on 7 June?", TODAY) == (
        "What did Ana bake or ?"
    )


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Session 3, 7 May 2023", date(2023, 5, 7)),
        ("[2023-05-07T10:00:00Z] Ana", date(2023, 5, 7)),
        ("in May 2023", None),
        ("on 7 May", None),
        ("31 February 2023", None),
        ("met on 9 June 2024, planned on 2023-05-07", date(2024, 6, 9)),
        ("before 7 May 2023", None),
    ],
)
def test_a_text_is_of_the_first_whole_day_it_names(text: str, day: date | None) -> None:
    assert day_in(text) == day


@given(st.text(), st.dates(date(2, 1, 1)))
def test_any_text_is_read(text: str, today: date) -> None:
    assert all(span.first <= span.last for span in spans(text, today))
    without_dates(text, today)
    day_in(text)
