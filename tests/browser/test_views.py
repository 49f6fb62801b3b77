"""Every view shows the example project, at both widths, without a complaint of the browser."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.conftest import Looking, Served, look
from tests.browser.seeding import MARKUP, Call, second_process, store_markup

pytestmark = pytest.mark.clients

AXE = Path(__file__).parents[2] / "web/node_modules/axe-core/axe.min.js"

VIEWS = {
    "overview": ("heading", "Lantern"),
    "review": ("button", "Accept"),
    "records": ("link", "Crawl a site in parallel"),
    "records/R002": ("heading", "Crawl a site in parallel"),
    "control": ("heading", "A report people can read"),
    "timeline": ("link", "P002"),
    "undo": ("heading", "What should be undone?"),
    "story": ("heading", "Check links in parallel"),
    "movie": ("heading", "Check links in parallel"),
    "evolution?path=lantern/crawl.py": ("heading", "lantern/crawl.py"),
    "past?as_of=s:50": ("link", "R009"),
    "restore": ("heading", "What should come back?"),
    "decisions/P001": ("button", "Accept"),
    "checkpoints": ("heading", "From C00"),
    "search?q=retry": ("link", "Retry 429"),
    "verify": ("status", "The journal is sound."),
    "entities": ("heading", "Flaky links"),
    "entities?type=agentGraph": ("heading", "Nightly check"),
    "entities?type=agentGraphExecution": ("slider", "After event"),
    "entities?type=metric": ("img", "broken_links over time"),
}
"""An address of each view, and something that is seen there only once it has been answered."""


def see(page: Page, sight: tuple[str, str]) -> None:
    """Wait until something is there."""
    role, name = sight
    if role == "status":
        found = page.get_by_role("status").filter(has_text=name)
    else:
        found = page.get_by_role(role, name=name)  # type: ignore[arg-type]
    expect(found.first).to_be_visible()


def serious(page: Page) -> list[Mapping[str, Any]]:
    """Ask axe for what keeps people out."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        {"rule": one["id"], "where": [node["html"][:200] for node in one["nodes"]]}
        for one in found["violations"]
        if one["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize("place", VIEWS)
def test_a_view_is_shown_without_complaint_and_keeps_nobody_out(
    looking: Looking, place: str
) -> None:
    page = looking.go(place)

    see(page, VIEWS[place])

    assert serious(page) == []


def test_every_view_fits_a_narrow_screen_in_the_dark(looking: Looking) -> None:
    looking.page.set_viewport_size({"width": 400, "height": 800})
    looking.page.emulate_media(color_scheme="dark")
    faults: dict[str, object] = {}
    for place, sight in VIEWS.items():
        page = looking.go(place)
        see(page, sight)
        width = page.evaluate("document.documentElement.scrollWidth")
        found = serious(page)
        if width > 400 or found:
            faults[place] = width, found

    assert faults == {}


CUT = """() => [...document.querySelectorAll(
    '.entries .step, .as-of p, .checkpoints table, .verify table, .filters, .filters label > *'
)].filter(one => {
    const box = one.getBoundingClientRect();
    return one.scrollWidth > one.clientWidth + 1 || box.right > innerWidth;
}).map(one => one.outerHTML.slice(0, 200))"""
"""What is wider than the room it has; a film and a graph are scrolled, these are not."""


def save_long_names(call: Call, session: str) -> None:
    """Save two checkpoints whose names and tags are wider than a phone, without a space."""
    for turn in range(2):
        named = {"name": "crawl/" * 20, "tags": ["politeness-" * 8]}
        call("workflow_checkpoint_save", context={"turn": turn}, metadata=named, session_id=session)


@pytest.mark.parametrize(
    "place",
    ["timeline?session={session}", "past?as_of=s:50", "checkpoints", "verify", "decisions/P001"],
)
def test_nothing_is_cut_off_on_a_phone(looking: Looking, served: Served, place: str) -> None:
    with second_process(served.folder) as call:
        sessions = call("list_sessions", project_id="lantern")["sessions"]
        session = max(sessions, key=lambda one: one["edits"])["session_id"]
        if place == "checkpoints":
            save_long_names(call, session)
    looking.page.set_viewport_size({"width": 390, "height": 844})

    page = looking.go(place.format(session=session))

    sight = VIEWS.get(place, ("heading", "Step 2 Let sixteen workers share a queue"))
    see(page, sight)
    assert page.evaluate(CUT) == []


def test_a_story_is_told_by_plan_step_and_leads_to_the_film(looking: Looking) -> None:
    page = looking.go("story")
    page.get_by_role("link", name="Check links in parallel").click()

    expect(
        page.get_by_role("heading", name="Step 2 Let sixteen workers share a queue")
    ).to_be_visible()
    page.get_by_role("link", name="lantern/crawl.py").last.click()

    expect(page.get_by_text("Revision 5 of 7")).to_be_visible()


def test_a_timeline_is_filtered_by_session_kind_and_file(looking: Looking) -> None:
    page = looking.go("timeline")
    option = page.locator("option", has_text="Check links in parallel")
    expect(option).to_have_count(1)
    page.get_by_role("combobox", name="Session", exact=True).select_option(
        option.get_attribute("value")
    )
    expect(page.get_by_role("heading", name="Step 3 Stay polite")).to_be_visible()

    page.get_by_label("Kind").select_option("file_edit")
    expect(page.get_by_text("5 entries")).to_be_visible()
    page.get_by_role("searchbox", name="File").fill("tests/test_crawl.py")
    page.get_by_role("searchbox", name="File").press("Enter")

    expect(page.get_by_text("1 entry")).to_be_visible()
    assert "kind=file_edit" in page.url
    assert "path=tests" in page.url


def test_decisions_are_found_in_three_modes(looking: Looking) -> None:
    page = looking.go("decisions")
    page.get_by_label("Find").fill("requests one page at a time")
    expect(page.get_by_role("link", name="D003 Use httpx with its async client")).to_be_visible()
    expect(page.get_by_role("link", name="D001 Use requests")).to_have_count(0)

    page.get_by_label("Show").select_option("audit")

    expect(page.get_by_role("link", name="D001 Use requests")).to_be_visible()


def test_the_watch_notices_what_the_policy_forbids(looking: Looking) -> None:
    page = looking.go("overview")
    page.evaluate(
        "document.body.append(Object.assign(document.createElement('script'),"
        "{text: 'window.harmed = 1'}))"
    )

    assert page.evaluate("window.harmed") is None
    assert any("Content Security Policy" in one for one in looking.complaints)
    looking.forgive("Content Security Policy")


def test_stored_markup_stays_text_in_every_view(context: BrowserContext, served: Served) -> None:
    with second_process(served.folder) as call:
        stored = store_markup(call)
    looked = look(context, served)
    places = {
        "overview": 3,
        f"records/{stored['record']}": 3,
        "timeline": 3,
        f"timeline?session={stored['session_id']}": 3,
        f"story/{stored['session_id']}": 3,
        f"evolution?path={stored['path']}": 1,
        f"restore?session={stored['session_id']}": 1,
        f"decisions/{stored['decision']}": 3,
        f"decisions/{stored['proposal']}": 3,
        f"review/{stored['proposal']}": 3,
        f"checkpoints/{stored['session_id']}": 2,
        "search?q=script": 2,
    }
    for place, times in places.items():
        page = looked.go(place)
        expect(page.get_by_text(MARKUP).nth(times - 1)).to_be_attached()
        assert page.locator("img, main script").count() == 0, place
        assert page.evaluate("window.harmed") is None, place
    assert looked.complaints == []
