"""What a person types is kept until it is saved, whatever happens to the page or the server."""

import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.conftest import Looking, Served, let_in, look, serve
from tests.browser.editing import box, change, drafts, edit, kept, save, stored
from tests.browser.seeding import fill_example

pytestmark = pytest.mark.clients

TYPED = "Typed, and not saved yet."


def type_into(looking: Looking, record: str) -> Page:
    """Begin to edit a record, and leave something typed there."""
    page = edit(looking, record)
    box(page, "Body").fill(TYPED)
    kept(page)
    return page


def go_on(page: Page) -> None:
    """Take up what was typed before."""
    page.get_by_role("button", name="Go on").click()
    expect(box(page, "Body")).to_have_value(TYPED)


# Elsewhere and back.


def test_another_click_keeps_what_was_typed_and_says_so(looking: Looking) -> None:
    page = type_into(looking, "R003")
    page.get_by_role("link", name="Decisions").click()
    expect(page.get_by_text("What you typed in R003 is kept")).to_be_visible()
    expect(page.get_by_role("region", name="Not saved yet")).to_contain_text("R003")

    page.get_by_role("link", name="Go on").click()

    expect(box(page, "Body")).to_have_value(TYPED)
    page.get_by_role("button", name="Discard changes").click()


def test_another_record_and_back_offers_what_was_typed(looking: Looking, served: Served) -> None:
    page = type_into(looking, "R005")
    page.get_by_role("navigation", name="Records").get_by_role("link").first.click()
    expect(page.get_by_text("What you typed in R005 is kept")).to_be_visible()
    page.go_back()
    expect(page.locator(".offers")).to_contain_text(
        re.compile("You were editing R005 at .* did not save the body")
    )

    go_on(page)
    save(page)

    expect(page.locator(".prose")).to_have_text(TYPED)
    assert stored(served, "R005")["body"] == TYPED
    assert drafts(page) == []


def test_what_is_typed_in_the_last_moment_is_kept_too(looking: Looking) -> None:
    page = edit(looking, "R006")
    box(page, "Body").fill(TYPED)
    page.reload()

    expect(page.get_by_text("You were editing R006 at")).to_be_visible()
    go_on(page)
    page.get_by_role("button", name="Discard changes").click()


def test_a_closed_tab_keeps_what_was_typed(context: BrowserContext, served: Served) -> None:
    first = look(context, served)
    type_into(first, "R006")
    first.page.close()
    second = look(context, served)

    page = second.go("records/R006")

    go_on(page)
    page.get_by_role("button", name="Discard changes").click()
    assert drafts(page) == []


def test_what_was_discarded_can_be_brought_back(looking: Looking) -> None:
    page = type_into(looking, "R007")
    page.get_by_role("button", name="Discard changes").click()
    assert drafts(page) == []

    page.get_by_role("button", name="Bring it back").click()

    go_on(page)
    page.get_by_role("button", name="Discard changes").click()


def test_what_is_typed_back_to_what_it_was_is_no_draft(looking: Looking) -> None:
    page = edit(looking, "R007")
    before = box(page, "Title").input_value()
    box(page, "Title").fill("Another")
    kept(page)

    box(page, "Title").fill(before)

    kept(page, 0)


# Several tabs.


def test_two_tabs_keep_their_own_drafts(context: BrowserContext, served: Served) -> None:
    first, second = look(context, served), look(context, served)
    one = type_into(first, "R009")
    other = second.go("records/R009")
    expect(other.get_by_text("You are editing the body in another tab")).to_be_visible()
    edit(second, "R009")
    box(other, "Title").fill("By the second tab")
    kept(other, 2)

    save(one)
    expect(one.locator(".prose")).to_have_text(TYPED)
    save(other)

    expect(other.get_by_role("heading", name="By the second tab")).to_be_visible()
    expect(other.locator(".prose")).to_have_text(TYPED)
    assert drafts(other) == []


def test_a_second_tab_of_one_browser_buries_nothing_of_the_first(
    context: BrowserContext, served: Served
) -> None:
    first, second = look(context, served), look(context, served)
    one, other = edit(first, "R001"), edit(second, "R001")
    box(one, "Summary").fill("By the first tab")
    save(one)
    expect(one.get_by_text("By the first tab").first).to_be_visible()
    box(other, "Summary").fill("By the second tab")

    save(other)

    expect(other.get_by_role("region", name="Conflict")).to_be_visible()
    assert stored(served, "R001")["summary"] == "By the first tab"


# No room.


