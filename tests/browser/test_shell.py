"""The frame around the views: the way in, the keys, the palette, and staying up to date."""

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Looking, Served
from tests.browser.seeding import second_process

pytestmark = pytest.mark.clients


def overview(looking: Looking) -> Page:
    """Open the overview, and wait for it."""
    page = looking.go("overview")
    expect(page.get_by_role("heading", name="Lantern")).to_be_visible()
    return page


@pytest.fixture(scope="module")
def empty(served: Served) -> None:
    """Have a second project, in which nothing was done yet."""
    with second_process(served.folder) as call:
        call("create_project", id="empty", name="Empty")


def test_a_browser_that_was_not_let_in_is_told_how(browser: Browser, served: Served) -> None:
    with browser.new_context() as stranger:
        page = stranger.new_page()
        page.goto(served.base)

        expect(page.get_by_role("heading", name="has not been let in")).to_be_visible()
        expect(page.get_by_text("hansard open")).to_be_visible()


def test_a_browser_that_is_no_longer_known_is_told_how_to_come_back(looking: Looking) -> None:
    page = overview(looking)
    page.context.clear_cookies()
    page.keyboard.press("g")
    page.keyboard.press("r")

    expect(page.get_by_role("heading", name="has not been let in")).to_be_visible()
    looking.forgive("401")


def test_what_another_process_records_is_shown_at_once(looking: Looking, served: Served) -> None:
    page = overview(looking)
    expect(page.get_by_role("status").filter(has_text="Live").last).to_be_visible()
    with second_process(served.folder) as call:
        call(
            "create_record",
            type="task",
            title="Written while you looked",
            summary="By another process.",
            body="Nothing was reloaded.",
        )

    expect(page.get_by_role("link", name="Written while you looked").first).to_be_visible()


def test_a_timeline_that_is_looked_at_grows(looking: Looking, served: Served) -> None:
    page = looking.go("timeline")
    expect(page.get_by_role("link", name="P002")).to_be_visible()
    with second_process(served.folder) as call:
        call("record_session_start", title="A new sitting")

    expect(page.get_by_text("Session: A new sitting")).to_be_visible()


def test_a_page_that_lost_the_server_says_so_and_finds_it_again(
    looking: Looking, empty: None
) -> None:
    page = overview(looking)
    expect(page.get_by_role("status").filter(has_text="Live").last).to_be_visible()
    page.route("**/api/v1/stream*", lambda route: route.abort())
    page.get_by_label("Project").select_option("empty")
    expect(page.get_by_role("status").filter(has_text="Lost").last).to_be_visible()

    page.unroute("**/api/v1/stream*")

    expect(page.get_by_role("status").filter(has_text="Live").last).to_be_visible()
    looking.forgive("ERR_FAILED")


def test_what_is_shown_stays_while_the_server_is_away(looking: Looking, served: Served) -> None:
    page = overview(looking)
    expect(page.get_by_role("status").filter(has_text="Live").last).to_be_visible()
    page.route("**/api/v1/get_*", lambda route: route.abort())
    with (
        page.expect_event("requestfailed", lambda one: one.url.endswith("get_project_overview")),
        second_process(served.folder) as call,
    ):
        call("record_session_start", title="Begun while it was away")

    expect(page.get_by_role("heading", name="Lantern")).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)
    looking.forgive("ERR_FAILED")


def test_the_palette_goes_to_a_view_and_to_a_thing(looking: Looking) -> None:
    page = overview(looking)
    page.keyboard.press("Control+k")
    page.get_by_role("combobox", name="Search or go to").fill("verify")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Verify")).to_be_visible()
    expect(page.get_by_role("combobox", name="Search or go to")).to_have_count(0)

    page.keyboard.press("/")
    page.get_by_role("combobox", name="Search or go to").fill("politeness")
    page.get_by_role("option", name="Never more than one request").click()

    expect(page.get_by_role("heading", name="Never more than one request")).to_be_visible()


def test_the_palette_takes_an_id_at_its_word(looking: Looking) -> None:
    page = overview(looking)
    page.keyboard.press("/")
    page.get_by_role("combobox", name="Search or go to").fill("r004")
    page.keyboard.press("Enter")

    expect(page.get_by_role("heading", name="A report that people can read")).to_be_visible()
    assert page.url.endswith("/#/lantern/records/R004")


def test_the_palette_begins_writing_and_goes_to_projects(looking: Looking, empty: None) -> None:
    page = overview(looking)
    page.keyboard.press("/")
    page.get_by_role("combobox", name="Search or go to").fill("new rec")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog", name="New record")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)

    page.keyboard.press("/")
    page.get_by_role("combobox", name="Search or go to").fill("empty")
    page.get_by_role("option", name="Empty Project empty").click()

    expect(page.get_by_text("Waiting for the first call")).to_be_visible()


