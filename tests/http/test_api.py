"""The API: operations by name, problems by status, the journal's tail, the page's files."""

import json
from collections.abc import Iterable
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from hansard.app.local_user import login_name
from hansard.app.openapi import document
from hansard.app.start import catalog
from tests.http.serving import Browser, Server, let_in, make_token, serving
from tests.patience import PATIENCE_S


def a_record(title: str) -> dict[str, Any]:
    return {"type": "task", "title": title, "summary": title, "body": title}


def test_an_operation_is_done_as_the_person(browser: Browser) -> None:
    made = browser.call("create_record", **a_record("By hand"))

    shown = browser.call("get_record_ref", id=made["record"]["id"])
    [newest] = browser.call("get_timeline", session_id=made["session_id"], limit=1)["timeline"]
    assert shown["title"] == "By hand"
    assert newest["actor"] == f"human:{login_name()}"


@pytest.mark.parametrize(
    ("operation", "arguments", "status", "code"),
    [
        ("get_record_ref", {"id": "R999999"}, 404, "RECORD_NOT_FOUND"),
        ("get_record_ref", {"nope": 1}, 400, "INVALID_INPUT"),
        ("drop_everything", {}, 404, "INVALID_INPUT"),
        ("create_record", [1], 400, "INVALID_INPUT"),
        ("verify", {"quick": "yes"}, 400, "INVALID_INPUT"),
        ("verify", {"deep": True}, 400, "INVALID_INPUT"),
    ],
)
def test_a_problem_comes_under_its_status(
    browser: Browser, operation: str, arguments: Any, status: int, code: str
) -> None:
    found, answer = browser.post(operation, arguments)

    assert (found, answer["error"]["code"]) == (status, code)


@pytest.mark.parametrize("body", [b"{", b'{"limit": 1, "limit": 2}', b"[" * 2_000])
def test_what_is_no_json_is_refused(browser: Browser, body: bytes) -> None:
    answer = browser.server.request(
        "POST", "/api/v1/list_projects", body,
        content_type="application/json", x_hansard_page="1", cookie=browser.cookie,
    )  # fmt: skip

    assert answer.status == 400
    assert answer.json()["error"]["code"] == "INVALID_INPUT"


def test_a_repeated_key_gives_the_first_answer(browser: Browser) -> None:
    first, second = (
        browser.post("create_record", a_record("Once"), idempotency_key="page-once")[1]
        for _ in range(2)
    )

    assert first == second


def test_verify_says_that_the_store_is_sound(browser: Browser) -> None:
    browser.call("create_record", **a_record("Sound"))

    report = browser.call("verify", quick=False)

    assert report["sound"] is True
    assert report["bytes"] > 10_000
    assert {one["project"] for one in report["projects"]} >= {"default"}


def test_the_tail_is_told_as_it_grows(browser: Browser) -> None:
    address = urlsplit(browser.server.base).netloc
    browser.call("create_record", **a_record("Before"))
    with closing(HTTPConnection(address, timeout=PATIENCE_S)) as connection:
        connection.request("GET", "/api/v1/stream", headers={"Cookie": browser.cookie})
        stream = connection.getresponse()
        assert stream.headers["content-type"].startswith("text/event-stream")
        assert _next(stream)["event"] == "hello"
        browser.call("create_record", **a_record("While watched"))

        told: list[dict[str, Any]] = []
        while not told or "While watched" not in (told[-1].get("summary") or ""):
            told.append(json.loads(_next(stream)["data"]))

    assert [one["seq"] for one in told] == list(range(told[0]["seq"], told[-1]["seq"] + 1))


def test_a_stream_goes_on_where_it_broke_off(browser: Browser) -> None:
    browser.call("create_record", **a_record("Something"))
    address = urlsplit(browser.server.base).netloc
    with closing(HTTPConnection(address, timeout=PATIENCE_S)) as connection:
        headers = {"Cookie": browser.cookie, "Last-Event-ID": "1"}
        connection.request("GET", "/api/v1/stream", headers=headers)
        stream = connection.getresponse()
        _next(stream)

        assert _next(stream)["id"] == "2"


@pytest.mark.parametrize(
    ("query", "status"), [("?project=nowhere", 404), ("?after=-1", 400), ("?after=%D9%A3", 400)]
)
def test_a_stream_of_nothing_is_refused(browser: Browser, query: str, status: int) -> None:
    answer = browser.server.request("GET", f"/api/v1/stream{query}", cookie=browser.cookie)

    assert answer.status == status


