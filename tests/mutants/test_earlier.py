"""What an earlier run told as not noticed is tried again, wherever it stands now."""

from pathlib import Path

from tests.mutants import reach
from tests.mutants.earlier import MOVED_MAX, left_by
from tests.mutants.mutations import Mutation, mutations

FILE = reach.SOURCE / "kernel" / "transcript.py"


def there() -> list[tuple[Path, Mutation]]:
    return [(FILE, one) for one in mutations(FILE.read_text())]


def told(mutation: Mutation, *, moved: int = 0, reached: str = "2 tests reach it") -> str:
    what = mutation.told(FILE.read_text())
    return f"not noticed: kernel/transcript.py:{mutation.line + moved}: {what} ({reached})\n"


def test_each_fault_that_a_run_told_is_found_though_its_line_has_moved() -> None:
    first, *_, last = there()
    log = "10 of 20\n" + told(first[1], reached="no test reaches it") + told(last[1], moved=1)

    assert list(left_by(log, there())) == [first, last]


def test_of_what_is_no_longer_there_nothing_is_tried() -> None:
    gone = "not noticed: kernel/transcript.py:1: gone -> None (2 tests reach it)\n"
    far_away = told(there()[0][1], moved=MOVED_MAX + 1_000)

    assert list(left_by(gone + far_away, there())) == []
