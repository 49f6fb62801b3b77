"""A browser that was let in stays so over restarts, until it leaves or its time is up."""

import shutil
import stat
import time
from contextlib import closing
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from hansard.app.settings import Settings
from hansard.http.login_store import Forgotten, KeptVisits, Visits, store_name
from hansard.http.page_login import VISIT_LIFE_S, PageDoor
from tests.http.serving import WAIT_S, Browser, Server, let_in, serving
from tests.patience import PATIENCE_S


def is_let_in(browser: Browser, server: Server | None = None) -> bool:
    """Whether a server still knows a browser."""
    return Browser(server or browser.server, browser.cookie).post("list_projects")[0] == 200


def visit_files(home: Path) -> list[Path]:
    """List what is kept of visits."""
    return sorted(path for path in (home / "state").rglob("visits/*/*") if path.is_file())


@pytest.fixture(params=["forgotten", "kept"])
def visits(request: pytest.FixtureRequest, tmp_path: Path) -> Visits:
    return Forgotten() if request.param == "forgotten" else KeptVisits(tmp_path / "visits")


# What keeps them.


def test_a_cookie_is_known_until_it_is_taken_back(visits: Visits) -> None:
    visits.add("one", 10.0)
    visits.add("two", 20.0)

    visits.end("one")

    assert (visits.until("one"), visits.until("two"), visits.until("three")) == (None, 20.0, None)
    assert visits.end_all() == 1
    assert visits.until("two") is None


def test_the_visit_that_ends_first_makes_room(
    visits: Visits, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hansard.http.login_store.VISITS_MAX", 20)
    visits.add("soon", 1.0)
    for number in range(20):
        visits.add(f"later {number}", 100.0 + number)

    assert visits.until("soon") is None
    assert [visits.until(f"later {number}") for number in range(20)] == [*range(100, 120)]


@pytest.mark.parametrize("content", [b"", b"soon", b"-1", b"1e99", b"\xff", b"9" * 40])
def test_a_file_that_is_no_visit_lets_nobody_in(tmp_path: Path, content: bytes) -> None:
    kept = KeptVisits(tmp_path)
    kept.add("cookie", 10.0)
    (file,) = tmp_path.iterdir()
    file.write_bytes(content)

    assert kept.until("cookie") is None


def test_time_runs_on_while_no_server_does(tmp_path: Path) -> None:
    before = PageDoor(KeptVisits(tmp_path), clock=lambda: 0.0)
    cookie = before.enter(before.issue())

    assert PageDoor(KeptVisits(tmp_path), clock=lambda: VISIT_LIFE_S - 1).visit(cookie)
    assert PageDoor(KeptVisits(tmp_path), clock=lambda: VISIT_LIFE_S).visit(cookie) is None


def test_where_nothing_can_be_kept_a_browser_is_let_in_for_now(tmp_path: Path) -> None:
    (tmp_path / "visits").write_text("not a folder")
    door = PageDoor(KeptVisits(tmp_path / "visits"))

    cookie = door.enter(door.issue())

    assert door.visit(cookie)
    door.leave(cookie)
    assert door.visit(cookie) is None


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("postgresql://a:old@db/h", "postgres://a:new@db/h", True),
        ("postgresql://a@db/h", "postgresql://a@db/other", False),
        ("postgresql://a@db/h", "postgresql://a@elsewhere/h", False),
        ("x/store", "x/../x/store", True),
        ("x/store", "y/store", False),
    ],
)
def test_a_store_is_named_by_where_it_is(one: str, other: str, is_same: bool) -> None:
    names = [store_name(Settings(store=location)) for location in (one, other)]

    assert (names[0] == names[1]) == is_same


def test_a_store_that_is_nowhere_has_no_name() -> None:
    assert store_name(Settings(store="memory:")) is None


# Servers.


def test_a_restart_does_not_log_a_browser_out(tmp_path: Path) -> None:
    with serving(tmp_path) as first:
        browser = let_in(first)
    with serving(tmp_path) as second:
        assert is_let_in(browser, second)
        again = second.request("GET", f"/?token={first.token}")
        assert again.headers["set-cookie"] is None


