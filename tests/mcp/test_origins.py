"""Host and Origin are compared whole: what begins like ours, or has another port, is not ours."""

import pytest

from hansard.mcp.origins import Origins

PORT = 8377
OURS = Origins()
TOLD = Origins(["hansard.example.org", "box.lan:9000"])


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "127.0.0.1:8377",
        "localhost:8377",
        "LOCALHOST:8377",
        "[::1]:8377",
        "localhost:9",
    ],
)
def test_this_machine_goes_by_its_own_names(host: str) -> None:
    assert OURS.is_host(host)


@pytest.mark.parametrize(
    "host",
    [
        None,
        "",
        "evil.com",
        "127.0.0.1:8377.evil.com",
        "localhost:8377@evil.com",
        "localhost:8377/evil.com",
        "localhost:8377#evil",
        "localhost.evil.com",
        "localhost:",
        "localhost:99999",
        "localhost:٨",
        "localhost:8377 ",
        "localhost\t",
        "[::1]evil.com",
        "::1",
        "evil.com:8377",
        "127.0.0.1,evil.com",
    ],
)
def test_what_only_looks_like_this_machine_is_another(host: str | None) -> None:
    assert not OURS.is_host(host)


@pytest.mark.parametrize(
    "origin", [None, "", "http://127.0.0.1:8377", "http://localhost:8377", "http://[::1]:8377"]
)
def test_our_own_page_and_programs_may_ask(origin: str | None) -> None:
    assert OURS.is_origin(origin, PORT)


@pytest.mark.parametrize(
    "origin",
    [
        "null",
        "http://127.0.0.1",
        "http://127.0.0.1:1",
        "https://127.0.0.1:8377",
        "http://127.0.0.1:8377.evil.com",
        "http://127.0.0.1:8377@evil.com",
        "http://evil.com:8377",
        "http://hansard.example.org",
        "file://",
        "http://",
        "http://localhost:8377/",
        "http://localhost:8377 http://evil.com",
        "chrome-extension://localhost:8377",
    ],
)
def test_a_page_of_any_other_origin_may_not(origin: str) -> None:
    assert not OURS.is_origin(origin, PORT)


@pytest.mark.parametrize(
    ("origin", "may"),
    [
        ("https://hansard.example.org", True),
        ("http://hansard.example.org", True),
        ("http://hansard.example.org:8377", True),
        ("https://hansard.example.org:1", False),
        ("https://hansard.example.org.evil.com", False),
        ("http://box.lan:9000", True),
        ("http://box.lan", False),
        ("http://box.lan:8377", False),
    ],
)
def test_a_name_we_were_told_of_counts_with_its_own_ports(origin: str, may: bool) -> None:
    assert TOLD.is_origin(origin, PORT) is may


@pytest.mark.parametrize(
    ("host", "is_ours"),
    [
        ("hansard.example.org", True),
        ("hansard.example.org:8443", True),
        ("box.lan:9000", True),
        ("box.lan", False),
        ("box.lan:9001", False),
        ("hansard.example.org.evil.com", False),
    ],
)
def test_a_name_we_were_told_of_with_a_port_is_reached_by_that_port_only(
    host: str, is_ours: bool
) -> None:
    assert TOLD.is_host(host) is is_ours
