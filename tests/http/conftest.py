"""A server that the tests of a file share, and a browser that was let in."""

from collections.abc import Iterator

import pytest

from tests.http.serving import Browser, Server, let_in, serving


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("home")) as running:
        yield running


@pytest.fixture(scope="module")
def browser(server: Server) -> Browser:
    """A browser that was let in, with a token that `hansard open` got."""
    opened = server.run("open", "--port", str(server.port))
    assert opened.returncode == 0, opened.stderr
    return let_in(server, opened.stdout.strip().rpartition("token=")[2])
