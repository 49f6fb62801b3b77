"""`python -m bench [name …]`: measure everything, or what is named.

Each name is a module of this folder with a `main`. Figures compare within one run only.
"""

import importlib
import sys
import time

NAMES = (
    "seam",
    "writes",
    "statements",
    "team",
    "verify",
    "stdio",
    "start",
    "answers",
    "search",
    "records",
    "recorder",
    "checkpoints",
    "meaning",
    "entities",
    "metrics",
    "decisions",
    "decisions_git",
)
"""What is measured when nothing is named."""


def main(names: list[str]) -> None:
    """Run what was asked for, one after the other."""
    for name in names or NAMES:
        begun = time.monotonic()
        importlib.import_module(f"bench.{name}").main()
        print(f"\n({name} took {time.monotonic() - begun:.0f} s)", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
