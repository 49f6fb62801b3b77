"""How much room checkpoints and threads take."""

from hansard.checkpoints.threads.views import COUNTS
from hansard.checkpoints.views import USAGE
from hansard.kernel.engine import Engine


def used_bytes(engine: Engine) -> int:
    """Add up what the whole store keeps, packed: each project's own count, in one look.

    A project that was last used by an older version is counted from its next use on.
    """
    return engine.total((USAGE, "bytes"), (COUNTS, "bytes"))
