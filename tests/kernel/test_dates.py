"""Which days a text speaks of."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hansard.kernel.dates import day_in, spans, without_dates

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
    ],
)
def test_a_text_is_of_the_first_whole_day_it_names(text: str, day: date | None) -> None:
    assert day_in(text) == day


@given(st.text(), st.dates(date(2, 1, 1)))
def test_any_text_is_read(text: str, today: date) -> None:
    assert all(span.first <= span.last for span in spans(text, today))
    without_dates(text, today)
    day_in(text)
