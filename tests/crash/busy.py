"""A process that writes until it is told to stop: `python -m tests.crash.busy STORE`.

It prints the receipt of each write once it is acknowledged, and ends when its input does.
"""

import os
import sys
import threading

from hansard.app.settings import Settings
from hansard.app.start import start
from tests.conftest import a_caller

LARGE = 70_000
"""Bytes that do not fit into the database, and lie in a file of their own."""


def main(store: str) -> None:
    """Write records, small and large ones."""
    app = start(Settings(store=store))
    caller = a_caller()
    stop = threading.Event()
    threading.Thread(target=_await_end, args=(stop,), daemon=True).start()
    number = 0
    while not stop.is_set():
        number += 1
        body = os.urandom(LARGE).hex() if number % 4 == 0 else f"note {number}"
        record = {"type": "note", "title": "busy", "summary": "s", "body": body}
        receipt = app.call("create_record", record, caller).model_dump()["receipt"]
        sys.stdout.write(f"{receipt['seq']} {receipt['hash']}\n")
        sys.stdout.flush()
    app.close()


def _await_end(stop: threading.Event) -> None:
    sys.stdin.read()
    stop.set()


if __name__ == "__main__":
    main(sys.argv[1])
