"""The film of a file: played, paused, scrubbed, by mouse and by keys, and asked of its lines."""

import re
import subprocess

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.conftest import Looking, Served
from tests.browser.seeding import second_process
from tests.browser.test_views import serious

pytestmark = pytest.mark.clients


@pytest.fixture
def player(looking: Looking) -> Page:
    """Open the film of the file with the most revisions."""
    page = looking.go("evolution?path=lantern/crawl.py&revision=1")
    expect(page.get_by_text("Revision 1 of 7")).to_be_visible()
    expect(page.locator(".stage")).to_contain_text("answer = httpx.get(url)")
    return page


def test_a_step_shows_what_is_new_and_lets_go_of_what_is_not(player: Page) -> None:
    player.get_by_role("button", name="Next revision").click()

    expect(player.get_by_text("Revision 2 of 7")).to_be_visible()
    expect(player.locator(".stage .is-added").filter(has_text="import asyncio")).to_be_visible()
    expect(player.locator(".stage")).not_to_contain_text("answer = httpx.get(url)")


@pytest.mark.holds("003-challenge-4.2")
def test_playing_reaches_the_end_and_stops(player: Page) -> None:
    player.get_by_label("Speed").select_option("4")
    player.get_by_role("button", name="Play").click()
    expect(player.get_by_role("button", name="Pause")).to_be_visible()

    expect(player.get_by_text("Revision 7 of 7")).to_be_visible()
    expect(player.get_by_role("button", name="Play")).to_be_visible()
    expect(player.locator(".stage")).to_contain_text("not walked through")


def test_pausing_holds_the_film(player: Page) -> None:
    player.get_by_role("button", name="Play").click()
    expect(player.get_by_text("Revision 2 of 7")).to_be_visible()
    player.get_by_role("button", name="Pause").click()
    player.wait_for_timeout(2_600)

    expect(player.get_by_text("Revision 2 of 7")).to_be_visible()


def test_scrubbing_goes_anywhere_and_the_address_follows(player: Page) -> None:
    player.get_by_role("slider", name="Revision").fill("5")

    expect(player.get_by_text("Revision 6 of 7")).to_be_visible()
    expect(player.locator(".stage")).to_contain_text("await patiently(client, url)")
    assert "revision=6" in player.url


def test_the_keys_move_through_the_film(player: Page) -> None:
    keys = player.keyboard
    player.get_by_role("heading", name="lantern/crawl.py").click()
    keys.press("End")
    expect(player.get_by_text("Revision 7 of 7")).to_be_visible()
    keys.press("ArrowLeft")
    expect(player.get_by_text("Revision 6 of 7")).to_be_visible()
    keys.press("Home")
    expect(player.get_by_text("Revision 1 of 7")).to_be_visible()
    keys.press("+")
    expect(player.get_by_label("Speed")).to_have_value("2")
    keys.press(" ")

    expect(player.get_by_role("button", name="Pause")).to_be_visible()


def test_an_entry_of_the_timeline_opens_the_film_where_it_happened(looking: Looking) -> None:
    page = looking.go("evolution?path=lantern/retry.py")
    page.get_by_role("link", name="Entry s:").click()
    page.get_by_label("Kind").select_option("file_edit")
    page.locator(".entry", has_text="lantern/retry.py").get_by_role("link", name="Film").click()

    expect(page.get_by_text("Revision 2 of 2")).to_be_visible()
    expect(page.locator(".stage .is-added").filter(has_text="WAIT_MAX_S = 30.0")).to_be_visible()


FILM = "evolution?path=lantern/crawl.py&revision=7"


def line(page: Page, text: str) -> Locator:
    """Find a line of the film."""
    return page.locator(".stage li", has_text=text)


def why(page: Page) -> Locator:
    """Find what is said of a line."""
    return page.get_by_role("complementary", name=re.compile("Why line"))


@pytest.mark.holds("FIL-why-1")
def test_a_click_on_a_line_tells_why_it_is_there(looking: Looking) -> None:
    page = looking.go(FILM)

    line(page, "WORKERS = 16").click()

    told = why(page)
    expect(told).to_contain_text("builder wrote it")
    expect(told.get_by_role("link", name="Check links in parallel")).to_be_visible()
    expect(told).to_contain_text("2. Let sixteen workers share a queue")
    expect(told).to_contain_text("Build the crawler. Keep it polite to the servers.")
    expect(told.get_by_role("link", name="R002")).to_be_visible()
    assert "line=12" in page.url
    assert serious(page) == []
    told.get_by_role("link", name=re.compile("^s:")).click()
    expect(page.locator(".entry.is-chosen")).to_contain_text("lantern/crawl.py")


