"""What is said on stderr. Light, since the stdio server's way leads past here."""

import sys

from hansard.kernel.problem import Problem


def say(line: str) -> None:
    """Say a line to whoever runs the command."""
    print(line, file=sys.stderr)


def say_problem(problem: Problem) -> None:
    """Say what was refused, and what to do about it."""
    say(f"hansard: {problem.message}")
    if problem.recovery_hint:
        say(problem.recovery_hint)
