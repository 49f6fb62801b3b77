"""Creates threads: a new one continues another, which stays unchanged."""

from collections.abc import Sequence
from typing import Any

from hansard.entities import contract, events, limits, rules
from hansard.entities.naming import new_id
from hansard.entities.packing import pack
from hansard.entities.reading import Look, find_as, looked_up, show
from hansard.entities.turns import Piece, check_calls, count_of, pieces_of
from hansard.entities.types.chat_thread import CHAT_THREAD
from hansard.entities.types.message_thread import MESSAGE_THREAD
from hansard.kernel.engine import ReadTx, Row, WriteTx
from hansard.kernel.operation import Context

Said = Sequence[tuple[str, list[dict[str, Any]]]]
"""Who said what, in order."""

TURN = "messageTurn"


def begin(context: Context, said: Said) -> contract.EntityWrittenAnswer:
    """Make a thread of what is said."""
    extending = _Extending(context, said)
    return context.write(lambda tx: extending.record(tx, None, None, None))


def append(request: contract.ThreadAppend, context: Context) -> contract.ThreadWrittenAnswer:
    """Make the thread that has some more; a chat that is named comes to it.

    With a chat alone, it goes on from where the chat is. With both, only if the chat is there.
    """
    said = [(request.sender, [one.plain() for one in request.partials])]
    extending = _Extending(context, said if request.partials else [])

    def work(tx: WriteTx) -> contract.ThreadWrittenAnswer:
        thread_id, chat_id = request.thread_id, None
        if request.chat_id is not None:
            chat = find_as(tx, request.chat_id, CHAT_THREAD)
            thread_id, chat_id = _head(chat, request.thread_id), chat["id"]
        assert thread_id is not None, "a thread or a chat was named"
        parent = find_as(tx, thread_id, MESSAGE_THREAD)
        return extending.record(tx, thread_id, parent, chat_id)

    return context.write(work)


def _head(chat: Row, expected: str | None) -> str:
    head: str = chat["threadId"]
    if expected not in (None, head):
        raise contract.EntityConflict(
            f"The chat {chat['id']} has moved on from {expected} to {head}",
            hint="Read the new thread, then append to it, or give chat_id alone",
            id=chat["id"],
            thread_id=head,
        )
    return head


class _Extending:
    """What is to be added, with the ids it will have: the transaction may run twice."""

    def __init__(self, context: Context, said: Said) -> None:
        rules.check_size("partials", [list(one) for one in said])
        self._context = context
        self._said = said
        self._id = new_id(MESSAGE_THREAD.name)
        self._turns = [new_id(TURN) for _ in said]

    def record(
        self, tx: WriteTx, parent_id: str | None, parent: Row | None, chat_id: str | None
    ) -> contract.ThreadWrittenAnswer:
        pieces = self._pieces(parent or {})
        check_calls((parent or {}).get("open", {}), pieces)
        extended = events.ThreadExtended(
            id=self._id,
            parent_id=parent_id,
            segment=pack(tx, pieces) if pieces else None,
            sender=pieces[-1]["sender"] if pieces else "",
            partials=count_of(pieces),
            chat_id=chat_id,
        )
        self._context.record(tx, extended)
        return self._answer(tx, pieces, chat_id)

    def _pieces(self, last: Row) -> list[Piece]:
        # A copy of each list: what runs twice must find what was said as it was.
        pieces = pieces_of(last, [(sender, list(partials)) for sender, partials in self._said])
        for piece, turn in zip(pieces, self._turns, strict=False):
            piece["turn"] = piece["turn"] or turn
        return pieces

    def _answer(
        self, tx: ReadTx, pieces: list[Piece], chat_id: str | None
    ) -> contract.ThreadWrittenAnswer:
        """Show what was added and a little of what came before: the rest costs its own look."""
        row = find_as(tx, self._id, MESSAGE_THREAD)
        shown = max(len(pieces), limits.APPENDED_SHOWN_TURNS_MAX)
        look = Look(limit=shown, bytes_max=limits.APPENDED_SHOWN_BYTES_MAX)
        entity, place = show(tx, MESSAGE_THREAD, row, look)
        cursor = looked_up(tx, entity, place)
        return contract.ThreadWrittenAnswer(
            entity=entity, nextCursor=cursor, session_id=self._context.session, chat_id=chat_id
        )
