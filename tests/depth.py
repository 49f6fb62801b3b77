"""How deep a sweep goes.

In the gate it goes as far as a fault of its kind has ever taken to show, within seconds; with
`HANSARD_FAULTS=all`, as `make check-faults` has it, all the way.
"""

import os
from typing import TypeVar

T = TypeVar("T")

ALL_THE_WAY = os.environ.get("HANSARD_FAULTS") == "all"


def deep(gate: T, everything: T) -> T:
    """Give how much is tried in the gate, or how much when everything is."""
    return everything if ALL_THE_WAY else gate
