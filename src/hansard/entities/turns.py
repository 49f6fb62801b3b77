"""Stores turns as the pieces each thread adds to the one it continues. Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
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


Open = dict[str, str]
"""The tool requests of a thread that wait for an end, and how far the answer to each has come."""

ENDS = ("completed", "failed")


def open_after(still_open: Mapping[str, str], pieces: Iterable[Piece]) -> Open:
    """Follow which tool requests wait for an end; an answer that tells of progress ends none."""
    waiting = dict(still_open)
    for partial in _calls(pieces):
        _follow(waiting, partial)
    return waiting


def check_calls(
    still_open: Mapping[str, str], pieces: Iterable[Piece], *, asks_again: bool = False
) -> None:
    """Refuse an answer that nobody waits for, or that falls back behind one that was given.

    `asks_again` lets a request take the place of an open one of its id: threads from the time when
    any answer closed a request may hold that.
    """
    waiting = dict(still_open)
    for partial in _calls(pieces):
        call, status = partial["payload"]["callId"], partial["payload"].get("status")
        if status is None and call in waiting and not asks_again:
            raise _refusal(f"the tool request {call} is open already; another needs its own id")
        if status is not None and call not in waiting:
            raise _refusal(f"no open tool request of this thread has the callId {call}")
        if status == "notStarted" and waiting[call] == "inProgress":
            raise _refusal(f"what {call} asks for is in progress and cannot become notStarted")
        _follow(waiting, partial)
    if len(waiting) > max(limits.OPEN_CALLS_MAX, len(still_open)):
        raise _refusal(f"at most {limits.OPEN_CALLS_MAX} tool requests can be open at once")


def _calls(pieces: Iterable[Piece]) -> Iterator[Json]:
    """Go through what tools are asked and answer."""
    for partial in (one for piece in pieces for one in piece["partials"]):
        if partial["type"] != "text":
            yield partial


def _follow(waiting: Open, partial: Json) -> None:
    call, status = partial["payload"]["callId"], partial["payload"].get("status", "notStarted")
    if status in ENDS:
        waiting.pop(call, None)
    elif call in waiting or partial["type"] == "toolRequest":
        waiting[call] = status


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


def talk_of(pieces: Sequence[Piece]) -> str:
    """Give what several said as a talk, a line for each who speaks; what one said as it is."""
    if len(pieces) == 1:
        return words_of(pieces)
    lines = (f"{one['sender']}: {' '.join(words_of([one]).split())}" for one in pieces)
    return "\n".join(lines)[: limits.SEARCHED_CHARS_MAX]


def _refusal(why: str) -> InvalidInput:
    return InvalidInput(f"partials: {why}", argument="partials")
