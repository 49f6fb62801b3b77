"""The command, or the stdio server, in a process that knows decisions."""

import sys

from hansard.cli import commands
from hansard.cli.main import run
from tests.decisions import known


def main() -> int:
    """Do what the arguments ask for."""
    known.ensure()
    commands.COMMANDS["decisions"] = "hansard.cli.contents.decisions"
    arguments = sys.argv[1:]
    return run([] if arguments == ["stdio"] else arguments)


if __name__ == "__main__":
    sys.exit(main())
