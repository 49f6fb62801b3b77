"""Programs that tests start as processes: the stdio server, and a library's user who measures."""

import json
import resource
import sys
import time
from typing import Any

from hansard.app.settings import load
from hansard.app.start import start
from hansard.kernel.limits import MIB
from hansard.sdk import Hansard


def main() -> int:
    """Do as the first argument says."""
    return {"stdio": serve, "large": save_large}[sys.argv[1]]()


def serve() -> int:
    """Serve MCP on stdin and stdout."""
    from hansard.mcp.stdio import serve as serve_stdio

    settings = load({})
    return serve_stdio(start(settings), settings)


def save_large() -> int:
    """Save and load a context of 60 MB, change it a little, and say what that took."""
    with Hansard(sys.argv[2]) as hansard:
        hansard.checkpoints.save_checkpoint("warm", {"a": 1})
        context = large(60 * 1_000_000)
        before, began = _peak_mib(), time.monotonic()
        first = hansard.checkpoints.save_checkpoint("w", context)
        second = hansard.checkpoints.save_checkpoint("w", context | {"step": 1})
        loaded = hansard.checkpoints.load_checkpoint(first.checkpointId)
        told = {
            "grew_mib": _peak_mib() - before,
            "took_s": time.monotonic() - began,
            "is_equal": loaded.context == context,
            "sizes": [first.sizeBytes, second.sizeBytes],
        }
    sys.stdout.write(json.dumps(told))
    return 0


def large(size: int) -> dict[str, Any]:
    """Make a context of about this size in JSON, such as an agent might collect."""
    line = "2026-01-01 the agent looked at file number {:07} and found nothing in it; "
    lines = [line.format(number) for number in range(size // len(line))]
    return {
        f"log {first}": "".join(lines[first : first + 5_000])
        for first in range(0, len(lines), 5_000)
    }


def _peak_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / MIB


if __name__ == "__main__":
    sys.exit(main())
