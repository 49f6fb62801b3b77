"""What the user said in a session: its first words, and later messages."""

import orjson

from hansard.kernel import paging
from hansard.kernel.engine import ReadTx
from hansard.kernel.event import Entry
from hansard.kernel.problem import InvalidInput
from hansard.recorder.events import Audited, SessionTitled

USER_MESSAGE = "user_message"
"""The type of a note that holds what the user said."""

LAST = "last"


def find(tx: ReadTx, session: str, named: str) -> int:
    """Give the seq of a prompt: the `last`, the n-th from the end, or one by its entry."""
    seqs = _prompts(tx, session)
    if not seqs:
        raise InvalidInput(
            f"prompt: nothing that the user said is recorded in {session}",
            hint="Hooks record it: `hansard init` sets them up; undo a step or an entry instead",
            argument="prompt",
        )
    if named.startswith("s:"):
        seq = int(named[2:])
        if seq not in seqs:
            raise InvalidInput(f"prompt: {named} is no prompt of {session}", argument="prompt")
        return seq
    back = 1 if named == LAST else int(named)
    if back > len(seqs):
        raise InvalidInput(f"prompt: only {len(seqs)} are recorded in {session}", argument="prompt")
    return seqs[-back]


def _prompts(tx: ReadTx, session: str) -> list[int]:
    """List the seqs of all prompts of a session, in order."""
    kinds = [SessionTitled.kind, Audited.kind]
    found = paging.entries(tx, kinds=kinds, session=session)
    return [entry.seq for entry in found if _is_prompt(entry)]


def _is_prompt(entry: Entry) -> bool:
    if entry.body is None:
        return False
    told = orjson.loads(entry.body)
    if entry.kind == SessionTitled.kind:
        return told.get("user_message") is not None
    return bool(told.get("type") == USER_MESSAGE)
