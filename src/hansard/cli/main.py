"""Where the `hansard` command begins. Hosts wait for their hooks, so these go another way."""

import sys
from typing import NoReturn

HOOK = "hook"


def main() -> NoReturn:
    """Do what the command line asks for, then end the process."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Do what these arguments ask for; returns the exit code."""
    if arguments[:1] == [HOOK]:
        from hansard.hooks import client

        if not client.is_for_people(arguments[1:]):
            return client.main(arguments[1:])
    from hansard.cli import program

    return program.run(arguments)


if __name__ == "__main__":
    main()
