"""Drills of checkpoints and of threads of them."""

from collections.abc import Iterator
from typing import Any

from hansard.langgraph import HansardSaver
from hansard.sdk import Hansard
from tests.checkpoints import checkpoint_scenes as scenes
from tests.checkpoints.checkpoint_scenes import PREPARED, SESSION, STORE, context, opened
from tests.crash import checks
from tests.crash.harness import Aftermath
from tests.crash.stage import Scene
from tests.crash.sweep import Drill
from tests.langgraph.steps import config_of

GATES: dict[Scene, tuple[str, ...]] = {
    scenes.save: ("save 6", "save 8", "close"),
    scenes.delete: ("delete", "close"),
    scenes.retain: ("save", "close"),
    scenes.put_step: ("put", "writes", "close"),
    scenes.prune_thread: ("prune", "close"),
}


def faults(after: Aftermath) -> list[str]:
    """Look at the store as the next process finds it, twice: nothing more happens by looking."""
    found = []
    for _ in range(2):
        with opened(after.folder) as hansard:
            found += checks.findings(hansard.application)
            found += [*_checkpoint_faults(hansard, after), *_thread_faults(hansard, after)]
    with opened(after.folder) as hansard:
        again = hansard.checkpoints.save_checkpoint(SESSION, {"goes": "on"})
        if hansard.checkpoints.load_checkpoint(session_id=SESSION).checkpointId != (
            again.checkpointId
        ):
            found.append("it does not go on")
    return found + checks.leftovers(after.folder / STORE)


def _checkpoint_faults(hansard: Hansard, after: Aftermath) -> Iterator[str]:
    """Compare the session's checkpoints with what was acknowledged."""
    told = _told(after)
    numbers = []
    for one in hansard.checkpoints.list_checkpoints(SESSION, limit=100):
        loaded = hansard.checkpoints.load_checkpoint(one.checkpointId).context
        numbers.append(loaded["number"])
        if loaded != context(loaded["number"]):
            yield f"{one.checkpointId} is not what was saved"
    numbers.reverse()
    whole = list(range(PREPARED))
    allowed = {
        # A call that fails once may do without what it asked for, and then all of it is done.
        "save 6": [whole, [*whole, 6], [*whole, 6, 8]],
        "save 8": [[*whole, 6], [*whole, 6, 8]],
        "delete": [whole, [0, *whole[2:]]],
        "save": [whole, [PREPARED - 1, PREPARED]],
        "close": [whole, [*whole, 6, 8], [0, *whole[2:]], [PREPARED - 1, PREPARED]],
    }.get(after.point.gate, [whole])
    if numbers not in allowed:
        yield f"the session has {numbers}"
    if "saved" in told and told["number"] not in numbers:
        yield f"{told['saved']} was acknowledged and is gone"
    if "deleted" in told and 1 in numbers:
        yield f"{told['deleted']} was deleted and is there"


def _thread_faults(hansard: Hansard, after: Aftermath) -> Iterator[str]:
    """Compare the thread's checkpoints with what was acknowledged."""
    told = _told(after)
    with HansardSaver(hansard) as saver:
        found = list(saver.list(config_of()))
        numbers = [one.checkpoint["channel_values"]["number"] for one in found][::-1]
        for one in found:
            values = one.checkpoint["channel_values"]
            if values != context(values["number"]):
                yield f"{one.checkpoint['id']} is not what was put"
    whole = list(range(PREPARED))
    if numbers not in [whole, [*whole, PREPARED + 2], [PREPARED - 1]]:
        yield f"the thread has {numbers}"
    if "put" in told and told["number"] not in numbers:
        yield f"{told['put']} was acknowledged and is gone"
    if "wrote" in told and not found[0].pending_writes:
        yield "writes were acknowledged and are gone"
    if "pruned" in told and len(numbers) > 1:
        yield "the thread was pruned and is whole"


def _told(after: Aftermath) -> dict[str, Any]:
    return {key: value for words in after.told for key, value in words.items()}


DRILLS = [
    Drill(
        scene,
        faults,
        gates,
        scenes.prepare,
        name=f"checkpoint-{scene.__name__.replace('_', '-')}",
        drills="checkpoints",
    )
    for scene, gates in GATES.items()
]