@pytest.mark.holds("FIL-why-1")
def test_keys_go_from_line_to_line_and_enter_asks(looking: Looking) -> None:
    page = looking.go(f"{FILM}&line=12")
    expect(why(page)).to_contain_text("WORKERS = 16")

    page.get_by_role("button", name="Line 12: why is it there?").focus()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("button", name="Line 13: why is it there?")).to_be_focused()
    page.keyboard.press("Enter")

    expect(why(page)).to_contain_text("AGENT = ")
    page.get_by_role("button", name="Close").click()
    expect(why(page)).to_have_count(0)
    assert "line=" not in page.url


def test_another_revision_has_other_lines(looking: Looking) -> None:
    page = looking.go(f"{FILM}&line=12")
    expect(why(page)).to_contain_text("WORKERS = 16")

    page.get_by_role("button", name="Previous revision").click()

    expect(page.get_by_text("Revision 6 of 7")).to_be_visible()
    expect(why(page)).to_have_count(0)


@pytest.mark.holds("FIL-why-1")
def test_what_is_cited_is_named_and_git_goes_on_where_the_record_ends(
    looking: Looking, served: Served
) -> None:
    folder = served.folder / "workspace"
    (folder / "ports.txt").write_text("80\n443\n")
    who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false"]
    for arguments in (["init", "-q"], ["add", "ports.txt"], ["commit", "-qm", "Open the web"]):
        subprocess.run(["git", *who, *arguments], cwd=folder, check=True)
    with second_process(served.folder) as call:
        change = {"path": "ports.txt", "action": "edit", "content": "80\n443\n8443\n"}
        call("file_op", **change, cites=["R002", "D003"])

    page = looking.go("evolution?path=ports.txt&revision=2")
    line(page, "8443").click()
    expect(why(page).get_by_role("listitem").filter(has_text="D003")).to_contain_text("cited")
    line(page, "80").first.click()

    expect(why(page)).to_contain_text("before Hansard first met the file")
    expect(why(page)).to_contain_text("Open the web")
    expect(why(page)).to_contain_text("Ada")


def test_on_a_phone_in_the_dark_it_is_below_the_film_and_keeps_nobody_out(
    looking: Looking,
) -> None:
    looking.page.set_viewport_size({"width": 390, "height": 800})
    looking.page.emulate_media(color_scheme="dark")
    page = looking.go(f"{FILM}&line=12")

    expect(why(page)).to_contain_text("WORKERS = 16")

    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert serious(page) == []


def test_on_a_phone_the_film_is_chosen_and_played_without_scrolling(looking: Looking) -> None:
    looking.page.set_viewport_size({"width": 390, "height": 844})
    page = looking.go("evolution?path=lantern/crawl.py&revision=3")
    expect(page.locator(".stage")).to_contain_text("WORKERS = 16")

    expect(page.get_by_role("button", name="Play")).to_be_in_viewport(ratio=1)
    expect(page.get_by_role("slider")).to_be_in_viewport(ratio=1)
    expect(page.get_by_role("combobox", name="File")).to_have_value("lantern/crawl.py")
    page.get_by_role("combobox", name="File").select_option("lantern/retry.py")

    expect(page.get_by_text("Revision 1 of 2")).to_be_visible()


def test_a_content_that_cannot_be_reached_is_asked_for_again_and_called_nothing_else(
    looking: Looking,
) -> None:
    page = looking.page

    def away(route: Route) -> None:
        if '"revision":' in (route.request.post_data or ""):
            route.abort()
        else:
            route.continue_()

    page.route("**/api/v1/get_evolution", away)
    with page.expect_event("requestfailed"):
        looking.go("evolution?path=lantern/crawl.py&revision=1")
    expect(page.get_by_text("Revision 1 of 7")).to_be_visible()
    expect(page.get_by_text("It is not text")).to_have_count(0)

    page.unroute("**/api/v1/get_evolution")

    expect(page.locator(".stage")).to_contain_text("answer = httpx.get(url)")
    looking.forgive("ERR_FAILED")
