"""The in-host views, in a host built on the official AppBridge, over a real server."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import FrameLocator, Page, expect

from hansard.mcp.apps import MIME_TYPE
from hansard.mcp.client_names import EXTENSION
from tests.clients.browsing import a_page
from tests.clients.node import BIN, HERE, run_node
from tests.mcp.processes import Json, StdioServer

pytestmark = pytest.mark.clients

SESSION = "default.parser"
MARKUP = "<script>parent.harmed=1</script><img src=x onerror='parent.harmed=1'>"
CONTENTS = ["one\n", "one\ntwo\n", "one\nTWO\nthree\n"]


@pytest.fixture(scope="module")
def host_script(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Bundle the host for the browser."""
    folder = tmp_path_factory.mktemp("host")
    out = folder / "host.js"
    arguments = (HERE / "app_host.mjs", "--file", out, "--format", "iife")
    run = run_node(BIN / "rolldown", *arguments, cwd=folder)
    assert run.returncode == 0, run.stderr
    return out.read_text()


@dataclass
class Host:
    """A browser page with the host in it, and the server whose views it shows."""

    page: Page
    server: StdioServer
    calls: list[Json] = field(default_factory=list)

    def show(self, tool: str, *, can_call: bool = True, **arguments: Any) -> FrameLocator:
        """Call a tool as the model would, and show the view that it names."""
        listed = self.server.ask("tools/list")["result"]["tools"]
        [uri] = [one["_meta"]["ui"]["resourceUri"] for one in listed if one["name"] == tool]
        [content] = self.server.ask("resources/read", {"uri": uri})["result"]["contents"]
        assert content["mimeType"] == "text/html;profile=mcp-app"
        shown = {
            "html": content["text"],
            "capabilities": {"serverTools": {}} if can_call else {},
            "context": {"theme": "dark", "displayMode": "inline"},
            "input": arguments,
            "result": self.server.call(tool, **arguments)["result"],
        }
        self.page.evaluate("shown => showView(shown)", shown)
        return self.page.frame_locator("iframe")

    def answer(self, params: Json) -> Json:
        """Pass on what a view calls."""
        self.calls.append(params)
        result: Json = self.server.call(params["name"], **params.get("arguments", {}))["result"]
        return result

    def called(self, name: str) -> list[Json]:
        """Give the arguments of a tool's calls by the view."""
        return [call["arguments"] for call in self.calls if call["name"] == name]


Hosting = Callable[[], Any]


@pytest.fixture
def hosting(tmp_path: Path, host_script: str) -> Iterator[Hosting]:
    """Give what opens a host, once a session was recorded through its server."""
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    settings = {
        "config": os.devnull,
        "store": str(tmp_path / "store"),
        "workspace": str(workspace),
        "toolsets": "all",
        "session": SESSION,
        "embedder": "none",
    }
    with StdioServer("tests.clients.stdio_command", settings) as server:
        server.open({"extensions": {EXTENSION: {"mimeTypes": [MIME_TYPE]}}})
        _record(server)

        @contextmanager
        def host() -> Iterator[Host]:
            with a_page() as page:
                opened = Host(page, server)
                page.expose_function("callServer", opened.answer)
                page.set_content("<!doctype html><title>Host</title>")
                page.add_script_tag(content=host_script)
                yield opened
                assert page.evaluate("window.harmed") is None

        yield host


def _record(server: StdioServer) -> None:
    """Have an agent work: a plan, a file with three revisions, a note, decisions."""

    def call(name: str, **arguments: Any) -> Json:
        result: Json = server.call(name, **arguments)["result"]
        assert not result.get("isError"), result
        return result

    call("record_session_start", title="A faster parser")
    call("record_plan", steps=["Measure", "Change"])
    call("record_step", index=0)
    call("audit_event", type="note", description=f"It is the lexer {MARKUP}")
    for action, content in zip(("create", "edit", "edit"), CONTENTS, strict=True):
        call("file_op", action=action, path="a.py", content=content)
    old = call("record_decision", title="Cache tokens", target="parser", rationale=MARKUP)
    call(
        "supersede_decision",
        old_decision_ids=[old["structuredContent"]["decision_id"]],
        title="Cache nothing",
        target="parser",
        rationale="Caches of tokens were slower.",
    )