def test_a_browser_without_room_says_so_and_asks_before_it_closes(looking: Looking) -> None:
    page = looking.go("overview")
    page.evaluate(
        """() => { for (let number = 0; number < 100; number += 1)
             localStorage.setItem(`hansard.draft.other.p.R1.${number}`, '{}') }"""
    )
    edit(looking, "R006")
    box(page, "Body").fill(TYPED)
    expect(page.get_by_role("alert")).to_contain_text("no room to keep what you type")

    with page.expect_event("dialog") as asked:
        page.close(run_before_unload=True)
    assert asked.value.type == "beforeunload"
    asked.value.dismiss()

    expect(box(page, "Body")).to_have_value(TYPED)
    page.get_by_role("link", name="Decisions").click()
    page.get_by_role("link", name="Go on").click()
    expect(box(page, "Body")).to_have_value(TYPED)
    page.evaluate("localStorage.clear()")


# Servers that go, come back, or are others.


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """Give a folder with the example project, for a server that is stopped and started."""
    fill_example(tmp_path)
    return tmp_path


@pytest.fixture
def servers() -> Iterator[ExitStack]:
    """Hold servers that a test starts in place of others."""
    with ExitStack() as running:
        yield running


@pytest.mark.slow("starts servers in place of others")
def test_a_stopped_server_takes_nothing_and_saves_when_it_is_back(
    browser: Browser, own: Path, servers: ExitStack
) -> None:
    with serve(own) as first:
        entered = servers.enter_context(let_in(browser, first))
        looked = look(entered, first)
        page = edit(looked, "R008")
        box(page, "Body").fill("Typed before it went.")
    expect(page.locator(".lost")).to_contain_text("Lost the server, trying again")
    box(page, "Body").press("End")
    box(page, "Body").press_sequentially(" And after.")
    save(page)
    expect(page.get_by_text("Not saved yet: the server does not answer")).to_be_visible()
    expect(box(page, "Body")).to_have_value("Typed before it went. And after.")

    with serve(own, first.port) as second:
        expect(page.locator(".prose")).to_have_text("Typed before it went. And after.")
        expect(page.locator(".lost")).to_have_count(0)
        assert stored(second, "R008")["body"] == "Typed before it went. And after."
        assert drafts(page) == []
        page.reload()
        expect(page.get_by_role("heading", name="Stay polite")).to_be_visible()


@pytest.mark.slow("starts servers in place of others")
def test_a_restart_and_a_change_by_another_meanwhile_lose_nothing(
    browser: Browser, own: Path, servers: ExitStack
) -> None:
    with serve(own) as first:
        entered = servers.enter_context(let_in(browser, first))
        page = type_into(look(entered, first), "R008")
        page.close()
        change(first, "R008", title="Changed meanwhile")
    with serve(own, first.port) as second:
        page = look(entered, second).go("records/R008")
        expect(page.get_by_role("heading", name="Changed meanwhile")).to_be_visible()
        go_on(page)
        expect(page.get_by_text("claude-code changed the title")).to_be_visible()
        save(page)

        expect(page.get_by_text("Merged with claude-code’s change of the title")).to_be_visible()
        found = stored(second, "R008")
        assert (found["title"], found["body"]) == ("Changed meanwhile", TYPED)


@pytest.mark.slow("starts servers in place of others")
def test_another_store_at_the_same_address_is_offered_nothing_and_given_nothing(
    browser: Browser, own: Path, servers: ExitStack, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = tmp_path_factory.mktemp("other")
    fill_example(other)
    with serve(own) as first:
        entered = servers.enter_context(let_in(browser, first))
        page = type_into(look(entered, first), "R008")
    with serve(other, first.port) as second:
        entered.new_page().goto(second.entrance)
        expect(page.get_by_role("heading", name="Another store answers")).to_be_visible()
        fresh = look(entered, second).go("records/R008")
        expect(fresh.get_by_role("heading", name="Stay polite")).to_be_visible()
        expect(fresh.locator(".offers")).to_be_empty()
        expect(fresh.get_by_role("region", name="Not saved yet")).to_have_count(0)
        assert stored(second, "R008")["body"] != TYPED
        page.close()
    with serve(own, first.port) as third:
        page = look(entered, third).go("records/R008")
        expect(page.get_by_text("You were editing R008")).to_be_visible()


def test_who_is_logged_out_while_typing_finds_it_as_it_was(
    context: BrowserContext, served: Served
) -> None:
    looked = look(context, served)
    page = type_into(looked, "R007")
    cookies = context.cookies()
    context.clear_cookies()
    save(page)
    expect(page.get_by_role("heading", name="has not been let in")).to_be_visible()
    expect(page.get_by_role("button", name="Save")).to_have_count(0)

    context.add_cookies(cookies)  # type: ignore[arg-type]
    page.get_by_role("button", name="Try again").click()

    expect(box(page, "Body")).to_have_value(TYPED)
    page.get_by_role("button", name="Discard changes").click()
