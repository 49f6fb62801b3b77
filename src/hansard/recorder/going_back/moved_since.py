"""Where a file lies that somebody has moved since, with the changes to take back."""

from collections.abc import Sequence

from hansard.kernel.engine import ReadTx
from hansard.recorder.gateway import Gateway
from hansard.recorder.going_back.file_return import FilePlace
from hansard.recorder.going_back.undo_rules import GONE_SINCE
from hansard.recorder.history.changes import Made
from hansard.recorder.history.file_history import latest_of, path_of, revision_by


def saying_where(
    gateway: Gateway, tx: ReadTx, made: Sequence[Made], place: FilePlace, reason: str
) -> str:
    """If a changed file is the reason because it is gone, say where it lies now."""
    if not reason.startswith(GONE_SINCE):
        return reason
    own = (one.seq for one in made if (one.to or one.path) == str(place.path))
    left = revision_by(tx, place.key, max(own, default=0))
    last = latest_of(tx, left) if left else None
    if last is None or last["file"] == place.key:
        return reason
    here = gateway.plain(path_of(tx, last))
    if not gateway.has_file(here):
        return reason
    moved = f"it has been moved to {here} since: change it there"
    return reason.replace(GONE_SINCE, moved, 1)
