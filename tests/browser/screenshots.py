"""Pictures of every view for the documentation: `python -m tests.browser.screenshots`.

They show the example project, light and dark, and some of them on a narrow screen.
"""

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import BrowserContext, Page, sync_playwright

from tests.browser.conftest import CHROMIUM, FLAGS, Served, serve
from tests.browser.seeding import fill_example, second_process

PICTURES = Path(__file__).parents[2] / "docs" / "screenshots"
SETTLED_MS = 900

PLACES = {
    "overview": "overview",
    "records": "records/R002",
    "timeline": "timeline?session={session}",
    "story": "story/{session}",
    "evolution": "evolution?path=lantern/crawl.py&revision=3",
    "why": "evolution?path=lantern/crawl.py&revision=7&line=12",
    "undo": "undo?session={session}&step=2",
    "restore": "restore?session={session}&step=2",
    "decisions": "decisions/P001",
    "checkpoints": "checkpoints",
    "chats": "entities",
    "runs": "entities?type=agentGraphExecution",
    "metrics": "entities?type=metric",
    "search": "search?q=retry",
    "verify": "verify",
}
NARROW = ("overview", "timeline", "evolution", "decisions")


def main() -> int:
    """Take all pictures."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    with _served() as served, _entered(served) as entered:
        session = _session(served)
        for theme in ("light", "dark"):
            for name, place in PLACES.items():
                address = f"{served.base}/#/lantern/{place.format(session=session)}"
                _take(entered.new_page(), address, theme, PICTURES / f"{name}-{theme}.png", 1280)
        for name in NARROW:
            address = f"{served.base}/#/lantern/{PLACES[name].format(session=session)}"
            _take(entered.new_page(), address, "light", PICTURES / f"{name}-narrow.png", 400)
    sys.stdout.write(f"The pictures are in {PICTURES}\n")
    return 0


def _take(page: Page, address: str, theme: str, picture: Path, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    page.goto(address)
    page.wait_for_timeout(SETTLED_MS)
    page.screenshot(path=picture)
    page.close()


@contextmanager
def _served() -> Iterator[Served]:
    folder = Path(tempfile.mkdtemp(prefix="hansard-"))
    fill_example(folder)
    try:
        with serve(folder) as running:
            yield running
    finally:
        shutil.rmtree(folder)


@contextmanager
def _entered(served: Served) -> Iterator[BrowserContext]:
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        context = chromium.new_context(timezone_id="UTC")
        context.new_page().goto(served.entrance)
        yield context
        chromium.close()


def _session(served: Served) -> str:
    """Find the session that has the most to show."""
    with second_process(served.folder) as call:
        sessions = call("list_sessions", project_id="lantern")["sessions"]
    found: str = max(sessions, key=lambda one: one["edits"])["session_id"]
    return found


if __name__ == "__main__":
    sys.exit(main())
