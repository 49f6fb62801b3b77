"""get_story: a page of a session's story, as far as the budget reaches. Made by rule."""

from collections.abc import Sequence

from hansard.kernel.content import content
from hansard.kernel.engine import Found, Position, Range, ReadTx, Row
from hansard.kernel.operation import Context
from hansard.kernel.page import from_cursor, to_cursor
from hansard.recorder import contract, limits
from hansard.recorder.answers import whole
from hansard.recorder.story import COUNTED, new_sitting
from hansard.recorder.tables import SITTINGS, STORY, chapter_of, story_key, story_place
from hansard.recorder.tale import Beat, Chapter, Story
from hansard.recorder.timeline import required_session

_BEAT_FIELDS = frozenset(Beat.model_fields)


def get_story(request: contract.GetStory, context: Context) -> Story:
    """Tell a session: plan steps as chapters, edits folded, notes and failures between them."""
    session = required_session(context)
    position = from_cursor(request.cursor, STORY, "place")

    def work(tx: ReadTx) -> Story:
        sitting = tx.get(SITTINGS, session) or new_sitting()
        rows = tx.scan(
            STORY, {"session": session}, order="place", after=position, limit=limits.BEATS_PAGE
        )
        room = request.budget_tokens * limits.CHARS_PER_TOKEN
        page = _Page(tx, session, sitting, room)
        told = page.take(rows)
        last = told[-1] if told else None
        left = _count_after(tx, session, last) if last else 0
        return Story(
            session_id=session,
            title=sitting["title"],
            user_message=page.message,
            totals={name: sitting[name] for name in ("files", *COUNTED)},
            chapters=page.chapters,
            omitted=left or None,
            nextCursor=to_cursor(Position(last.row["place"], last.key)) if last and left else None,
        )

    return context.read(work)


class _Page:
    """Chapters and beats for as long as there is room; at least one of them."""

    def __init__(self, tx: ReadTx, session: str, sitting: Row, room: int) -> None:
        self.chapters: list[Chapter] = []
        self.message = _message(tx, sitting)
        self._tx = tx
        self._session = session
        self._sitting = sitting
        self._room = room - len(self.message or "") - len(sitting["title"] or "")
        self._place: int | None = None

    def take(self, rows: Sequence[Found]) -> Sequence[Found]:
        """Take in rows until the room is used up; returns those that are dealt with."""
        for number, found in enumerate(rows):
            row = found.row
            if _is_superseded(row, self._sitting):
                continue
            if row["type"] == "chapter":
                chapter = _chapter(row)
                if not self._fits(chapter):
                    return rows[:number]
                self._open(chapter, row["place"])
            else:
                beat = Beat(**whole({name: row[name] for name in row.keys() & _BEAT_FIELDS}))
                if not self._fits(beat):
                    return rows[:number]
                self._chapter_of(row).beats.append(beat)
        return rows

    def _fits(self, part: Chapter | Beat) -> bool:
        is_first = not self.chapters
        self._room -= len(part.model_dump_json(exclude_defaults=True))
        return is_first or self._room >= 0

    def _open(self, chapter: Chapter, place: int) -> Chapter:
        self.chapters.append(chapter)
        self._place = chapter_of(place)
        return chapter

    def _chapter_of(self, row: Row) -> Chapter:
        """Give the chapter of a beat, which may have begun on an earlier page."""
        if self._place == chapter_of(row["place"]):
            return self.chapters[-1]
        place = story_place(chapter_of(row["place"]))
        head = self._tx.get(STORY, story_key(self._session, place))
        assert head is not None, "a beat lies in a chapter that has no head"
        chapter = _chapter(head).model_copy(update={"is_continued": True, "beats": []})
        return self._open(chapter, place)


def _chapter(row: Row) -> Chapter:
    is_begun = row["begun"] is not None or row["is_told"]
    named = {"revision": row["revision"], "index": row["step"], "title": row["title"]}
    counts = {name: row[name] for name in ("edits", "added", "removed", "failed", "external")}
    if row["step"] is None:
        return Chapter(**named, **counts, beats=[])
    return Chapter(**named, **counts, status="begun" if is_begun else "planned", beats=[])


def _is_superseded(row: Row, sitting: Row) -> bool:
    """Whether a step of an earlier plan was never begun, so that there is nothing to tell."""
    if row["type"] != "chapter" or row["is_told"] or row["begun"] is not None:
        return False
    return bool((row["revision"] or 0) < (sitting["revision"] or 0))


def _message(tx: ReadTx, sitting: Row) -> str | None:
    if sitting["user_message"] is None:
        return None
    text = content(tx, sitting["user_message"]).decode()
    short = text[: limits.MESSAGE_SHOWN_CHARS]
    return short if short == text else f"{short}…"


def _count_after(tx: ReadTx, session: str, last: Found) -> int:
    rest = Range(at_least=last.row["place"] + 1)
    return tx.tally(STORY, {"session": session, "place": rest}).get(None, 0)
