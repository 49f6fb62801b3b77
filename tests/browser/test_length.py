"""A journal of 100,000 entries is looked at from one end to the other within bounds."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.conftest import Served, look, serve
from tests.browser.seeding import fill_long
from tests.patience import PATIENCE_S

pytestmark = [
    pytest.mark.clients,
    pytest.mark.slow("100,000 entries are written first"),
]

ENTRIES = 100_000
ROWS_DRAWN_MAX = 80
HEAP_BYTES_MAX = 64_000_000
"""What the page may hold after it has walked past every entry; all of them take more."""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Serve a project with one long session."""
    folder: Path = tmp_path_factory.mktemp("long")
    fill_long(folder, ENTRIES)
    with serve(folder) as running:
        yield running


def test_the_end_of_a_long_timeline_is_reached_while_little_is_held(
    context: BrowserContext, served: Served, record_property: Callable[[str, object], None]
) -> None:
    looked = look(context, served)
    page = looked.go("overview")
    expect(page.get_by_role("link", name="The whole timeline")).to_be_visible()
    record_property("overview_ms", now(page))
    page.goto("about:blank")
    looked.go("timeline")
    expect(page.get_by_text(f"Entry {ENTRIES - 1} of")).to_be_visible()
    record_property("timeline_ms", began := now(page))

    page.locator(".long").evaluate("list => list.scrollTo(0, list.scrollHeight)")
    expect(page.get_by_text("Session: A long day")).to_be_visible(timeout=PATIENCE_S * 1000)
    record_property("end_ms", now(page) - began)

    held: int = page.evaluate("performance.memory.usedJSHeapSize")
    record_property("held_bytes", held)
    assert page.locator(".entry").count() < ROWS_DRAWN_MAX
    assert held < HEAP_BYTES_MAX
    assert looked.complaints == []


def now(page: Page) -> int:
    """Say how long the page has been there."""
    since: int = page.evaluate("Math.round(performance.now())")
    return since


def test_the_beginning_is_still_there_after_the_end(
    context: BrowserContext, served: Served
) -> None:
    page = look(context, served).go("timeline")
    expect(page.get_by_text(f"Entry {ENTRIES - 1} of")).to_be_visible()
    rows = page.locator(".long")
    rows.evaluate("list => list.scrollTo(0, list.scrollHeight / 2)")
    expect(page.get_by_text("Entry 50000 of")).to_be_attached(timeout=PATIENCE_S * 1000)

    rows.evaluate("list => list.scrollTo(0, 0)")

    expect(page.get_by_text(f"Entry {ENTRIES - 1} of")).to_be_visible()
