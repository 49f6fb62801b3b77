"""What programs take of a processor, which a busy machine does not stretch."""

import os
import resource
import subprocess
import sys
import time

ROUNDS = 7
"""Each is started this often, all in turn."""

PYTHON = [sys.executable, "-m", "hansard.cli.main"]


def processor_s(pid: int) -> float:
    """Give what a living process has taken of a processor, in all its threads."""
    # How Linux numbers the clock of another process.
    return time.clock_gettime((~pid << 3) | 2)


def ran_ms(command: list[str], extra: dict[str, str], told: str = "") -> float:
    """Run a command to its end and give what it took of a processor, with what it started."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    out, env = subprocess.DEVNULL, os.environ | extra
    subprocess.run(command, env=env, stdout=out, input=told.encode(), check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000
