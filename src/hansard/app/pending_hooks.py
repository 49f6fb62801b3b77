"""Whether hooks have spooled something new. The code that records it is loaded only then."""

from collections.abc import Callable

from hansard.app.settings import Settings
from hansard.hooks import locations, spool


def take_in(settings: Settings, say: Callable[[str], None]) -> None:
    """Record what waits for this store, if anything does; failures are only reported."""
    folder = locations.hooks_folder({"store": settings.store} if settings.store else {}, {})
    if folder is None or settings.read_only or not spool.waiting(folder):
        return
    from hansard.app import hook_recording

    hook_recording.take_all(folder, say)
