"""Hooks in `hansard doctor`: waiting, refused and unknown events."""

import json
from collections import Counter
from collections.abc import Iterator

from hansard.app.settings import Settings
from hansard.cli.store.verdict import Check
from hansard.hooks import client, locations, spool
from hansard.kernel.text import counted

NAMED_MAX = 3


def check_hooks(settings: Settings) -> Iterator[Check]:
    """Check the folder in which hooks leave events."""
    folder = locations.hooks_folder({"store": settings.store} if settings.store else {}, {})
    if folder is None:
        return
    waiting = sum(len(spool.lines_of(folder, name)) for name in (spool.TAKING, spool.EVENTS))
    refused = spool.lines_of(folder, spool.REFUSED)
    unknown = Counter(spool.lines_of(folder, client.UNKNOWN))
    if waiting:
        says = (
            f"{counted(waiting, 'event', 'events')} wait to be taken in: the next command does it"
        )
        yield Check("ok", "hooks", says)
    if refused:
        number = counted(len(refused), "event", "events")
        says = f"{number} could not be recorded, the last: {_why(refused)}"
        yield Check("warn", "hooks", f"{says}; {folder}/{spool.REFUSED} lists them")
    if unknown:
        named = ", ".join(f"{name} ({times})" for name, times in unknown.most_common(NAMED_MAX))
        yield Check("ok", "hooks", f"told of events that are not known here: {named}")


def _why(refused: list[str]) -> str:
    try:
        return str(json.loads(refused[-1])["why"])
    except (ValueError, KeyError, TypeError):
        return "(unreadable)"
