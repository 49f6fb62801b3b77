"""The film of a file: played, paused, scrubbed, by mouse and by keys."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Looking

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
