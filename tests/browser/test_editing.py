"""Each screen of editing keeps nobody out, in light and in the dark, wide and narrow."""

import itertools
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Looking, Served
from tests.browser.editing import box, change, edit, kept, save
from tests.browser.test_views import serious

pytestmark = pytest.mark.clients

BODY = "\n".join(f"Line {number} of the body." for number in range(1, 21)) + "\n"

turns = itertools.count(1)
"""Numbers what others write, so that each time it is something new."""

Scene = Callable[[Looking, Served], Page]


def typing(looking: Looking, served: Served) -> Page:
    """Type while another changes the same record."""
    page = edit(looking, "R002")
    page.get_by_text("Related, citations, metadata").click()
    box(page, "Title").fill("Typed by me")
    change(served, "R002", body=f"{BODY}Written in turn {next(turns)}.\n")
    expect(page.get_by_text("claude-code changed the body")).to_be_visible()
    page.get_by_role("button", name="See").click()
    expect(page.get_by_label("What changed in the body")).to_be_visible()
    return page


def offered(looking: Looking, served: Served) -> Page:
    """Come back to what was typed."""
    page = edit(looking, "R004")
    box(page, "Body").fill("Typed, not saved.")
    kept(page)
    page.reload()
    expect(page.get_by_text("You were editing R004")).to_be_visible()
    return page


def elsewhere(looking: Looking, served: Served) -> Page:
    """Leave what was typed for another view."""
    page = edit(looking, "R004")
    box(page, "Body").fill("Typed, not saved.")
    looking.go("decisions")
    expect(page.get_by_text("What you typed in R004 is kept")).to_be_visible()
    return page


def lost(looking: Looking, served: Served) -> Page:
    """Edit while the server is away."""
    page = edit(looking, "R005")
    box(page, "Title").fill("Typed while it was away")
    page.route("**/api/v1/**", lambda route: route.abort())
    # A stream that is open stays so; leaving the page for a moment makes it begin anew.
    page.evaluate(
        """() => { Object.defineProperty(document, 'hidden', {value: true, configurable: true});
             dispatchEvent(new Event('visibilitychange'));
             Object.defineProperty(document, 'hidden', {value: false});
             dispatchEvent(new Event('visibilitychange')) }"""
    )
    expect(page.locator(".lost")).to_be_visible()
    save(page)
    expect(page.get_by_text("Not saved yet: the server")).to_be_visible()
    looking.forgive("ERR_FAILED")
    return page


def deciding(looking: Looking, served: Served) -> Page:
    """Decide between two versions."""
    turn = next(turns)
    change(served, "R003", body=BODY)
    page = edit(looking, "R003")
    mine = BODY.replace("Line 3 of", "My line 3 of").replace("Line 12 of", "My line 12 of")
    box(page, "Body").fill(mine)
    box(page, "Summary").fill(f"My summary {turn}")
    theirs = BODY.replace("Line 3 of", "Their line 3, and more, of").replace("Line 18", "Their 18")
    change(served, "R003", body=theirs, summary=f"Their summary {turn}", title=f"Their {turn}")
    save(page)
    expect(page.get_by_role("region", name="Conflict")).to_be_visible()
    summary = page.get_by_role("group", name="Summary")
    summary.get_by_role("radio", name="Both").check()
    page.get_by_role("group", name="Body, line 3").get_by_role("radio", name="By hand").check()
    return page


def merged(looking: Looking, served: Served) -> Page:
    """Save, and have it merged."""
    page = edit(looking, "R006")
    turn = next(turns)
    box(page, "Title").fill(f"My title {turn}")
    change(served, "R006", body=f"By the agent, {turn}.\n")
    save(page)
    page.get_by_role("button", name="See what it was").click()
    expect(page.locator(".since")).to_contain_text(f"My title {turn}")
    return page


SCENES: dict[str, Scene] = {
    scene.__name__: scene for scene in (typing, offered, elsewhere, lost, deciding, merged)
}


@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (390, "dark")])
@pytest.mark.parametrize("name", SCENES)
def test_editing_keeps_nobody_out(
    looking: Looking, served: Served, name: str, width: int, scheme: str
) -> None:
    looking.page.set_viewport_size({"width": width, "height": 900})
    looking.page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")

    page = SCENES[name](looking, served)

    assert serious(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.unroute_all(behavior="ignoreErrors")
    looking.forgive("ERR_FAILED")
