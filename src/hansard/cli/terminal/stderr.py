"""Writes to stderr. Light, since the stdio server uses it."""

import sys

from hansard.cli.terminal.hints import hint_of, message_of
from hansard.kernel.problem import InvalidInput, Problem

EXIT_PROBLEM = 1
EXIT_USAGE = 2


def say(line: str) -> None:
    """Print a line for the user of the command."""
    print(line, file=sys.stderr)


def say_problem(problem: Problem) -> None:
    """Say what was refused, and what to do about it."""
    say(f"hansard: {message_of(problem)}")
    if hint := hint_of(problem):
        say(hint)


def exit_code(problem: Problem) -> int:
    """Say how a command ends that was refused."""
    return EXIT_USAGE if isinstance(problem, InvalidInput) else EXIT_PROBLEM
