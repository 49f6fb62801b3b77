"""A process that collects all the time: `python -m tests.app.collector STORE`, until it is told."""

import select
import sys

from hansard.app import start
from hansard.app.keeping.collecting import collect
from hansard.app.settings import Settings
from hansard.kernel.problem import StorageUnavailable
from tests.app.kept import STAMP

EVER = "9999"


def main(store: str) -> None:
    """Collect until standard input is closed; tells in the end how much went."""
    app = start.start(Settings(store=store))
    gone = 0
    while not select.select([sys.stdin], [], [], 0)[0]:
        try:
            gone += collect(app.store, deleted_before=EVER, stamp=STAMP).count
        except StorageUnavailable:
            continue  # the writer had its turn for too long
    app.close()
    sys.stdout.write(f"{gone}\n")


if __name__ == "__main__":
    main(sys.argv[1])