def test_what_is_kept_of_a_visit_lets_nobody_in_and_is_its_owners(tmp_path: Path) -> None:
    with serving(tmp_path, "--log", "json") as server:
        browser = let_in(server)
        assert is_let_in(browser)
        server.process.terminate()
        _, logged = server.process.communicate()
    text = browser.cookie.partition("=")[2]

    (file,) = visit_files(tmp_path)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    kept = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert [path for path in kept if text.encode() in path.read_bytes()] == []
    assert text not in logged
    assert file.name not in logged
    with serving(tmp_path) as server:
        name = browser.cookie.partition("=")[0]
        assert not is_let_in(Browser(server, f"{name}={file.name}"))


def test_a_copy_of_the_store_and_another_store_know_nobody(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        browser = let_in(server)
        browser.call("list_projects")
    shutil.copytree(tmp_path / "store", tmp_path / "copy")
    text = browser.cookie.partition("=")[2]
    for folder in ("copy", "new"):
        with serving(tmp_path, HANSARD_STORE=str(tmp_path / folder)) as other:
            own_name = let_in(other).cookie.partition("=")[0]
            assert not is_let_in(browser, other), folder
            assert not is_let_in(Browser(other, f"{own_name}={text}")), folder
    with serving(tmp_path) as server:
        assert is_let_in(browser, server)


def test_servers_of_one_store_know_each_others_browsers_until_they_leave(tmp_path: Path) -> None:
    with serving(tmp_path) as one, serving(tmp_path) as other:
        browser, second = let_in(one), let_in(other)
        assert is_let_in(browser, other)

        status, _ = browser.post("leave")

        assert status == 200
        assert not is_let_in(browser, one)
        assert not is_let_in(browser, other)
        assert is_let_in(second, one)
        assert browser.post("leave")[0] == 401


def test_leaving_takes_more_than_a_cookie(browser: Browser) -> None:
    assert browser.post("leave", x_hansard_page="")[0] == 401
    assert is_let_in(browser)


def test_every_browser_is_logged_out_by_a_command(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        browser = let_in(server)

        said = server.run("open", "--log-out")

        assert (said.returncode, said.stdout) == (0, "1 browser was logged out.\n")
        assert not is_let_in(browser)
    with serving(tmp_path) as server:
        assert not is_let_in(browser, server)


def test_a_stream_ends_soon_after_its_browser_left(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        browser, agent = let_in(server), let_in(server, _another(server))
        agent.call("create_record", type="task", title="t", summary="s", body="b")
        with closing(
            HTTPConnection(urlsplit(server.base).netloc, timeout=PATIENCE_S)
        ) as connection:
            connection.request("GET", "/api/v1/stream", headers={"Cookie": browser.cookie})
            answer = connection.getresponse()
            assert answer.readline() == b"event: hello\n"

            browser.post("leave")

            _write_until_it_ends(agent, answer)


def _another(server: Server) -> str:
    opened = server.run("open", "--port", str(server.port))
    return opened.stdout.strip().rpartition("token=")[2]


def _write_until_it_ends(agent: Browser, answer: HTTPResponse) -> None:
    """Record things until the stream says no more; a stream that goes on runs into WAIT_S."""
    last = time.monotonic() + WAIT_S
    while answer.readline():
        agent.call("create_record", type="task", title="t", summary="s", body="b")
        assert time.monotonic() < last, "the stream goes on"


# A page of another store.


def test_a_page_of_another_store_writes_nothing_here(browser: Browser) -> None:
    made = {"type": "task", "title": "t", "summary": "s", "body": "b"}
    browser.call("create_record", **made)
    before = browser.call("list_records")["total"]

    status, answer = browser.post("create_record", made, x_hansard_page="0123456789abcdef")

    assert (status, answer["error"]["code"]) == (409, "STORE_CHANGED")
    assert browser.call("list_records")["total"] == before


def test_a_stream_says_which_store_it_is_of(browser: Browser) -> None:
    made = {"type": "task", "title": "t", "summary": "s", "body": "b"}
    browser.call("create_record", **made)
    netloc = urlsplit(browser.server.base).netloc
    with closing(HTTPConnection(netloc, timeout=PATIENCE_S)) as connection:
        connection.request("GET", "/api/v1/stream", headers={"Cookie": browser.cookie})
        hello = connection.getresponse().read1().decode()
    store = hello.partition('"store":"')[2][:16]

    assert browser.post("create_record", made, x_hansard_page=store)[0] == 200
