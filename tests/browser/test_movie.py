"""A session as a movie: one button over all its files, with captions."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Looking, Served
from tests.browser.test_timeline_detail import session
from tests.browser.test_views import serious

pytestmark = pytest.mark.clients


@pytest.fixture
def movie(looking: Looking, served: Served) -> Page:
    """Open the movie of the session that has the most to show."""
    page = looking.go(f"movie/{session(served, 'Check links in parallel')}")
    expect(page.get_by_role("heading", name="Check links in parallel")).to_be_visible()
    return page


def test_one_button_plays_every_file_to_the_end_with_captions(movie: Page) -> None:
    expect(movie.locator(".screen")).to_contain_text("Build the crawler.")
    movie.get_by_label("Speed").select_option("4")
    movie.evaluate(
        """() => {
            window.seen = [];
            const note = () => {
                const path = document.querySelector('.reel [aria-current]')?.textContent ?? '';
                const caption = document.querySelector('.caption .said')?.textContent ?? '';
                const last = window.seen.at(-1) ?? [];
                if (last[0] !== path || last[1] !== caption) window.seen.push([path, caption]);
            };
            new MutationObserver(note).observe(document.querySelector('.player'),
                {subtree: true, childList: true, characterData: true, attributes: true});
        }"""
    )
    movie.get_by_role("button", name="Play").click()
    expect(movie.get_by_role("button", name="Pause")).to_be_visible()

    expect(movie.locator(".caption")).to_contain_text("closed: Links are checked in parallel")
    expect(movie.get_by_role("button", name="Play")).to_be_visible()
    seen = movie.evaluate("window.seen")
    assert {"README.md", "lantern/crawl.py", "tests/test_crawl.py"} <= {path for path, _ in seen}
    captions = [caption for _, caption in seen]
    assert captions.index("Let sixteen workers share a queue") < captions.index(
        "600 pages in 21 seconds with 16 workers."
    )


def test_a_scene_shows_its_change_under_its_step_and_the_address_follows(movie: Page) -> None:
    movie.keyboard.press("Home")
    for _ in range(20):
        if "Creates lantern/crawl.py" in (movie.locator(".caption").text_content() or ""):
            break
        movie.get_by_role("button", name="Next scene").click()

    expect(movie.locator(".stage .is-added").first).to_be_visible()
    expect(movie.locator(".chapter")).to_contain_text("Step 1")
    seq = re.search(r"seq=(\d+)", movie.url)
    assert seq is not None
    movie.reload()
    expect(movie.locator(".caption")).to_contain_text("Creates lantern/crawl.py")
    assert serious(movie) == []


def test_the_slider_goes_anywhere_and_keys_step(movie: Page) -> None:
    movie.get_by_role("slider", name="Scene").fill("0")
    expect(movie.locator(".caption")).to_contain_text("Build the crawler.")
    movie.get_by_role("heading", name="Check links in parallel").click()
    movie.keyboard.press("End")

    expect(movie.locator(".caption")).to_contain_text("closed:")
    movie.keyboard.press("ArrowLeft")
    expect(movie.locator(".caption")).to_contain_text("Edits tests/test_crawl.py")


def test_on_a_phone_the_controls_are_in_reach(looking: Looking, served: Served) -> None:
    looking.page.set_viewport_size({"width": 390, "height": 844})
    looking.page.emulate_media(color_scheme="dark")
    page = looking.go(f"movie/{session(served, 'Check links in parallel')}?seq=46")
    expect(page.locator(".stage .is-added").first).to_be_visible()

    slider = page.get_by_role("slider", name="Scene").bounding_box()

    assert slider is not None
    assert slider["y"] + slider["height"] <= 844
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert serious(page) == []


def test_sessions_that_changed_files_are_offered(looking: Looking) -> None:
    page = looking.go("movie")

    page.get_by_role("link", name="Retry what fails for a moment").click()

    expect(page.get_by_role("button", name="Play")).to_be_visible()
