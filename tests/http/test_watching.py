"""What those who run a server see: its health, its metrics and its log."""

import json
import logging
import re
import threading
from pathlib import Path
from typing import Any

import anyio
import pytest
from starlette.requests import Request

from hansard.app.application import Application
from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.cli.store.doctor import _followers
from hansard.engines.memory import MemoryEngine
from hansard.http.authentication import Authentication
from hansard.http.health import Health
from hansard.http.logs import FIELDS, AsJson, AsText
from hansard.http.request_metrics import RequestMetrics
from hansard.kernel import follow
from hansard.kernel.engine import ReadTx
from hansard.kernel.follow import Follower
from hansard.kernel.problem import StorageUnavailable
from tests.conftest import a_caller
from tests.http.serving import Browser, Server, let_in, make_token, mcp_call, serving
from tests.patience import PATIENCE_S, wait_until

TEXTS = {"type": "task", "title": "A title nobody logs", "summary": "s", "body": "b"}
SAMPLE = re.compile(r'[a-z_]+(\{[a-z]+="(\\.|[^"\\])*"(,[a-z]+="(\\.|[^"\\])*")*\})? [0-9.e+-]+')


def test_a_server_says_that_it_lives_and_can_work(server: Server) -> None:
    assert server.request("GET", "/healthz").body == b"ok"
    assert server.request("GET", "/readyz").status == 200


class Full(MemoryEngine):
    """An engine whose disk is full: it reads, and takes no write."""

    def write(self, project: str, work: Any, *, urgent: bool = False) -> Any:
        del urgent
        raise StorageUnavailable(f"{project} cannot be written, nor can {work}")


@pytest.mark.parametrize(("read_only", "status"), [(False, 503), (True, 200)])
def test_a_server_is_ready_if_it_can_do_what_it_offers(read_only: bool, status: int) -> None:
    settings = Settings(embedder="none", read_only=True)
    app = start(settings, lambda _, schema: Full(schema))
    app.read_only = read_only
    health = Health(app, Authentication(app.store, settings), RequestMetrics())
    endpoint = next(one.endpoint for one in health.routes() if one.path == "/readyz")

    answer = anyio.run(endpoint, Request({"type": "http"}))

    assert answer.status_code == status


def test_following_that_ends_by_an_error_is_shown_where_one_looks_and_begins_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(follow, "RETRY_S", 0.01)
    monkeypatch.setattr(follow, "WAKE_S", 0.01)
    app = start(Settings(embedder="none"), lambda _, schema: MemoryEngine(schema))
    app.followers = [Follower("any", lambda _project, _entries: None)]
    app.call("create_project", {"id": "p", "name": "p"}, a_caller())
    watch = app.store.engine.watch

    app.store.engine.watch = _broken  # type: ignore[method-assign]
    app.follow()
    wait_until(lambda: any(one.times >= 2 for one in app.troubles()), "it does not begin again")
    assert _lines_of_readyz(app)[1].startswith(f"{follow.THREAD} failed")
    assert _shown(app, follow.THREAD) == ["warn"]
    app.store.engine.watch = watch  # type: ignore[method-assign]
    wait_until(lambda: not app.troubles(), "it never gets round")
    assert _lines_of_readyz(app) == ["ready"]
    assert _shown(app, follow.THREAD) == []
    app.close()


def test_a_project_of_a_newer_version_is_shown_where_one_looks() -> None:
    app = start(Settings(embedder="none"), lambda _, schema: MemoryEngine(schema))
    app.followers = [Follower("any", lambda _project, _entries: None)]
    app.call("create_project", {"id": "p", "name": "p"}, a_caller())
    app.call("audit_event", {"type": "x", "description": "x", "project_id": "p"}, a_caller())
    app.store.engine.write("p", lambda tx: tx.mark_views("checkpoints:999"))

    app.follow()
    wait_until(app.troubles, "nothing is told")
    [_, line] = _lines_of_readyz(app)
    [check] = [one for one in _followers(app, ["p"]) if one.what == "any"]
    app.close()

    assert line.startswith("any failed")
    assert (check.status, "The project p has been opened by a newer" in check.says) == (
        "warn",
        True,
    )


def test_doctor_tells_of_a_follower_that_does_not_know_its_basis() -> None:
    app = start(Settings(embedder="none"), lambda _, schema: MemoryEngine(schema))
    app.call("create_project", {"id": "p", "name": "p"}, a_caller())
    app.call("audit_event", {"type": "x", "description": "x", "project_id": "p"}, a_caller())
    follow.catch_up(app.store, Follower("weak", lambda _project, _entries: None), "p")
    app.followers = [Follower("weak", lambda _project, _entries: None, basis=_unknown)]

    assert _shown(app, "weak") == ["warn"]
    app.close()


def _unknown(tx: ReadTx) -> str:
    raise KeyError(tx.project)


def _lines_of_readyz(app: Application) -> list[str]:
    health = Health(app, Authentication(app.store, Settings(embedder="none")), RequestMetrics())
    endpoint = next(one.endpoint for one in health.routes() if one.path == "/readyz")
    answer: str = anyio.run(endpoint, Request({"type": "http"})).body.decode()
    return answer.splitlines()


def _shown(app: Application, what: str) -> list[str]:
    return [one.status for one in _followers(app, ["p"]) if one.what == what]


