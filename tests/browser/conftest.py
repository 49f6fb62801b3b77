"""A real server over the example project, and a real Chromium that looks at it."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    StorageState,
    expect,
    sync_playwright,
)

from tests.browser.seeding import fill_example

WAIT_S = 60
PATIENCE_MS = 30_000
expect.set_options(timeout=PATIENCE_MS)
CHROMIUM = os.environ.get("HANSARD_CHROMIUM", "/usr/bin/chromium")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@dataclass(slots=True)
class Served:
    """A server that runs, and the folder of what it serves."""

    folder: Path
    base: str
    entrance: str
    """The address that lets in once."""
    state: StorageState | None = None
    """What a browser that was let in has kept."""

    @property
    def port(self) -> int:
        """Say where it listens."""
        return int(self.base.rpartition(":")[2])


@dataclass(slots=True)
class Looking:
    """A page in the browser, and what the browser complained about."""

    page: Page
    base: str
    complaints: list[str] = field(default_factory=list)

    def go(self, place: str) -> Page:
        """Open a view of the example project."""
        self.page.goto(f"{self.base}/#/lantern/{place}")
        return self.page

    def forgive(self, words: str) -> None:
        """Take complaints with these words for expected."""
        self.complaints = [one for one in self.complaints if words not in one]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Serve the example project, for the tests of one file."""
    folder = tmp_path_factory.mktemp("lantern")
    fill_example(folder)
    with serve(folder) as running:
        yield running


@contextmanager
def serve(folder: Path, port: int = 0, *, state: Path | None = None) -> Iterator[Served]:
    """Run `hansard serve` over a folder, as another process.

    `state` is where it remembers whom it has let in, by default beside the store.
    """
    hansard = Path(sys.executable).with_name("hansard")
    command = [hansard, "serve", "--store", folder / "store", "--port", port]
    command += ["--workspace", folder / "workspace", "--project", "lantern", "--embedder", "none"]
    command += ["--secret-file", folder / "secret"]
    with subprocess.Popen(
        [str(part) for part in command],
        env=os.environ | {"XDG_STATE_HOME": str(state or folder / "state")},
        stderr=subprocess.PIPE,
        text=True,
    ) as server:
        try:
            yield Served(folder, *_announced(server))
        finally:
            server.terminate()
            server.wait(timeout=WAIT_S)


def _announced(server: "subprocess.Popen[str]") -> tuple[str, str]:
    """Wait for the line that says where the page is."""
    assert server.stderr is not None
    told = []
    for line in server.stderr:
        told.append(line)
        if found := re.search(r"(http://[^/]+)/\?token=\S+", line):
            return found[1], found[0]
    raise AssertionError(f"the server never said where its page is: {told}")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Start Chromium once for a file: Playwright's loop holds the thread, and others need it."""
    if not Path(CHROMIUM).exists():
        pytest.skip(f"needs Chromium at {CHROMIUM}; HANSARD_CHROMIUM names another")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def context(browser: Browser, served: Served) -> Iterator[BrowserContext]:
    """Give a browser that was let in and has kept nothing else."""
    with let_in(browser, served) as entered:
        yield entered


@contextmanager
def let_in(browser: Browser, served: Served) -> Iterator[BrowserContext]:
    """Have a browser of one's own, which the server lets in as the one it let in before."""
    if served.state is None:
        with browser.new_context() as newcomer:
            newcomer.new_page().goto(served.entrance)
            served.state = newcomer.storage_state()
    with _entered(browser, served.state) as entered:
        yield entered


@contextmanager
def let_in_anew(browser: Browser, served: Served) -> Iterator[BrowserContext]:
    """Have a browser that the server takes for another than the rest: what it proves is its own."""
    with _entered(browser) as entered:
        entered.new_page().goto(opened_by(served))
        yield entered


def opened_by(served: Served) -> str:
    """Ask the server for an address that lets in once more, as `hansard open` does."""
    hansard = Path(sys.executable).with_name("hansard")
    done = subprocess.run(
        [str(hansard), "open", "--port", str(served.port)],
        env=os.environ | {"XDG_STATE_HOME": str(served.folder / "state"), "BROWSER": "true"},
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.split()[-1]


def _entered(browser: Browser, state: StorageState | None = None) -> BrowserContext:
    entered = browser.new_context(
        viewport={"width": 1280, "height": 800},
        storage_state=state,
        timezone_id="UTC",
        reduced_motion="reduce",
    )
    entered.set_default_timeout(PATIENCE_MS)
    return entered


@pytest.fixture
def looking(context: BrowserContext, served: Served) -> Iterator[Looking]:
    """Open a page. Whatever the browser complains about fails the test."""
    looked = look(context, served)
    yield looked
    assert looked.complaints == []


def look(context: BrowserContext, served: Served) -> Looking:
    """Open a page, and note errors, warnings and violations of the policy."""
    looked = Looking(context.new_page(), served.base)

    def hear(said: ConsoleMessage) -> None:
        if said.type in ("error", "warning"):
            looked.complaints.append(f"{said.text} {urlsplit(said.location['url']).path}")

    looked.page.on("console", hear)
    looked.page.on("pageerror", lambda error: looked.complaints.append(str(error)))
    return looked
