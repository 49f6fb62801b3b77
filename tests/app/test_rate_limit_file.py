"""What several processes count together of what callers have left."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from hansard.app import rate_limit_file
from hansard.app.quotas import Buckets
from hansard.app.rate_limit_file import Allowance, RateLimitFile
from hansard.app.tokens import RateLimited
from tests.patience import PATIENCE_S


def taken(buckets: Buckets, caller: str = "one") -> int:
    for count in range(1_000):
        try:
            buckets.take(caller, 1.0)
        except RateLimited:
            return count
    return 1_000


def buckets(path: Path, what: str = "calls") -> Buckets:
    return Buckets(what, holds=5, per_s=1.0, clock=lambda: 100.0, shared=RateLimitFile(path))


def test_what_one_has_used_the_other_does_not_have(tmp_path: Path) -> None:
    first, last = buckets(tmp_path / "it"), buckets(tmp_path / "it")

    first.take("one", 3.0)

    assert taken(last) == 2
    assert taken(first) == 0
    assert taken(last, "other") == 5
    assert taken(buckets(tmp_path / "it", "bytes")) == 5


def test_many_at_once_take_no_more_than_there_is(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from tests.app.test_rate_limit_file import *;"
        "print(taken(Buckets('calls', holds=500, per_s=1.0, clock=lambda: 100.0,"
        " shared=RateLimitFile(Path(sys.argv[1])))))"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "it")]
    there = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]

    assert sum(int(one.communicate(timeout=PATIENCE_S)[0]) for one in there) == 500


def test_who_dies_with_its_hand_on_it_lets_go(tmp_path: Path) -> None:
    program = (
        "import sys, time; from pathlib import Path; from hansard.app.rate_limit_file import *\n"
        "with RateLimitFile(Path(sys.argv[1])).alone():\n    print('held', flush=True)\n"
        "    time.sleep(1000)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path / "it")], stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout
        assert holder.stdout.readline() == "held\n"
        os.kill(holder.pid, signal.SIGKILL)

    assert taken(buckets(tmp_path / "it")) == 5


def test_where_all_places_are_taken_the_longest_quiet_is_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rate_limit_file, "PLACES", 8)
    known = RateLimitFile(tmp_path / "it")
    for number in range(1, 10):
        known.put("calls", f"caller {number}", Allowance(0.0, float(number)))

    assert known.get("calls", "caller 1") is None
    assert [known.get("calls", f"caller {one}") for one in range(2, 10)] == [
        Allowance(0.0, float(one)) for one in range(2, 10)
    ]
