"""The faults that an earlier run told as not noticed, found again in the source as it is now."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from tests.mutants import reach
from tests.mutants.mutations import Mutation

TOLD = re.compile(
    r"not noticed: (?P<file>[^:]+):(?P<line>\d+): (?P<told>.*) \([^()]+ reach(?:es)? it\)"
)

MOVED_MAX = 50
"""Lines. What is alike and further away than code is moved by a change or two is another fault."""


def left_by(log: str, faults: Iterable[tuple[Path, Mutation]]) -> Iterator[tuple[Path, Mutation]]:
    """Give those of some faults that a log tells, each where it stands now; what is gone is not."""
    alike: dict[tuple[str, str], list[tuple[Path, Mutation]]] = {}
    for file, mutation in faults:
        place, told = str(file.relative_to(reach.SOURCE)), mutation.told(file.read_text())
        alike.setdefault((place, told), []).append((file, mutation))
    for found in TOLD.finditer(log):
        if there := alike.get((found["file"], found["told"])):
            far, _, nearest = min(
                (abs(one.line - int(found["line"])), number, (file, one))
                for number, (file, one) in enumerate(there)
            )
            if far <= MOVED_MAX:
                yield nearest