@pytest.mark.holds("003-challenge-2")
def test_the_timeline_shows_what_the_tool_answered(hosting: Hosting) -> None:
    with hosting() as host:
        view = host.show("get_timeline", session_id=SESSION)

        expect(view.get_by_text(f"It is the lexer {MARKUP}")).to_be_visible()
        expect(view.get_by_role("heading", name="Step 1 Measure").first).to_be_visible()
        expect(view.locator(".entry", has_text="edit a.py")).to_have_count(2)
        assert [args for args in host.called("get_timeline") if "kinds" not in args] == []


def test_a_view_looks_like_the_host_and_says_its_size(hosting: Hosting) -> None:
    with hosting() as host:
        view = host.show("get_timeline", session_id=SESSION)
        expect(view.locator("html")).to_have_attribute("data-theme", "dark")

        change = {
            "theme": "light",
            "styles": {"variables": {"--color-background-primary": "rgb(1, 2, 3)"}},
        }
        host.page.evaluate("change => host.bridge.setHostContext(change)", change)

        expect(view.locator("html")).to_have_attribute("data-theme", "light")
        expect(view.locator("html")).to_have_css("background-color", "rgb(1, 2, 3)")
        assert host.page.evaluate("host.sizes.at(-1)") == 560


def test_the_timeline_asks_for_the_next_page(hosting: Hosting) -> None:
    with hosting() as host:
        view = host.show("get_timeline", session_id=SESSION, limit=3)

        expect(view.get_by_text("Step 1 begun")).to_be_visible()
        assert any("cursor" in args for args in host.called("get_timeline"))


def test_an_entry_opens_its_film_and_one_comes_back(hosting: Hosting) -> None:
    with hosting() as host:
        view = host.show("get_timeline", session_id=SESSION)
        view.locator(".entry", has_text="create a.py").get_by_role("link", name="Film").click()

        expect(view.get_by_text("Revision 1 of 3")).to_be_visible()
        expect(view.locator(".stage")).to_contain_text("one")
        assert 1 in [args.get("revision") for args in host.called("get_evolution")]
        view.get_by_role("button", name="Back").click()
        expect(view.get_by_role("heading", name="Timeline")).to_be_visible()


@pytest.mark.holds("003-challenge-2")
def test_a_film_plays_in_a_host_as_narrow_as_a_chat(hosting: Hosting) -> None:
    with hosting() as host:
        host.page.set_viewport_size({"width": 700, "height": 700})
        view = host.show("get_evolution", path="a.py")
        view.get_by_label("Speed").select_option("4")
        play = view.get_by_role("button", name="Play")
        expect(play).to_be_in_viewport(ratio=1)
        play.click()

        expect(view.get_by_text("Revision 3 of 3")).to_be_visible()
        expect(view.locator(".stage .is-added")).to_have_text(["2added: TWO", "3added: three"])


def test_a_restore_is_only_looked_at(hosting: Hosting, tmp_path: Path) -> None:
    with hosting() as host:
        view = host.show("get_evolution", path="a.py", revision=1)
        view.get_by_role("link", name="Bring this revision back").click()

        expect(view.get_by_text("1 file would change")).to_be_visible()
        assert [args["preview"] for args in host.called("restore")] == [True]
        expect(view.get_by_role("button", name="Restore 1 file")).to_be_hidden()
        assert (tmp_path / "workspace" / "a.py").read_text() == CONTENTS[-1]


def test_a_decision_opens_with_its_chain_and_cannot_be_changed(hosting: Hosting) -> None:
    with hosting() as host:
        view = host.show("search_decisions", query="cache", mode="audit")
        view.get_by_role("link", name="Cache tokens").first.click()

        expect(view.get_by_text("This no longer holds")).to_be_visible()
        expect(view.locator(".prose")).to_have_text(MARKUP)
        expect(view.locator(".graph .box")).to_have_count(2)
        assert host.called("search_decisions") == []
        assert len(host.called("get_decision")) == 1