AGAIN = """() => new Promise((done) => {
    const drawn = (left) => left ? requestAnimationFrame(() => drawn(left - 1)) : done();
    const dialog = document.querySelector('dialog[aria-label="Search or go to"]');
    const seen = new MutationObserver(() => {
        seen.disconnect();
        dialog.addEventListener('close', () => drawn(5));
        document.body.dispatchEvent(new KeyboardEvent('keydown', {key: '/', bubbles: true}));
    });
    seen.observe(dialog, {attributeFilter: ['open']});
    const keys = {key: 'k', ctrlKey: true, bubbles: true};
    document.body.dispatchEvent(new KeyboardEvent('keydown', keys));
})"""
"""Close the palette, and ask for it again before the browser tells that it was closed."""


def test_the_palette_stays_when_it_is_asked_for_right_after_it_closed(looking: Looking) -> None:
    page = overview(looking)
    page.keyboard.press("/")
    box = page.get_by_role("combobox", name="Search or go to")
    expect(box).to_be_visible()

    page.evaluate(AGAIN)

    expect(box).to_be_visible()
    page.keyboard.press("Escape")
    expect(box).to_have_count(0)


BY_ESCAPE = AGAIN.partition("    const keys =")[0].replace("done()", "window.isDrawn = true") + "})"
"""Ask for the palette again as soon as it has closed by itself."""


def test_the_palette_stays_when_it_is_asked_for_right_after_escape(looking: Looking) -> None:
    page = overview(looking)
    page.keyboard.press("/")
    box = page.get_by_role("combobox", name="Search or go to")
    expect(box).to_be_focused()

    page.evaluate(f"() => {{ ({BY_ESCAPE})() }}")
    page.keyboard.press("Escape")
    page.wait_for_function("() => window.isDrawn")

    expect(box).to_be_visible()
    page.keyboard.press("Escape")
    expect(box).to_have_count(0)


def test_what_is_found_says_what_holds_instead_and_is_narrowed_down(looking: Looking) -> None:
    page = looking.go("search?q=retry")
    results = page.locator(".results > li")
    resolved = results.filter(has_text="Retry what fails for a moment")
    expect(resolved.get_by_text("Holds instead:")).to_be_visible()
    everything = results.count()
    page.get_by_text("Narrow down").click()
    page.get_by_label("Who").fill("maria")

    expect(results).not_to_have_count(everything)
    for one in results.all():
        expect(one).to_contain_text("maria")
    page.get_by_label("Who").fill("")
    page.get_by_label("Since").fill("2999-01-01")
    expect(page.get_by_text("narrow it down less")).to_be_visible()
    assert "since=2999-01-01" in page.url


def test_a_mistyped_word_says_what_it_was_taken_for(looking: Looking) -> None:
    page = looking.go("search?q=polteness")

    # Which form of the word is told depends on what was found.
    expect(page.get_by_text("“polteness” was taken for “polite")).to_be_visible()
    expect(page.locator(".results > li").first).to_be_visible()


def test_the_palette_offers_what_was_looked_at_lately(looking: Looking) -> None:
    page = looking.go("decisions/D005")
    expect(page.get_by_role("heading", name="Retry 429")).to_be_visible()
    looking.go("records/R002")
    expect(page.get_by_role("heading", name="Crawl a site in parallel")).to_be_visible()
    page.keyboard.press("/")

    offered = page.get_by_role("listbox", name="Where to go").get_by_role("option")
    expect(offered.nth(0)).to_contain_text("Crawl a site in parallel")
    expect(offered.nth(1)).to_contain_text("Retry 429 and 5xx three times")


def test_what_is_found_is_marked_and_says_who_and_when(looking: Looking) -> None:
    page = looking.go("search?q=retry")
    found = page.get_by_role("link", name="Retry 429 and 5xx")
    expect(found.locator("mark").first).to_have_text("Retry")
    expect(found.locator("time")).to_be_visible()
    expect(found).to_contain_text("maria")

    page.get_by_role("button", name="records", exact=True).click()

    expect(found).to_have_count(0)
    expect(page.get_by_role("link", name="Retry what fails for a moment")).to_be_visible()


