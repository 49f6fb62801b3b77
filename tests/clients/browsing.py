"""A Chromium of a test's own."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Page, sync_playwright

from tests.browser.conftest import CHROMIUM, FLAGS, PATIENCE_MS


@contextmanager
def a_page() -> Iterator[Page]:
    """Open a page, and see to it that nothing is complained of, nor asked for over a network."""
    if not Path(CHROMIUM).exists():
        pytest.skip(f"needs Chromium at {CHROMIUM}; HANSARD_CHROMIUM names another")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        context = browser.new_context(viewport={"width": 1280, "height": 900})
        page = context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        complaints: list[str] = []
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "console", lambda said: complaints.append(said.text) if _is_bad(said.type) else None
        )
        page.on("request", lambda request: complaints.append(request.url))
        try:
            yield page
            assert [one for one in complaints if not one.startswith(("file:", "about:"))] == []
        finally:
            context.close()
            browser.close()


def _is_bad(kind: str) -> bool:
    return kind in ("error", "warning")
