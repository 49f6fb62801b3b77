"""Rows of the timeline open in place: the diff, what was said, what is named."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Looking, Served
from tests.browser.seeding import second_process
from tests.browser.test_views import serious

pytestmark = pytest.mark.clients


def row(page: Page, text: str) -> Locator:
    """Find a row."""
    return page.locator(".entry", has_text=text)


def session(served: Served, title: str) -> str:
    """Find a session by its title."""
    with second_process(served.folder) as call:
        listed = call("list_sessions", project_id="lantern")["sessions"]
    found: str = next(one["session_id"] for one in listed if one.get("title") == title)
    return found


def test_changes_of_a_file_in_a_row_open_as_one_diff(looking: Looking) -> None:
    page = looking.go("timeline?seq=97")
    changed = row(page, "2 changes of lantern/report.py")
    expect(changed).to_have_class(re.compile("is-open"))
    changed.click(position={"x": 4, "y": 4})
    expect(page.locator(".detail")).to_have_count(0)
    assert "seq=" not in page.url

    changed.click(position={"x": 4, "y": 4})

    detail = page.get_by_role("region", name="Entry s:96")
    expect(detail).to_contain_text("Entries s:94 to s:96")
    expect(detail.locator(".is-added").filter(has_text="def report(")).to_be_visible()
    expect(detail.locator(".is-removed")).to_have_count(0)
    assert "seq=96" in page.url
    assert serious(page) == []


def test_enter_opens_the_row_one_has_walked_to(looking: Looking) -> None:
    page = looking.go("timeline?kind=decision_recorded")
    expect(row(page, "D006")).to_be_visible()

    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("Enter")

    detail = page.locator(".detail")
    expect(detail).to_contain_text("Retry 429 and 5xx three times, nothing else")
    page.keyboard.press("k")
    page.keyboard.press("Enter")
    expect(detail).to_contain_text("Tests never leave this machine")
    page.keyboard.press("Enter")
    expect(detail).to_have_count(0)


def test_an_updated_record_shows_what_changed_and_leads_to_it(looking: Looking) -> None:
    page = looking.go("timeline?kind=record_updated")

    page.get_by_role("button", name=re.compile("Open the detail of s:50")).click()
    expect(page.locator(".detail dt", has_text="summary")).to_be_visible()
    expect(page.locator(".detail .diff .is-added").first).to_be_visible()
    row(page, "R002 updated").get_by_role("link", name="R002").click()

    expect(page.get_by_role("heading", name="Crawl a site in parallel")).to_be_visible()


def test_a_session_reads_from_its_beginning_under_its_steps(
    looking: Looking, served: Served
) -> None:
    page = looking.go(f"timeline?session={session(served, 'Check links in parallel')}")
    heads = page.locator(".entries h2.step")
    expect(heads.first).to_contain_text("Step 1")

    page.get_by_label("Order").select_option("newest")

    expect(heads.first).to_contain_text("Step 4")
    page.get_by_label("Order").select_option("oldest")
    expect(heads.first).to_contain_text("Step 1")
    expect(page.locator(".place").first).to_contain_text("Session started")


def test_an_address_opens_the_entry_it_names(looking: Looking, served: Served) -> None:
    page = looking.go(f"timeline?session={session(served, 'Check links in parallel')}&seq=38")

    expect(page.locator(".entry.is-chosen")).to_contain_text("lantern/crawl.py")
    expect(page.locator(".detail .is-removed").first).to_contain_text("seen = {}")


def test_on_a_phone_in_the_dark_a_detail_fits_and_keeps_nobody_out(looking: Looking) -> None:
    looking.page.set_viewport_size({"width": 390, "height": 800})
    looking.page.emulate_media(color_scheme="dark")
    page = looking.go("timeline?seq=101")

    expect(page.locator(".detail .is-added").first).to_be_visible()

    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert serious(page) == []
