"""What benchmarks read of other programs' reports is what these say."""

import pytest

from bench.instructions import collected

LOG = """==4711== Callgrind, a call-graph generating cache profiler
==4711== Command: python -m bench.instructions
==4711==
==4711== Events    : Ir
==4711== Collected : {}
==4711==
==4711== I   refs:      4,465,365,315
"""


@pytest.mark.parametrize("told", ["4465365315", "4,465,365,315"])
def test_instructions_are_read_from_what_the_counter_says(told: str) -> None:
    assert collected(LOG.format(told)) == 4_465_365_315


def test_a_counter_that_says_nothing_is_no_count() -> None:
    with pytest.raises(ValueError, match="did not say"):
        collected("==4711== Command: python\n")
