"""A Chromium of a test's own, in a thread of its own."""

import functools
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, sync_playwright

from tests.browser.conftest import CHROMIUM, FLAGS


def apart(test: Callable[..., None]) -> Callable[..., None]:
    """Run a test in another thread: Playwright may hold this one for a browser that is shared."""

    @functools.wraps(test)
    def run(**fixtures: Any) -> None:
        with ThreadPoolExecutor(1) as thread:
            thread.submit(test, **fixtures).result()

    return run


@contextmanager
def a_page() -> Iterator[Page]:
    """Open a page, and see to it that nothing is complained of, nor asked for over a network."""
    if not Path(CHROMIUM).exists():
        pytest.skip(f"needs Chromium at {CHROMIUM}; HANSARD_CHROMIUM names another")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        context = browser.new_context(viewport={"width": 1280, "height": 900})
        page = context.new_page()
        page.set_default_timeout(10_000)
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
