"""A port that is taken is answered in words, and the demo goes to the next one."""

import re
import socket
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from hansard.app.settings import Settings
from hansard.cli.listen_port import listen_near
from tests.http.serving import Server, environment
from tests.launcher.programs import PROGRAM, Popen, run


@pytest.fixture
def taken() -> Iterator[int]:
    """A port on which some other program listens."""
    with closing(socket.create_server(("127.0.0.1", 0))) as other:
        yield other.getsockname()[1]


def test_beside_our_own_server_it_says_how_to_look_at_that_one(server: Server) -> None:
    refused = server.run("serve", "--port", str(server.port))

    assert refused.returncode == 2
    assert f"A Hansard of yours listens on port {server.port} already" in refused.stderr
    assert f"`hansard open --port {server.port}`" in refused.stderr
    assert f"--port {server.port + 1}" in refused.stderr
    assert "Errno" not in refused.stderr


def test_beside_another_program_it_names_the_flag_that_helps(server: Server, taken: int) -> None:
    refused = server.run("serve", "--port", str(taken))

    assert refused.returncode == 2
    assert f"Another program listens on port {taken}" in refused.stderr
    assert f"--port {taken + 1}" in refused.stderr
    assert "hansard open" not in refused.stderr


def test_the_nearest_free_port_is_found(taken: int) -> None:
    with closing(listen_near(Settings(port=taken))) as listener:
        assert taken < listener.getsockname()[1] < taken + 20


def test_the_demo_beside_a_server_takes_the_next_port(tmp_path: Path) -> None:
    usual = Settings().port
    with closing(_occupy(usual)):
        demo = Popen(
            [PROGRAM, "demo", str(tmp_path / "demo"), "--no-open"],
            env=environment(tmp_path),
            stderr=subprocess.PIPE,
            text=True,
        )
        assert demo.stderr
        told = demo.stderr.readline()
        demo.terminate()
        demo.communicate()

    found = re.search(r"http://127.0.0.1:(\d+)/mcp", told)
    assert found, told
    assert int(found[1]) > usual


def test_the_demo_keeps_to_a_port_that_was_asked_for(tmp_path: Path, taken: int) -> None:
    refused = run(
        [PROGRAM, "demo", str(tmp_path / "demo"), "--no-open", "--port", str(taken)],
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        check=False,
    )

    assert refused.returncode == 2
    assert f"--port {taken + 1}" in refused.stderr


def _occupy(port: int) -> socket.socket:
    """Listen on a port, unless somebody does so already."""
    try:
        return socket.create_server(("127.0.0.1", port))
    except OSError:
        return socket.socket()
