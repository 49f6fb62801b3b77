"""Asks a person before something that cannot be undone."""

import sys

from hansard.kernel.problem import InvalidInput


def require_consent(question: str, *, yes: bool) -> None:
    """Go on if the person agrees, or has agreed with `--yes`; otherwise refuse."""
    if not agrees(question, yes=yes):
        raise InvalidInput("Nothing was done", hint="Answer y to go on")


def agrees(question: str, *, yes: bool) -> bool:
    """Whether the person agrees, or has agreed with `--yes`; refuses if nobody can be asked."""
    if yes:
        return True
    if not sys.stdin.isatty():
        raise InvalidInput(
            "This asks first, and nobody is there to answer",
            hint="Run it on a terminal, or with --yes",
        )
    print(f"{question} [y/N] ", end="", flush=True)
    return sys.stdin.readline().strip().lower() in {"y", "yes"}
