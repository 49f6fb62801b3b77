"""Finding things on the page: by what files hold, by what holds, and by what replaced what."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Looking
from tests.browser.test_views import serious

pytestmark = pytest.mark.clients


def test_a_file_is_found_by_what_it_holds_and_opened_at_the_line(looking: Looking) -> None:
    page = looking.go("search?q=asyncio.Queue")
    found = page.get_by_role("link", name="lantern/crawl.py line 20")
    expect(found.locator("code mark")).to_have_text("asyncio.Queue")
    assert serious(page) == []

    found.click()

    expect(page.get_by_role("heading", name="Why is line 20 there?")).to_be_visible()
    expect(page.get_by_text("Revision 7 of 7")).to_be_visible()


def test_what_is_found_is_called_as_people_call_it(looking: Looking) -> None:
    page = looking.go("search?q=statuses&kind=entity")

    expect(page.get_by_role("link", name="thread").first).to_contain_text("Let me look")
    expect(page.locator(".results")).not_to_contain_text("messageThread")


def test_the_overview_says_what_holds_and_what_waits(looking: Looking) -> None:
    page = looking.go("overview")
    holds = page.locator(".panel", has=page.get_by_role("heading", name="What holds"))
    expect(holds.get_by_role("link", name="D004")).to_contain_text("Never more than one request")
    expect(holds.get_by_role("link", name="D001")).to_have_count(0)
    waits = page.locator(".panel", has=page.get_by_role("heading", name="Waits for you"))

    waits.get_by_role("link", name="P001").click()

    expect(page.get_by_role("heading", name="Review", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Accept")).to_be_visible()


def test_on_a_phone_each_decision_is_below_the_one_it_replaced(looking: Looking) -> None:
    looking.page.set_viewport_size({"width": 390, "height": 844})
    page = looking.go("decisions")
    boxes = [page.locator(".box", has_text=one) for one in ("D001 ", "D002 ", "D003 ")]
    expect(boxes[-1]).to_be_visible()

    places = [box.bounding_box() for box in boxes]

    tops = [place["y"] for place in places if place]
    assert tops == sorted(tops)
    assert all(place and place["x"] + place["width"] <= 390 for place in places)


def test_the_lines_of_a_difference_have_their_numbers(looking: Looking) -> None:
    page = looking.go("past?as_of=s:49")
    file = page.locator(".since > li", has_text="README.md")
    file.get_by_role("button", name="Show the difference").click()

    added = file.locator(".diff .is-added").first

    expect(added).to_have_attribute("data-number", "3")
    expect(added).to_contain_text("before your readers do")


def test_on_a_phone_nothing_lies_upon_why_a_line_is_there(looking: Looking) -> None:
    looking.page.set_viewport_size({"width": 390, "height": 844})
    page = looking.go("evolution?path=lantern/crawl.py&revision=7&line=12")
    why = page.get_by_role("complementary", name="Why line 12 is there")
    expect(why.get_by_text("Check links in parallel")).to_be_visible()

    answer, controls = why.bounding_box(), page.locator(".controls").bounding_box()

    assert answer is not None
    assert controls is not None
    assert (
        answer["y"] + answer["height"] <= controls["y"] + 1
        or controls["y"] + controls["height"] <= answer["y"] + 1
    )
