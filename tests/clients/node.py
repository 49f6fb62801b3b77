"""The packaged Node, and what runs on it."""

import os
import subprocess
from pathlib import Path

HERE = Path(__file__).parent
BIN = HERE / "node_modules" / ".bin"
TIMEOUT_S = 100.0


def run_node(
    *arguments: str | Path, cwd: Path, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run a script to its end, in a folder of its own and with a home there."""
    return subprocess.run(
        [BIN / "node", *arguments],
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
        cwd=cwd,
        env=os.environ | {"HOME": str(cwd)} | variables,
    )
