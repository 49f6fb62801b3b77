"""The entry point of `hansard`. Hooks take a faster path because hosts wait for them."""

import atexit
import gc
import os
import sys
from contextlib import suppress
from typing import NoReturn

HOOK = "hook"

COLLECTED_EACH = 50_000
"""How many objects are made before the collector looks for cycles. Loading makes hundreds of
thousands that stay: with the seven hundred of the interpreter, it looks at all of them again and
again, for a tenth of the time that a listing takes."""


def main() -> NoReturn:
    """Run the command line, then end the process."""
    gc.set_threshold(COLLECTED_EACH)
    # Nobody else inspects our models, and pydantic's search for plugins takes a while.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    end(run(sys.argv[1:]))


def end(code: int) -> NoReturn:
    """End the process at once; nothing is left to print or do.

    To take every module apart first, as the interpreter does, takes a fifth of a listing's time.
    """
    threads = sys.modules.get("threading")
    if threads is not None and threads.active_count() > 1:
        sys.exit(code)
    atexit._run_exitfuncs()  # noqa: SLF001 - what is to be done at the end has no other name
    with suppress(OSError):
        for stream in filter(None, (sys.stdout, sys.stderr)):
            stream.flush()
    os._exit(code)


def run(arguments: list[str]) -> int:
    """Run these arguments; returns the exit code."""
    if arguments[:1] == [HOOK]:
        from hansard.hooks import client

        if not client.is_for_people(arguments[1:]):
            return client.main(arguments[1:])
    from hansard.cli import program

    return program.run(arguments)


if __name__ == "__main__":
    main()