def test_other_words_are_asked_for_through_the_host(hosting: Hosting) -> None:
    with hosting() as host:
        view = host.show("search_decisions", query="nonsense")
        expect(view.get_by_text("No decision matches")).to_be_visible()
        view.get_by_label("Find").fill("cache")
        view.get_by_label("Find").press("Enter")

        expect(view.get_by_role("link", name="Cache nothing")).to_be_visible()
        assert [args["query"] for args in host.called("search_decisions")] == ["cache"]


def test_a_refusal_is_said_in_words(hosting: Hosting) -> None:
    with hosting() as host:
        view = host.show("get_timeline", session_id="nowhere")

        expect(view.get_by_role("alert")).to_contain_text("SESSION_NOT_FOUND")


def test_a_host_without_calls_still_shows_the_answer(hosting: Hosting) -> None:
    with hosting() as host:
        view = host.show("get_timeline", can_call=False, session_id=SESSION, limit=4)

        expect(view.locator(".entry", has_text="edit a.py")).to_have_count(2)
        expect(view.get_by_text("4 entries")).to_be_visible()
        expect(view.get_by_text("shows what the agent asked for, and no more")).to_be_visible()
        assert host.calls == []


@pytest.mark.parametrize(
    ("asked", "seen"),
    [
        ({}, ["a.py 3 revisions"]),
        ({"path": "a.py"}, ["Revision 3", "Revision 2", "Revision 1"]),
        ({"path": "a.py", "limit": 1}, ["Revision 3"]),
        ({"path": "a.py", "revision": 2}, ["Revision 2"]),
    ],
)
def test_a_film_that_may_ask_for_nothing_shows_what_the_answer_holds(
    hosting: Hosting, asked: Json, seen: list[str]
) -> None:
    with hosting() as host:
        view = host.show("get_evolution", can_call=False, **asked)

        expect(view.locator(".revisions li")).to_contain_text(seen)
        expect(view.get_by_role("alert")).to_have_count(0)
        assert host.calls == []


def test_a_film_that_may_ask_for_nothing_shows_the_content_or_the_difference(
    hosting: Hosting,
) -> None:
    with hosting() as host:
        content = host.show("get_evolution", can_call=False, path="a.py", revision=2)
        expect(content.locator(".stage li")).to_have_text(["1one", "2two"])

    with hosting() as host:
        difference = host.show("get_evolution", can_call=False, path="a.py", **{"from": 1, "to": 3})
        expect(difference.locator(".diff .is-added")).to_have_text(["+TWO", "+three"])


def test_a_timeline_that_may_ask_for_nothing_names_its_steps_and_offers_no_dead_ways(
    hosting: Hosting,
) -> None:
    with hosting() as host:
        view = host.show("get_timeline", can_call=False, session_id=SESSION)

        expect(view.get_by_role("heading", name="Step 1 Measure").first).to_be_visible()
        expect(view.get_by_role("link", name="Film")).to_have_count(0)
        expect(view.get_by_label("Kind")).to_be_hidden()
        view.locator(".entry", has_text="create a.py").click()
        expect(view.locator(".detail")).to_contain_text("This host lets a view ask for no more")
        assert host.calls == []


def test_a_link_that_leads_to_what_the_host_forbids_says_so_and_leads_back(
    hosting: Hosting,
) -> None:
    with hosting() as host:
        view = host.show("search_decisions", can_call=False, query="cache", mode="audit")
        view.get_by_role("link", name="Cache tokens").first.click()

        expect(view.get_by_text("The host does not let a view ask for this")).to_be_visible()
        view.get_by_role("button", name="Back").click()
        expect(view.get_by_role("link", name="Cache nothing").first).to_be_visible()
        assert host.calls == []
