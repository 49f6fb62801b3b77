"""get_story: a page of a session's story, within the budget. Made by rule."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from hansard.kernel.cursor import from_cursor, to_cursor
from hansard.kernel.engine import Found, Position, Range, ReadTx, Row
from hansard.kernel.operation import Context
from hansard.recorder import contract, limits
from hansard.recorder.answers import whole
from hansard.recorder.story.answers import Beat, Chapter, StoryAnswer
from hansard.recorder.story.chapters import COUNTED, sitting_of
from hansard.recorder.story.folder_beats import FOLDED, fold
from hansard.recorder.story.plans import OVER
from hansard.recorder.story.restore_words import restore_words
from hansard.recorder.story.timeline import required_session
from hansard.recorder.story.timeline_items import message_shown
from hansard.recorder.tables import STORY, chapter_of, story_key, story_place

_BEAT_FIELDS = frozenset(Beat.model_fields)


def get_story(request: contract.GetStory, context: Context) -> StoryAnswer:
    """Tell a session: plan steps as chapters, edits folded, notes and failures between them."""
    session = required_session(context)
    position = from_cursor(request.cursor, STORY, "place")

    def work(tx: ReadTx) -> StoryAnswer:
        sitting = sitting_of(tx, session)
        room = request.budget_tokens * limits.CHARS_PER_TOKEN
        page = _Page(tx, context, sitting, room)
        last = page.take(_Parts(tx, session, position))
        left = _count_after(tx, session, last) if last else 0
        return StoryAnswer(
            session_id=session,
            title=sitting["title"],
            user_message=page.message,
            totals={name: sitting[name] for name in ("files", *COUNTED)},
            chapters=page.chapters,
            omitted=left or None,
            nextCursor=to_cursor(Position(last.row["place"], last.key)) if last and left else None,
        )

    return context.read(work)


class _Parts:
    """The rows of a story in parts that are shown together: a run of files, or any other alone."""

    def __init__(self, tx: ReadTx, session: str, after: Position | None) -> None:
        self._tx = tx
        self._session = session
        self._after = after

    def __iter__(self) -> Iterator[list[Found]]:
        run: list[Found] = []
        for found in self._rows():
            if run and not _goes_on(run[-1].row, found.row):
                yield run
                run = []
            run.append(found)
        if run:
            yield run

    def _rows(self) -> Iterator[Found]:
        after, read = self._after, 0
        of = {"session": self._session}
        while read < limits.BEATS_READ_MAX and (
            page := self._tx.scan(STORY, of, order="place", after=after, limit=limits.BEATS_PAGE)
        ):
            yield from page
            after, read = Position(page[-1].row["place"], page[-1].key), read + len(page)


def _goes_on(row: Row, following: Row) -> bool:
    is_run = row["type"] in FOLDED and following["type"] in FOLDED
    return is_run and chapter_of(row["place"]) == chapter_of(following["place"])


@dataclass(slots=True)
class _Page:
    """Chapters and beats for as long as there is room; at least one of them."""

    tx: ReadTx
    context: Context
    sitting: Row
    room: int
    chapters: list[Chapter] = field(default_factory=list)
    message: str | None = None
    _place: int | None = None

    def __post_init__(self) -> None:
        """Begin with what heads the story."""
        self.message = _message(self.tx, self.sitting)
        self.room -= len(self.message or "") + len(self.sitting["title"] or "")

    def take(self, parts: _Parts) -> Found | None:
        """Take in parts until the room is used up; returns the last row that is dealt with."""
        last: Found | None = None
        for part in parts:
            row = part[0].row
            if row["type"] == "chapter":
                if not self._take_chapter(row):
                    return last
                last = part[-1]
                continue
            for beats, rows in self._told(part):
                if not self._fits(beats):
                    return last
                self._chapter_of(row).beats.extend(beats)
                last = rows[-1]
        return last

    def _take_chapter(self, row: Row) -> bool:
        if _is_left_out(row, self.sitting):
            return True
        chapter = _chapter(row)
        if not self._fits([chapter]):
            return False
        self._open(chapter, row["place"])
        return True

    def _told(self, part: list[Found]) -> Iterator[tuple[list[Beat], list[Found]]]:
        """Give beats with the rows that they tell: one by one, or all of a folded run at once."""
        beats = [self._beat(found.row) for found in part]
        folded = fold(beats)
        if len(folded) < len(beats):
            yield folded, part
        else:
            yield from (([beat], [found]) for beat, found in zip(beats, part, strict=True))

    def _beat(self, row: Row) -> Beat:
        beat = Beat(**whole({name: row[name] for name in row.keys() & _BEAT_FIELDS}))
        if beat.type == "restore":
            asked = (beat.scope or "", beat.point or 0)
            is_undo = bool(beat.is_undo)
            words = restore_words(self.tx, self.context, *asked, is_undo=is_undo)
            return beat.model_copy(update={"text": words})
        return beat

    def _fits(self, parts: Sequence[Chapter | Beat]) -> bool:
        is_first = not self.chapters
        self.room -= sum(len(part.model_dump_json(exclude_defaults=True)) for part in parts)
        return is_first or self.room >= 0

    def _open(self, chapter: Chapter, place: int) -> Chapter:
        self.chapters.append(chapter)
        self._place = chapter_of(place)
        return chapter

    def _chapter_of(self, row: Row) -> Chapter:
        """Give the chapter of a beat, which may have begun on an earlier page."""
        if self._place == chapter_of(row["place"]):
            return self.chapters[-1]
        place = story_place(chapter_of(row["place"]))
        head = self.tx.get(STORY, story_key(row["session"], place))
        assert head is not None, "a beat lies in a chapter that has no head"
        chapter = _chapter(head).model_copy(update={"is_continued": True, "beats": []})
        return self._open(chapter, place)


def _chapter(row: Row) -> Chapter:
    named = {"plan_revision": row["revision"], "index": row["step"], "title": row["title"]}
    counts = {name: row[name] for name in ("edits", "added", "removed", "failed", "external")}
    counts |= {name: row[name] or None for name in ("restored", "undone", "undone_by")}
    if row["step"] is None:
        return Chapter(**named, **counts, beats=[])
    is_begun = row["status"] == "planned" and row["is_told"]
    return Chapter(**named, **counts, status="begun" if is_begun else row["status"], beats=[])


def _is_left_out(row: Row, sitting: Row) -> bool:
    """Whether there is nothing to show of a step.

    So for one of an earlier plan that was never begun, and one that was over before its plan.
    """
    if row["is_told"] or row["begun"] is not None:
        return False
    if row["is_carried"] and row["status"] in OVER:
        return True
    return bool((row["revision"] or 0) < (sitting["revision"] or 0))


def _message(tx: ReadTx, sitting: Row) -> str | None:
    if sitting["user_message"] is None:
        return None
    return message_shown(tx, sitting["user_message"], limits.MESSAGE_SHOWN_CHARS)


def _count_after(tx: ReadTx, session: str, last: Found) -> int:
    rest = Range(at_least=last.row["place"] + 1)
    return tx.tally(STORY, {"session": session, "place": rest}).get(None, 0)