def test_the_palette_goes_away_by_escape(looking: Looking) -> None:
    page = overview(looking)
    page.keyboard.press("/")
    expect(page.get_by_role("combobox", name="Search or go to")).to_be_focused()

    page.keyboard.press("Escape")

    expect(page.get_by_role("combobox", name="Search or go to")).to_have_count(0)
    # The key is heard again once the page has the focus back.
    page.locator("h1").first.click()
    page.keyboard.press("/")
    expect(page.get_by_role("combobox", name="Search or go to")).to_be_focused()


def test_keys_go_to_views_and_help_lists_them(looking: Looking) -> None:
    page = overview(looking)
    page.keyboard.press("g")
    page.keyboard.press("t")
    expect(page.get_by_role("heading", name="Timeline")).to_be_visible()

    page.keyboard.press("?")

    expect(page.get_by_role("dialog", name="Keys")).to_contain_text("g e")


def test_the_theme_is_chosen_and_kept(looking: Looking) -> None:
    page = overview(looking)
    light = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    page.get_by_role("button", name="Theme: auto").click()
    page.get_by_role("button", name="Theme: light").click()
    page.reload()

    expect(page.get_by_role("button", name="Theme: dark")).to_be_visible()
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") != light


def test_an_empty_project_says_what_to_do(looking: Looking, empty: None) -> None:
    page = overview(looking)
    page.get_by_label("Project").select_option("empty")
    expect(page.get_by_text("Waiting for the first call")).to_be_visible()

    page.get_by_role("link", name="Files", exact=True).click()

    expect(page.get_by_role("heading", name="No file has been changed yet")).to_be_visible()
    page.get_by_role("link", name="Overview").click()
    expect(page.get_by_text("Waiting for the first call")).to_be_visible()
    page.get_by_label("Project").select_option("lantern")
    expect(page.get_by_role("heading", name="Open work")).to_be_visible()


def test_a_record_that_is_not_there_is_said_so_with_a_way_on(looking: Looking) -> None:
    page = looking.go("records/R999")

    expect(page.get_by_role("alert")).to_contain_text("RECORD_NOT_FOUND")
    looking.forgive("404")


def test_narrow_screens_have_the_views_behind_a_button(looking: Looking) -> None:
    looking.page.set_viewport_size({"width": 400, "height": 800})
    page = overview(looking)
    expect(page.get_by_role("link", name="Decisions")).to_be_hidden()

    page.get_by_role("button", name="Menu").click()
    page.get_by_role("link", name="Decisions").click()

    expect(page.get_by_role("heading", name="Decisions")).to_be_visible()
    expect(page.get_by_role("link", name="Verify")).to_be_hidden()


@pytest.mark.parametrize(
    ("came_by", "stands"),
    [
        ("", "#/lantern/overview"),
        ("#//records/R004", "#/lantern/records/R004"),
        ("#//decisions?find=retry", "#/lantern/decisions?find=retry"),
    ],
)
def test_an_address_without_a_project_gets_the_one_that_is_shown(
    looking: Looking, came_by: str, stands: str
) -> None:
    page = looking.page
    page.goto("about:blank")
    page.goto(f"{looking.base}/{came_by}")

    page.wait_for_function("wanted => location.hash === wanted", arg=stands)
    expect(page.get_by_role("link", name="Records").first).to_have_attribute(
        "href", "#/lantern/records"
    )
    page.go_back()
    expect(page).to_have_url("about:blank")


def test_the_navigation_has_few_entries_and_the_rest_one_step_away(looking: Looking) -> None:
    page = overview(looking)
    views = page.get_by_role("navigation", name="Views")
    expect(views.get_by_role("link")).to_have_count(8)

    views.get_by_role("link", name="Timeline").click()
    views.get_by_role("link", name="Movies").click()
    expect(page.get_by_role("heading", name="Movies")).to_be_visible()
    expect(views.get_by_role("link", name="Movies")).to_have_attribute("aria-current", "page")
    views.get_by_text("More").click()
    views.get_by_role("link", name="Verify").click()

    expect(page.get_by_role("heading", name="Verify")).to_be_visible()
    expect(views.get_by_role("link", name="Movies")).to_have_count(0)
    expect(views.get_by_role("link", name="Checkpoints")).to_be_visible()


def test_an_address_of_no_view_leads_on(looking: Looking) -> None:
    page = looking.go("nowhere")

    page.get_by_role("link", name="Go to the overview").click()

    expect(page.get_by_role("heading", name="Lantern")).to_be_visible()


def test_the_palette_finds_a_view_by_what_it_is_about(looking: Looking) -> None:
    page = overview(looking)
    page.keyboard.press("Control+k")
    page.get_by_role("combobox", name="Search or go to").fill("film of all its files")

    found = page.get_by_role("listbox", name="Where to go").get_by_role("option")
    expect(found.first).to_contain_text("Movies")
