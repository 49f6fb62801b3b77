"""The key file by which `hansard open` proves to be the same user."""

import json
from pathlib import Path

from hansard.app.settings import LOOPBACK
from hansard.http.login_store import state_folder, write_privately


def key_file(port: int) -> Path:
    """Say where a server leaves the key for `hansard open`."""
    return state_folder() / f"page-{port}.json"


def leave_key(port: int, base: str, key: str) -> Path | None:
    """Write the key where only the same person can read it."""
    path = key_file(port)
    try:
        write_privately(path, json.dumps({"base": base, "key": key}).encode())
    except OSError:  # the printed address still works
        return None
    return path


def from_here(base: str, port: int) -> str:
    """Give the address by which this machine reaches the server, which may listen on others too."""
    host = base.removeprefix("http://").rpartition(":")[0]
    if host.strip("[]") in LOOPBACK:
        return base
    return f"http://localhost:{port}" if host in {"0.0.0.0", "[::]"} else base  # noqa: S104
