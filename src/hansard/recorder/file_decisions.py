"""Decisions about files: how the recorder asks for them, and what they forbid."""

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from hansard.kernel.engine import ReadTx
from hansard.kernel.operation import Caller
from hansard.recorder.problems import DecisionBlocks


class FileDecision(Protocol):
    """An active decision about a file."""

    @property
    def id(self) -> str:
        """Its id."""

    @property
    def title(self) -> str:
        """What was decided."""

    @property
    def enforcement(self) -> str:
        """`block` keeps agents from changing the file; `advise` only tells them."""


Governed = Callable[[ReadTx, str], Sequence[FileDecision]]
"""Finds the decisions that govern a file, given as its path from the workspace's root on."""


AskAbout = Callable[[ReadTx, str], object]
"""Reads in advance what others will read when a change of a file, given by its path, is
recorded."""


def nothing_governs(tx: ReadTx, path: str) -> Sequence[FileDecision]:
    """Find none, if nobody decides about files."""
    del tx, path
    return ()


def ask_nothing(tx: ReadTx, path: str) -> None:
    """Read nothing, if nobody else does."""
    del tx, path


def require_allowed(path: str, found: Iterable[FileDecision], caller: Caller) -> None:
    """Refuse a change that a decision keeps agents from; people decide for themselves."""
    if caller.actor.kind == "human":
        return
    for one in found:
        if one.enforcement == "block":
            raise DecisionBlocks(
                f"{path} is governed by {one.id}: {one.title}", path=path, decision=one.id
            )
