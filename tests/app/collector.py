"""A process that collects all the time: `python -m tests.app.collector STORE`, until it is told."""

import select
import sys

from hansard.app import start
from hansard.app.keeping.garbage_collection import collect
from hansard.app.settings import Settings
from hansard.kernel.problem import StorageUnavailable
from tests.app.kept import STAMP

EVER = "9999"


def main(store: str) -> None:
    """Collect until standard input is closed; tells each time how much went, if anything did."""
    app = start.start(Settings(store=store))
    while not select.select([sys.stdin], [], [], 0)[0]:
        try:
            gone = collect(app.store, deleted_before=EVER, stamp=STAMP).count
        except StorageUnavailable:
            continue  # the writer had its turn for too long
        if gone:
            print(gone, flush=True)  # noqa: T201 - what this program is for
    app.close()


if __name__ == "__main__":
    main(sys.argv[1])
