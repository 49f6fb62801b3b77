"""The heads of a story's chapters, and what is known of its session."""

from hansard.kernel.engine import ReadTx, Row
from hansard.kernel.view import Derivation
from hansard.recorder.events import PlanStepRecorded
from hansard.recorder.story.plans import OVER, PlannedStep, StepStatus
from hansard.recorder.tables import SITTINGS, STORY, chapter_number, story_key, story_place

COUNTED = ("edits", "added", "removed", "failed", "external", "reported", "undone", "restored")


def new_sitting() -> Row:
    """Give what is known about a session that the recorder does not know."""
    plan = {"revision": None, "steps": 0, "step": None, "is_begun": False}
    told = {"title": None, "user_message": None, "interlude": 0, "run": None, "files": 0}
    return plan | told | dict.fromkeys(COUNTED, 0)


def sitting_of(tx: Derivation | ReadTx, session: str) -> Row:
    """Give what is known of a session."""
    return tx.get(SITTINGS, session) or new_sitting()


def steps_of(tx: ReadTx, session: str) -> list[PlannedStep]:
    """Give the steps of a session's plan as they stand."""
    sitting = sitting_of(tx, session)
    places = (chapter_number(sitting["revision"], index) for index in range(sitting["steps"]))
    heads = (tx.get(STORY, story_key(session, story_place(place))) for place in places)
    return [PlannedStep(head["title"], head["status"]) for head in heads if head]


def update_sitting(derivation: Derivation, session: str, changes: Row) -> None:
    """Change what is known of a session."""
    derivation.put(SITTINGS, session, sitting_of(derivation, session) | changes)


def count(derivation: Derivation, session: str, counts: dict[str, int]) -> None:
    """Add to a session's numbers."""
    derivation.put(SITTINGS, session, counted(sitting_of(derivation, session), counts))


def counted(row: Row, counts: dict[str, int]) -> Row:
    """Give a row with some of its numbers grown."""
    return row | {name: row.get(name, 0) + number for name, number in counts.items()}


def open_chapter(derivation: Derivation, session: str, event: PlanStepRecorded) -> None:
    """Put the head of a plan step's chapter; one that goes on from the plan before says so."""
    if event.index == 0:
        end_current(derivation, session)
        update_sitting(derivation, session, {"is_begun": False})
    update_sitting(derivation, session, {"revision": event.revision, "steps": event.index + 1})
    new = _new_head(session, event.revision, event.index) | {"title": event.step}
    before = event.continues
    if before is not None:
        old = head_of(derivation, session, event.revision - 1, before)
        new |= {"status": old["status"], "is_carried": old["status"] in OVER}
    put_row(derivation, new)


def begin_chapter(derivation: Derivation, session: str, revision: int, step: int) -> None:
    """Make a step the current one; the one that was, is over."""
    if sitting_of(derivation, session)["step"] != step:
        end_current(derivation, session)
    head = head_of(derivation, session, revision, step)
    entry = derivation.entry
    begun = {} if head["begun"] else {"begun": entry.at, "begun_seq": entry.seq}
    put_row(derivation, head | begun | {"status": "begun", "is_carried": False})
    update_sitting(derivation, session, {"step": step, "is_begun": True, "run": None})


def end_chapter(
    derivation: Derivation, session: str, revision: int, step: int, status: StepStatus
) -> None:
    """Note that a step is over."""
    put_row(derivation, head_of(derivation, session, revision, step) | {"status": status})
    if sitting_of(derivation, session)["step"] == step:
        update_sitting(derivation, session, {"step": None})


def end_current(derivation: Derivation, session: str) -> None:
    """Note that the current step is over, if there is one."""
    sitting = sitting_of(derivation, session)
    if sitting["step"] is not None:
        end_chapter(derivation, session, sitting["revision"], sitting["step"], "ended")


def head_of(derivation: Derivation, session: str, revision: int | None, step: int | None) -> Row:
    """Give the head of a chapter; one without a step has none until something happens in it."""
    sitting = sitting_of(derivation, session)
    is_begun = sitting["is_begun"] and sitting["revision"] == revision
    place = story_place(chapter_number(revision, step, is_begun=is_begun))
    found = derivation.get(STORY, story_key(session, place))
    return found or _new_head(session, revision, step) | {"place": place}


def row_at(derivation: Derivation, session: str, place: int) -> Row:
    """Give the row of the story at a place."""
    row = derivation.get(STORY, story_key(session, place))
    assert row is not None, f"the story of {session} has lost what is at {place}"
    return row


def put_row(derivation: Derivation, row: Row) -> None:
    """Put a chapter's head, or a beat."""
    derivation.put(STORY, story_key(row["session"], row["place"]), row)


def _new_head(session: str, revision: int | None, step: int | None) -> Row:
    place = story_place(chapter_number(revision, step))
    told = {"type": "chapter", "session": session, "place": place, "title": None}
    when = {"begun": None, "begun_seq": None, "status": "planned", "is_carried": False}
    told |= when | {"revision": revision, "step": step, "is_told": False, "undone_by": None}
    return told | dict.fromkeys(COUNTED, 0)
