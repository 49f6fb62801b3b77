"""How much room checkpoints and threads take."""

from hansard.checkpoints.threads.views import COUNTS, COUNTS_KEY
from hansard.checkpoints.views import USAGE, USAGE_KEY
from hansard.kernel.engine import ReadTx


def used_bytes(tx: ReadTx) -> int:
    """Add up what this project keeps, packed."""
    contexts = tx.get(USAGE, USAGE_KEY) or {"bytes": 0}
    threads = tx.get(COUNTS, COUNTS_KEY) or {"bytes": 0}
    return int(contexts["bytes"] + threads["bytes"])
