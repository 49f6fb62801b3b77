"""Whoever opens an address of programs in a browser is helped; programs are answered as ever."""

import pytest

from tests.http.serving import Server, make_token

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


@pytest.mark.parametrize(
    ("path", "status"), [("/mcp", 406), ("/mcp/", 406), ("/anything", 404), ("/a/b?c=d", 404)]
)
def test_a_browser_that_went_astray_is_given_the_page(
    server: Server, path: str, status: int
) -> None:
    answer = server.request("GET", path, accept=BROWSER)

    assert answer.status == status
    assert answer.headers["content-type"].startswith("text/html")
    assert b'id="page"' in answer.body
    assert "default-src 'none'" in answer.headers["content-security-policy"]


@pytest.mark.parametrize("accept", ["*/*", "application/json", "text/event-stream, text/html"])
def test_programs_are_answered_as_ever(server: Server, accept: str) -> None:
    for path in ("/mcp", "/anything"):
        answer = server.request("GET", path, accept=accept)

        assert answer.status >= 400
        assert b'id="page"' not in answer.body


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/api/v1", "/api/v1/nothing", "/assets/x"])
def test_what_answers_for_itself_does_so_to_browsers_too(server: Server, path: str) -> None:
    answer = server.request("GET", path, accept=BROWSER)

    assert b'id="page"' not in answer.body


def test_a_browser_is_helped_where_agents_need_a_token(server: Server) -> None:
    make_token(server.home, "agent", name="bot")

    helped = server.request("GET", "/mcp", accept=BROWSER)
    posted = server.request("POST", "/mcp", b"{}", accept=BROWSER, content_type="application/json")

    assert helped.status == 406
    assert b'id="page"' not in posted.body
