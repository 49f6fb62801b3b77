"""How turns are kept: as the pieces that each thread adds to the one it goes on from. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hansard.entities import limits
from hansard.kernel.problem import InvalidInput

Json = dict[str, Any]

Piece = Json
"""Partials of one sender: `turn`, `sender`, `partials`, and whether the turn `begins` with it."""


def pieces_of(last: Mapping[str, Any], said: Iterable[tuple[str, list[Json]]]) -> list[Piece]:
    """Part what is said into pieces, after the `turn` and `sender` that came last.

    The same sender goes on with its turn. The turns that begin have no id yet.
    """
    turn, sender = last.get("turn"), last.get("sender")
    pieces: list[Piece] = []
    for speaker, partials in said:
        if pieces and pieces[-1]["sender"] == speaker:
            pieces[-1]["partials"] += partials
            continue
        begins = bool(pieces) or turn is None or sender != speaker
        piece = {"turn": None if begins else turn, "sender": speaker, "begins": begins}
        pieces.append(piece | {"partials": list(partials)})
    return pieces


def open_after(still_open: Sequence[str], pieces: Iterable[Piece]) -> list[str]:
    """Follow which tool requests wait for an answer, or refuse an answer that nobody waits for."""
    waiting = list(still_open)
    for partial in (one for piece in pieces for one in piece["partials"]):
        call = partial["payload"].get("callId")
        if partial["type"] == "toolRequest":
            if call in waiting:
                raise _refusal(f"the tool request {call} is open already; another needs its own id")
            waiting.append(call)
        elif partial["type"] == "toolResponse":
            if call not in waiting:
                raise _refusal(f"no open tool request of this thread has the callId {call}")
            waiting.remove(call)
    if len(waiting) > limits.OPEN_CALLS_MAX:
        raise _refusal(f"at most {limits.OPEN_CALLS_MAX} tool requests can be open at once")
    return waiting


def count_of(pieces: Iterable[Piece]) -> int:
    """Count the partials."""
    return sum(len(piece["partials"]) for piece in pieces)


def joined(pieces: Iterable[tuple[Piece, str, str]]) -> list[Json]:
    """Put turns together from their pieces, in order, each with when its turn and it were made."""
    turns: list[Json] = []
    for piece, created, updated in pieces:
        if turns and turns[-1]["id"] == piece["turn"]:
            turns[-1]["partials"] += piece["partials"]
            turns[-1]["updatedAt"] = updated
            continue
        turns.append(
            {
                "id": piece["turn"],
                "createdAt": created,
                "updatedAt": updated,
                "senderId": piece["sender"],
                "partials": list(piece["partials"]),
            }
        )
    return turns


def words_of(pieces: Iterable[Piece]) -> str:
    """Gather what was said, and what tools gave back, to be found by it."""
    said: list[str] = []
    for partial in (one for piece in pieces for one in piece["partials"]):
        payload = partial["payload"]
        said.append(payload.get("content") or payload.get("output") or payload.get("shortId") or "")
    return "\n".join(said)[: limits.SEARCHED_CHARS_MAX]


def _refusal(why: str) -> InvalidInput:
    return InvalidInput(f"partials: {why}", argument="partials")
