"""The time machine: the whole page as of a moment, what changed since, and the way back."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.conftest import Looking, Served, look
from tests.browser.seeding import second_process
from tests.browser.test_views import serious

pytestmark = pytest.mark.clients

THEN = 19
"""After D002 and before D003; no file was there yet."""


def lever(page: Page) -> None:
    """Wait for the slider."""
    expect(page.get_by_role("slider", name="As of entry")).to_be_visible()


def test_the_slider_moves_the_page_and_the_address(looking: Looking) -> None:
    page = looking.go("past")
    lever(page)
    expect(page.get_by_text("No record was changed.")).to_be_visible()
    expect(page.get_by_text("Every file stands as it did.")).to_be_visible()

    page.get_by_role("slider", name="As of entry").fill("84")

    expect(page.get_by_role("region", name="As of")).to_contain_text("Tests never leave")
    expect(page.locator(".since").get_by_text("R004")).to_be_visible()
    assert "as_of=s%3A84" in page.url
    assert serious(page) == []


def test_decisions_are_those_of_then_until_one_goes_back(looking: Looking) -> None:
    page = looking.go(f"decisions?as_of=s:{THEN}")
    holds = page.get_by_role("link", name="D002 active")
    expect(holds).to_be_visible()
    expect(page.get_by_role("link", name="D003")).to_have_count(0)

    page.get_by_role("button", name="Back to now").click()

    expect(page.get_by_role("link", name="D003 active")).to_be_visible()
    assert "as_of" not in page.url


def test_one_stays_in_the_past_from_view_to_view(looking: Looking) -> None:
    page = looking.go(f"overview?as_of=s:{THEN}")
    lever(page)
    page.get_by_role("link", name="Records", exact=True).click()
    expect(page.get_by_role("link", name="R001")).to_be_visible()
    expect(page.get_by_role("link", name="R009")).to_have_count(0)

    page.get_by_role("link", name="Timeline", exact=True).click()
    expect(page.locator(".entry").first).to_contain_text("D002")
    page.get_by_role("link", name="Files", exact=True).click()
    expect(page.get_by_role("heading", name="No file has been changed yet")).to_be_visible()
    page.get_by_text("More", exact=True).click()
    page.get_by_role("link", name="Verify", exact=True).click()

    expect(page.get_by_text("This view shows how things are now.")).to_be_visible()


def test_a_time_of_day_is_a_moment_too(looking: Looking) -> None:
    page = looking.go("overview?as_of=s:100")
    lever(page)

    page.get_by_label("As of a time").fill("2001-01-01T00:00")

    expect(page.get_by_text("Nothing is open")).to_be_visible()


def test_a_record_and_a_file_are_compared_with_now(looking: Looking) -> None:
    page = looking.go("past?as_of=s:49")
    record = page.locator(".since > li", has_text="R002")
    record.get_by_role("button", name="Show the difference").click()
    expect(record.locator(".is-added").first).to_be_visible()
    file = page.locator(".since > li", has_text="lantern/crawl.py")
    file.get_by_role("button", name="Show the difference").click()

    expect(file.locator(".is-added").filter(has_text="import patiently")).to_be_visible()
    assert serious(page) == []


@pytest.fixture
def restoring(context: BrowserContext, served: Served) -> Iterator[Looking]:
    """Open a page on a file that has changed since."""
    with second_process(served.folder) as call:
        for content in ("one\n", "two\n"):
            change = {"path": "then.txt", "action": "create", "content": content, "overwrite": True}
            call("file_op", **change)
    looked = look(context, served)
    yield looked
    assert looked.complaints == []


def test_a_file_is_brought_back_from_there(restoring: Looking, served: Served) -> None:
    with second_process(served.folder) as call:
        revisions = call("get_evolution", path="then.txt")["revisions"]
    first = min(one["seq"] for one in revisions)
    page = restoring.go(f"past?as_of=s:{first}")
    page.locator(".since > li", has_text="then.txt").get_by_role(
        "link", name="Back to then"
    ).click()
    expect(page.get_by_label("Change of then.txt")).to_contain_text("-two+one")
    assert "as_of" not in page.url

    page.get_by_role("button", name="Restore 1 file").click()

    expect(page.get_by_role("status").filter(has_text="Restored")).to_be_visible()
    assert (served.folder / "workspace/then.txt").read_text() == "one\n"


def test_nothing_is_changed_in_the_past(looking: Looking) -> None:
    page = looking.go("records/R008?as_of=s:100")
    lever(page)
    page.get_by_role("button", name="Edit").click()

    expect(page.get_by_role("alert")).to_contain_text("nothing can be changed")


def test_on_a_phone_in_the_dark_it_fits_and_keeps_nobody_out(looking: Looking) -> None:
    looking.page.set_viewport_size({"width": 390, "height": 844})
    looking.page.emulate_media(color_scheme="dark")
    page = looking.go("past?as_of=s:49")
    expect(page.locator(".since > li", has_text="lantern/crawl.py")).to_be_visible()

    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert serious(page) == []


def test_all_files_are_brought_back_at_once(restoring: Looking, served: Served) -> None:
    with second_process(served.folder) as call:
        call("file_op", path="since.txt", action="create", content="new\n")
        revisions = call("get_evolution", path="then.txt")["revisions"]
    first = max(one["seq"] for one in revisions if one["action"] == "create")
    before = min(one["seq"] for one in revisions if one["seq"] >= first)
    page = restoring.go(f"past?as_of=s:{before}")
    gone = page.locator(".since > li", has_text="since.txt")
    expect(gone).to_contain_text("not there then")

    page.get_by_role("link", name="Bring all files back to then").click()

    expect(page.get_by_text("The whole workspace, after")).to_be_visible()
    expect(page.get_by_label("Change of since.txt")).to_contain_text("-new")
    page.get_by_role("button", name="Restore").click()
    expect(page.get_by_role("status").filter(has_text="Restored")).to_be_visible()
    assert not (served.folder / "workspace/since.txt").exists()
