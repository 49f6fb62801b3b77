"""Mission control: a lane for each session, moving as it goes on, and what needs a person."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Looking, Served
from tests.browser.seeding import second_process
from tests.browser.test_views import serious

pytestmark = pytest.mark.clients


def lane(page: Page, title: str) -> Locator:
    """Find the lane of a session."""
    return page.locator(".lane", has=page.get_by_role("heading", name=title))


def test_a_lane_shows_the_plan_the_step_the_file_and_the_question(looking: Looking) -> None:
    page = looking.go("control")
    report = lane(page, "A report people can read")

    expect(report.get_by_role("list", name="1 of 3 steps done")).to_be_visible()
    expect(report).to_contain_text("Step 2 Say since when")
    expect(report.locator(".small")).to_contain_text("README.md")
    expect(report.locator(".stage .is-added").first).to_be_visible()
    expect(report.locator(".asks")).to_contain_text("Should redirects be listed?")
    expect(report.get_by_role("link", name="R004")).to_be_visible()
    expect(lane(page, "Check links in parallel")).to_have_count(0)
    assert serious(page) == []


def test_what_waits_for_a_person_is_listed_and_leads_there(looking: Looking) -> None:
    page = looking.go("control")
    needs = page.get_by_role("region", name="Needs you")
    expect(needs).to_contain_text("List redirects in a section of their own")

    needs.get_by_role("link", name="P001").click()

    expect(page.get_by_role("button", name="Accept")).to_be_visible()


def test_a_lane_moves_while_its_session_works_and_goes_when_it_ends(
    looking: Looking, served: Served
) -> None:
    page = looking.go("control")
    expect(lane(page, "A report people can read")).to_be_visible()
    with second_process(served.folder) as call:
        started = call("record_session_start", project_id="lantern", title="Under way")
        session = {"session_id": started["session_id"]}
        own = lane(page, "Under way")
        expect(own).to_contain_text("No plan.")
        call("record_plan", steps=["Look", "Leap"], **session)
        call("record_step", index=0, **session)
        expect(own).to_contain_text("Step 1 Look")
        call("file_op", path="leap.txt", action="create", content="one\n", **session)
        expect(own.locator(".stage")).to_contain_text("one")
        call("record_step", index=1, **session)
        call("file_op", path="leap.txt", action="edit", content="one\ntwo\n", **session)
        expect(own.locator(".stage .is-added")).to_contain_text("two")
        expect(own).to_contain_text("Step 2 Leap")
        call("close_session", **session)

        expect(own).to_have_count(0)


def test_on_a_phone_in_the_dark_lanes_fit_and_keep_nobody_out(looking: Looking) -> None:
    looking.page.set_viewport_size({"width": 390, "height": 844})
    looking.page.emulate_media(color_scheme="dark")
    page = looking.go("control")
    expect(page.locator(".lane .stage").first).to_be_visible()

    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert serious(page) == []
