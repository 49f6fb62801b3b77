"""Which day heads a text."""

import pytest

from hansard.kernel.heading import day_heading


@pytest.mark.parametrize(
    "text",
    [
        "[1:56 pm on 8 May, 2023] Where were we?",
        "[Session 3, 8 May 2023] Where were we?",
        "(8 May 2023) We met",
        "2023-05-08T10:00:00Z Ana: hi",
        "2023-05-08 10:33 Ana: hi",
        "8 May 2023, Ana: hi",
        "8 May 2023, 10:33 - Ana: hi",
        "Ana (8 May 2023): hi",
        "Monday, 8 May 2023",
        "May 8, 2023: we met",
        "8 May 2023 \u2014 we met",
        "On 8 May 2023. We met.",
        "Date: 8 May 2023\nWe met.",
        "Sent: Monday, 8 May 2023 10:33 AM\nWe met.",
        "\n## 2023-05-08\nWe met.",
        "**2023-05-08**\nWe met.",
    ],
)
def test_a_day_at_the_head_is_that_of_the_text(text: str) -> None:
    assert day_heading(text) == "2023-05-08"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "We met.",
        "The outage on 2019-03-01 taught us",
        "(see the outage of 2019-03-01) and so on",
        "On 9 June 2024 we met",
        "On 9 June 2024, we met",
        "2019-03-01 was bad",
        "8 May 2023-based figures",
        "Release: 8 May 2023 is fine",
        "We met.\n2019-03-01: it broke",
    ],
)
def test_a_day_that_a_text_only_tells_of_is_not(text: str) -> None:
    assert day_heading(text) is None
