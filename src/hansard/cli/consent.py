"""Asking a person before something that cannot be taken back."""

import sys

from hansard.kernel.problem import InvalidInput


def require_consent(question: str, *, yes: bool) -> None:
    """Go on if the person agrees, or has agreed with `--yes`; otherwise refuse."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise InvalidInput(
            "This asks first, and nobody is there to answer",
            hint="Run it on a terminal, or with --yes",
        )
    print(f"{question} [y/N] ", end="", flush=True)
    if sys.stdin.readline().strip().lower() not in {"y", "yes"}:
        raise InvalidInput("Nothing was done", hint="Answer y to go on")
