"""A capability small enough to test the waist with: notes, kept under sessions."""

from typing import Annotated, ClassVar

from hansard.kernel.engine import Table, Topic, WriteTx
from hansard.kernel.event import Event
from hansard.kernel.ids import next_id, taken
from hansard.kernel.limits import ENTRIES_PAGE
from hansard.kernel.model_answer import KEPT
from hansard.kernel.operation import (
    Capability,
    Context,
    Operation,
    ProjectRequest,
    Result,
    TimedRequest,
    Written,
)
from hansard.kernel.problem import InvalidInput
from hansard.kernel.text import Title
from hansard.kernel.view import Derivation, View

NOTES = Table("toy_notes", {"text": "text"}, (("text",),), history=True)
WORDS = Topic("toy_words", NOTES, {"text": 1.0})


class Noted(Event):
    """A note was taken; a ticking write."""

    kind: ClassVar[str] = "toy.noted.v1"
    advances_tick: ClassVar[bool] = True
    activity: ClassVar[str | None] = "toy_noted"

    id: str
    text: str

    def summary(self) -> str:
        return f"{self.id}: {self.text}"

    def subject(self) -> str:
        return self.id


class Note(ProjectRequest):
    text: Title
    id: str | None = None


class NoteTaken(Written):
    session_id: str | None
    id: str
    tick: int

    def text(self) -> str:
        return f"{self.id} noted"


class ListNotes(TimedRequest):
    pass


class NoteList(Result):
    notes: Annotated[list[str], KEPT]

    def text(self) -> str:
        return "\n".join(self.notes)


def note(request: Note, context: Context) -> NoteTaken:
    def work(tx: WriteTx) -> NoteTaken:
        if request.text == "refuse me":
            raise InvalidInput("text: not that")
        identifier = request.id or next_id(tx, "T")
        entry = context.record(tx, Noted(id=identifier, text=request.text))
        return NoteTaken(session_id=context.session, id=identifier, tick=entry.tick)

    return context.write(work)


def list_notes(_: ListNotes, context: Context) -> NoteList:
    found = context.read(lambda tx: tx.scan(NOTES, limit=ENTRIES_PAGE, as_of=context.as_of))
    return NoteList(notes=[one.row["text"] for one in found])


def _noted(event: Noted, derivation: Derivation) -> None:
    if derivation.get(NOTES, event.id) is None:
        taken(derivation, "T", event.id)
    derivation.put(NOTES, event.id, {"text": event.text})
    derivation.index(WORDS, event.id, {"text": event.text})


CAPABILITY = Capability(
    "toy",
    (
        Operation(
            "toy_note", "Take a note.", Note, NoteTaken, note, writes=True, role="agent",
            session="begins",
        ),
        Operation(
            "toy_start", "Take a note in a session of any id.", Note, NoteTaken, note,
            writes=True, role="agent", session="begins", creates_session=True,
            reopens_session=True,
        ),
        Operation(
            "toy_go_on", "Take a note in a session that there is.", Note, NoteTaken, note,
            writes=True, role="agent", session="required", aliases=("toy_more",),
        ),
        Operation("toy_list", "List notes.", ListNotes, NoteList, list_notes, writes=False),
    ),
    (Noted,),
    (View("toy", 1, (NOTES,), on={Noted: _noted}, topics=(WORDS,)),),
)  # fmt: skip
