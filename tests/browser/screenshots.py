"""Pictures of every view for the documentation: `python -m tests.browser.screenshots`.

They show the example project, light and dark, and some of them on a narrow screen. The movie of a
session is also taken moving, as one animated picture.
"""

import base64
import io
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import BrowserContext, Page, expect, sync_playwright

from tests.browser.conftest import CHROMIUM, FLAGS, Served, serve
from tests.browser.seeding import fill_example, second_process
from tests.patience import PATIENCE_S

PICTURES = Path(__file__).parents[2] / "docs" / "screenshots"
SETTLED_MS = 900

PLACES = {
    "overview": "overview",
    "control": "control",
    "review": "review",
    "records": "records/R002",
    "timeline": "timeline?session={session}&seq=38",
    "story": "story/{session}",
    "movie": "movie/{session}?seq=46",
    "evolution": "evolution?path=lantern/crawl.py&revision=3",
    "why": "evolution?path=lantern/crawl.py&revision=7&line=12",
    "past": "past?as_of=s:50",
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
NARROW = (
    *("overview", "control", "review", "records", "timeline", "movie", "evolution", "past"),
    *("decisions", "runs", "search"),
)

MOVING_WIDTH_PX = 840
MOVING_QUALITY = 65
FRAME_S = 0.08
MOVIE_MS_MAX = 120_000
MOVING_BYTES_MAX = 1_500_000
"""What somebody who opens the README on a telephone can be asked to load."""
STILL_MS = 1_600
"""How long the last frame stays before the film begins again."""


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
            _take(entered.new_page(), address, "light", PICTURES / f"{name}-narrow.png", 390)
        _film(entered.new_page(), f"{served.base}/#/lantern/movie/{session}")
    sys.stdout.write(f"The pictures are in {PICTURES}\n")
    return 0


def _take(page: Page, address: str, theme: str, picture: Path, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    page.goto(address)
    page.wait_for_timeout(SETTLED_MS)
    expect(page.locator(".loading")).to_have_count(0, timeout=PATIENCE_S * 1000)
    page.screenshot(path=picture)
    page.close()


def _film(page: Page, address: str) -> None:
    """Play a session's movie once, and keep what was seen as one animated picture."""
    page.set_viewport_size({"width": 1080, "height": 660})
    page.emulate_media(color_scheme="light")
    page.goto(address)
    page.wait_for_selector(".caption")
    page.wait_for_timeout(SETTLED_MS)
    page.get_by_label("Speed").select_option("2")
    frames = _played(page)
    lasting = [round(1000 * (after - at)) for (at, _), (after, _) in pairwise(frames)]
    first, *rest = [picture for _, picture in frames]
    picture = PICTURES / "movie.webp"
    first.save(
        picture,
        save_all=True,
        append_images=rest,
        duration=[*lasting, STILL_MS],
        loop=0,
        quality=MOVING_QUALITY,
        method=5,
    )
    page.close()
    if picture.stat().st_size > MOVING_BYTES_MAX:
        raise SystemExit(f"{picture} takes more than {MOVING_BYTES_MAX:,} bytes")


def _played(page: Page) -> list[tuple[float, Image.Image]]:
    """Play the movie to its end, and give each frame that the browser drew with its time."""
    drawn: list[tuple[float, bytes]] = []
    screen = page.context.new_cdp_session(page)

    def keep(frame: dict[str, Any]) -> None:
        drawn.append((frame["metadata"]["timestamp"], base64.b64decode(frame["data"])))
        screen.send("Page.screencastFrameAck", {"sessionId": frame["sessionId"]})

    screen.on("Page.screencastFrame", keep)
    screen.send("Page.startScreencast", {"format": "png"})
    page.get_by_role("button", name="Play").click()
    page.get_by_role("button", name="Pause").wait_for()
    page.get_by_role("button", name="Play").wait_for(timeout=MOVIE_MS_MAX)
    screen.send("Page.stopScreencast")
    box = page.locator("section.movie").bounding_box()
    assert box is not None, "the movie has gone"
    edges = (box["x"], box["y"], box["x"] + box["width"], box["y"] + box["height"])
    return [(at, _cut(picture, edges)) for at, picture in _apart(sorted(drawn))]


def _apart(drawn: list[tuple[float, bytes]]) -> Iterator[tuple[float, bytes]]:
    """Leave out frames that nobody would miss: a faster machine makes no larger picture."""
    last = 0.0
    for at, picture in drawn[:-1]:
        if at - last >= FRAME_S:
            last = at
            yield at, picture
    yield from drawn[-1:]


def _cut(picture: bytes, edges: tuple[float, float, float, float]) -> Image.Image:
    taken = Image.open(io.BytesIO(picture)).convert("RGB").crop(edges)
    height = round(taken.height * MOVING_WIDTH_PX / taken.width)
    return taken.resize((MOVING_WIDTH_PX, height))


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
