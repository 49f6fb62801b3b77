"""What the kill tests of checkpoints play: saving, deleting, pruning; and the same of threads."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hansard.checkpoints.limits import Retention
from hansard.langgraph import HansardSaver
from hansard.sdk import Hansard
from tests.checkpoints.contexts import hardly_packed, library
from tests.crash.stage import Stage
from tests.langgraph.steps import config_of, identifier_of, put

STORE = "store"
SESSION = "w"
PREPARED = 6
FEW = 5
LARGE_CHARS = 200_000
"""Packs to more than lies in the database."""


def context(number: int) -> dict[str, Any]:
    """Make the context of that number again: each like the one before, some of them large."""
    large = {"large": hardly_packed(LARGE_CHARS, seed=number)} if number % 3 == 2 else {}
    return {"text": hardly_packed(5_000), "number": number} | large


def prepare(folder: Path) -> None:
    """Make a store with some checkpoints and a thread."""
    with opened(folder) as hansard:
        for number in range(PREPARED):
            hansard.checkpoints.save_checkpoint(SESSION, context(number))
        with HansardSaver(hansard) as saver:
            step = config_of()
            for number in range(PREPARED):
                step = put(saver, context(number), step, number + 1)


@contextmanager
def opened(folder: Path, **limits: Any) -> Iterator[Hansard]:
    """Open the store of a folder."""
    with library(folder / STORE, **limits) as hansard:
        yield hansard


@contextmanager
def opened_for(stage: Stage, **limits: Any) -> Iterator[Hansard]:
    """Open the store that a scene is played on, prepared now if it is not yet."""
    if not (stage.folder / STORE / "hansard.db").exists():
        prepare(stage.folder)
    with opened(stage.folder, **limits) as hansard:
        yield hansard


def save(stage: Stage) -> None:
    """Save something small, then something large."""
    with opened_for(stage) as hansard:
        for number in (PREPARED, PREPARED + 2):
            stage.gate(f"save {number}")
            saved = hansard.checkpoints.save_checkpoint(SESSION, context(number))
            stage.tell(saved=saved.checkpointId, number=number)
        stage.gate("close")


def delete(stage: Stage) -> None:
    """Delete a checkpoint that others are packed onto."""
    with opened_for(stage) as hansard:
        stage.gate("delete")
        gone = hansard.checkpoints.delete_checkpoint("C002")
        stage.tell(deleted=gone.checkpointId)
        stage.gate("close")


def retain(stage: Stage) -> None:
    """Save where only the last two are kept, so that others go in the same write."""
    with opened_for(stage, retention=Retention(keep_last=2)) as hansard:
        stage.gate("save")
        saved = hansard.checkpoints.save_checkpoint(SESSION, context(PREPARED))
        stage.tell(saved=saved.checkpointId, number=PREPARED, kept=2)
        stage.gate("close")


def put_step(stage: Stage) -> None:
    """Put a checkpoint of a thread, with a large value, and writes of a task."""
    with opened_for(stage) as hansard, HansardSaver(hansard) as saver:
        stage.gate("put")
        step = put(saver, context(PREPARED + 2), config_of(), PREPARED + 3)
        stage.tell(put=identifier_of(step), number=PREPARED + 2)
        stage.gate("writes")
        saver.put_writes(step, [("text", hardly_packed(LARGE_CHARS))], "task")
        stage.tell(wrote="task")
        stage.gate("close")


def prune_thread(stage: Stage) -> None:
    """Prune a thread to its latest checkpoint."""
    with opened_for(stage) as hansard, HansardSaver(hansard) as saver:
        stage.gate("prune")
        saver.prune(["t"])
        stage.tell(pruned="t")
        stage.gate("close")


def steady_puts(stage: Stage) -> None:
    """Put some checkpoints and writes, then as many again."""
    with opened_for(stage) as hansard, HansardSaver(hansard) as saver:
        for gate in ("warm", "steady", "close"):
            stage.gate(gate)
            step = config_of("steady")
            for number in range(FEW):
                step = put(saver, {"n": number, "text": "kept " * 500}, step, number + 1)
                saver.put_writes(step, [("n", number)], "task")
