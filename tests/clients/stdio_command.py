"""The command as clients start it, without arguments, whatever the test's server is told."""

import sys

from hansard.cli.main import run

if __name__ == "__main__":
    sys.exit(run([]))
