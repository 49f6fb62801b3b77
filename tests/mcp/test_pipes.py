"""A pipe that may not wait is no pipe that has ended."""

import json
import os
import subprocess
import sys
import threading

import pytest

from tests.launcher.programs import Popen
from tests.mcp.processes import ROOT, WAIT_S, environment

PINGS = 5_000


@pytest.mark.parametrize("program", ["hansard.cli.main", "tests.mcp.programs"])
def test_pipes_that_may_not_wait_are_served_as_any_other(store: str, program: str) -> None:
    their_in, our_out = os.pipe()
    our_in, their_out = os.pipe()
    os.set_blocking(their_in, False)
    os.set_blocking(their_out, False)
    process: Popen[bytes] = Popen(
        [sys.executable, "-m", program, *(["stdio"] if "tests" in program else [])],
        stdin=their_in,
        stdout=their_out,
        stderr=subprocess.DEVNULL,
        env=environment({"store": store}),
        cwd=ROOT,
    )
    os.close(their_in)
    os.close(their_out)
    sender = threading.Thread(target=send_pings, args=(our_out,), daemon=True)

    # More than a pipe holds is asked before anything is read.
    sender.start()
    sender.join(1)
    with os.fdopen(our_in, "rb") as answers:
        answered = [json.loads(line)["id"] for line in answers]

    assert process.wait(WAIT_S) == 0
    assert sorted(answered) == list(range(PINGS))


def send_pings(descriptor: int) -> None:
    """Ask many times, then close."""
    with os.fdopen(descriptor, "wb") as stdin:
        for number in range(PINGS):
            stdin.write(b'{"jsonrpc":"2.0","id":%d,"method":"ping"}\n' % number)
