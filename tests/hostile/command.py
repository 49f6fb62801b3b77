"""The `hansard` command as a module that tests start: without a subcommand it serves on stdio."""

import sys

from hansard.cli.main import run

if __name__ == "__main__":
    arguments = sys.argv[1:]
    sys.exit(run([] if arguments == ["stdio"] else arguments))