def _next(stream: Any) -> dict[str, str]:
    """Read one event."""
    fields: dict[str, str] = {}
    while line := stream.readline().decode().rstrip("\n"):
        name, _, value = line.partition(": ")
        fields[name] = value
    return fields


def test_the_page_runs_nothing_but_its_own_files(server: Server) -> None:
    answer = server.request("GET", "/")

    assert answer.status == 200
    assert "script-src 'self'" in answer.headers["content-security-policy"]
    assert "unsafe" not in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("name", ["nope.js", "..%2f..%2fdoor.py", "%2e%2e/door.py", "../door.py"])
def test_no_other_file_is_served(server: Server, name: str) -> None:
    assert server.request("GET", f"/assets/{name}").status == 404


def test_the_description_names_every_operation(browser: Browser) -> None:
    answer = browser.server.request("GET", "/api/v1/openapi.json", cookie=browser.cookie)

    described = answer.json()
    cookie = browser.cookie.partition("=")[0]
    assert described == json.loads(json.dumps(document(catalog(), cookie=cookie)))
    names = {path.rpartition("/")[2] for path in described["paths"]}
    index = browser.server.request("GET", "/api/v1", cookie=browser.cookie).json()
    assert names == set(index["operations"])


def test_the_description_says_truly_who_is_let_in(browser: Browser) -> None:
    described = document(catalog(), cookie=browser.cookie.partition("=")[0])
    ways, schemes = described["security"], described["components"]["securitySchemes"]
    token, _ = make_token(browser.server.home, "agent")
    shown = {
        "bearer": {"authorization": f"Bearer {token}"},
        "cookie": {"cookie": browser.cookie},
        "page": {"x_hansard_page": "1"},
    }
    assert shown.keys() == schemes.keys()

    def status(names: Iterable[str]) -> int:
        headers = {key: value for name in names for key, value in shown[name].items()}
        path = "/api/v1/list_projects"
        usual = {"content_type": "application/json"}
        return browser.server.request("POST", path, b"{}", **usual | headers).status

    assert {status(way) for way in ways} == {200}
    for way in ways:
        assert {status(set(way) - {left_out}) for left_out in way} == {401}


def test_only_what_writes_takes_a_key(browser: Browser) -> None:
    paths = document(catalog())["paths"]
    takers = {path.rpartition("/")[2] for path, one in paths.items() if one["post"]["parameters"]}

    assert takers == {one.name for one in catalog() if one.writes}
    for key in ("", "x" * 256):
        status, answer = browser.post("create_project", {"name": "n"}, idempotency_key=key or " ")
        assert (status, answer["error"]["code"]) == (400, "INVALID_INPUT"), key


@pytest.mark.parametrize(
    ("headers", "status", "code"),
    [
        ({"content_type": "text/plain"}, 400, "INVALID_INPUT"),
        ({"origin": "https://evil.example"}, 403, "PERMISSION_DENIED"),
        ({"host": "evil.example"}, 421, "PERMISSION_DENIED"),
    ],
)
def test_what_is_stopped_at_the_gate_is_refused_in_the_one_shape(
    browser: Browser, headers: dict[str, str], status: int, code: str
) -> None:
    told = browser.post("list_projects", {}, **headers)

    assert (told[0], told[1]["error"]["code"]) == (status, code)
    assert told[1]["error"]["http_status"] == status
    assert told[1]["error"]["recovery_hint"]


@pytest.mark.parametrize("project", ["a%00b", "x" * 300])
def test_a_stream_of_what_is_no_id_is_refused(browser: Browser, project: str) -> None:
    path = f"/api/v1/stream?project={project}"
    answer = browser.server.request("GET", path, cookie=browser.cookie)

    assert (answer.status, answer.json()["error"]["code"]) == (400, "INVALID_INPUT")


def test_a_server_with_an_open_stream_ends(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        cookie = let_in(server).cookie
        with closing(
            HTTPConnection(urlsplit(server.base).netloc, timeout=PATIENCE_S)
        ) as connection:
            connection.request("GET", "/api/v1/stream", headers={"Cookie": cookie})
            _next(connection.getresponse())
            server.process.terminate()

            assert server.process.wait(PATIENCE_S) == 0