def test_a_follower_that_fails_is_shown_where_one_looks_until_it_gets_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(follow, "RETRY_S", 0.01)
    may_work = threading.Event()

    def stumble(project: str, _: object) -> None:
        if not may_work.is_set():
            raise KeyError(project)

    app = start(Settings(embedder="none"), lambda _, schema: MemoryEngine(schema))
    app.followers = [Follower("weak", stumble)]
    app.call("create_project", {"id": "p", "name": "p"}, a_caller())

    def shown() -> tuple[bool, list[str]]:
        return any("weak" in line for line in _lines_of_readyz(app)[1:]), _shown(app, "weak")

    app.follow()
    wait_until(app.troubles, "it does not fail")
    assert shown() == (True, ["warn"])
    may_work.set()
    wait_until(lambda: not app.troubles(), "it goes on failing")
    assert shown() == (False, ["ok"])
    app.close()


def _broken() -> Any:
    raise RuntimeError("a bug")


def test_looking_whether_it_is_ready_writes_nothing(browser: Browser) -> None:
    before = _entries(browser.server)

    assert browser.server.request("GET", "/readyz").status == 200
    assert _entries(browser.server) == before


def _entries(server: Server) -> list[str]:
    text = server.request("GET", "/metrics").body.decode()
    return [line for line in text.splitlines() if line.startswith("hansard_entries{")]


def test_requests_are_counted_by_operation_and_status(browser: Browser) -> None:
    browser.call("create_record", **TEXTS)
    browser.post("get_record_ref", {"id": "R999"})
    mcp_call(browser.server, "list_projects")
    browser.server.request("GET", "/no/such/place")

    answer = browser.server.request("GET", "/metrics")

    text = answer.body.decode()
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    assert 'hansard_requests_total{operation="create_record",status="200"}' in text
    assert 'hansard_requests_total{operation="get_record_ref",status="404"}' in text
    assert 'hansard_requests_total{operation="list_projects",status="200"}' in text
    assert 'hansard_requests_total{operation="other",status="404"}' in text
    assert 'hansard_request_seconds_bucket{operation="create_record",le="+Inf"}' in text
    assert 'hansard_entries{project="default"}' in text
    assert "hansard_open_streams 0" in text
    assert "/no/such/place" not in text


def test_the_metrics_are_in_prometheus_form() -> None:
    meter = RequestMetrics()
    meter.done("create_record", 200, 0.003)
    meter.done("create_record", 200, 99.0)

    lines = meter.text({'a"b\\c\nd': 3}, {"git": 4}, 1).splitlines()

    assert all(SAMPLE.fullmatch(line) for line in lines if not line.startswith("# "))
    assert 'hansard_request_seconds_bucket{operation="create_record",le="0.0025"} 0' in lines
    assert 'hansard_request_seconds_bucket{operation="create_record",le="0.005"} 1' in lines
    assert 'hansard_request_seconds_bucket{operation="create_record",le="+Inf"} 2' in lines
    assert 'hansard_request_seconds_count{operation="create_record"} 2' in lines
    assert 'hansard_request_seconds_sum{operation="create_record"} 99.003' in lines
    assert 'hansard_entries{project="a\\"b\\\\c\\nd"} 3' in lines
    assert 'hansard_follower_behind_entries{follower="git"} 4' in lines
    assert "hansard_followers_failing 1" in lines


def test_metrics_of_a_guarded_server_are_for_its_admins(tmp_path: Path) -> None:
    admin, agent = (make_token(tmp_path, role)[0] for role in ("admin", "agent"))
    with serving(tmp_path) as server:
        assert server.request("GET", "/metrics").status == 401
        shown = {"authorization": f"Bearer {agent}"}
        assert server.request("GET", "/metrics", None, **shown).status == 403
        shown = {"authorization": f"Bearer {admin}"}
        assert server.request("GET", "/metrics", None, **shown).status == 200


@pytest.mark.parametrize("form", ["json", "text"])
def test_the_log_tells_each_request_and_no_secret(tmp_path: Path, form: str) -> None:
    text, _ = make_token(tmp_path, "agent", name="ci")
    with serving(tmp_path, "--log", form) as server:
        shown = {"authorization": f"Bearer {text}"}
        answer = mcp_call(server, "create_record", TEXTS, **shown)
        let_in(server)
        server.request("GET", f"/?token={text}")
        server.request("POST", "/api/v1/door", b"{}", authorization="Bearer guess-me-not")
        server.process.terminate()
        log = server.process.communicate(timeout=PATIENCE_S)[1]

    reference = answer.headers["x-request-id"]
    [line] = [line for line in log.splitlines() if reference in line]
    if form == "json":
        told = json.loads(line)
        assert (told["method"], told["operation"], told["status"]) == ("POST", "create_record", 200)
        assert (told["caller"], told["level"]) == ("agent:ci", "info")
        assert told["ms"] > 0
    else:
        assert "operation=create_record status=200" in line
        assert "caller=agent:ci" in line
    for hidden in (text, text[13:], server.token, "guess-me-not", TEXTS["title"], "token="):
        assert hidden not in log


def test_without_the_setting_nothing_is_logged(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        server.request("GET", "/healthz")
        server.process.terminate()

        assert server.process.communicate(timeout=PATIENCE_S)[1] == ""


@pytest.mark.parametrize("form", [AsJson(), AsText()])
def test_a_line_of_the_log_is_one_line(form: logging.Formatter) -> None:
    record = logging.makeLogRecord({"msg": "x", FIELDS: {"caller": "agent:a\n\x1b[2J"}})

    line = form.format(record)

    assert line.isprintable()


def test_an_error_is_logged_with_its_trace() -> None:
    error = ValueError("inside")
    record = logging.makeLogRecord({"msg": "failed", "exc_info": (ValueError, error, None)})

    assert "ValueError: inside" in json.loads(AsJson().format(record))["trace"]
    assert "ValueError: inside" in AsText().format(record)
