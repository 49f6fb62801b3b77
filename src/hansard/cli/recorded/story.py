"""`hansard story`: a session's story, as Markdown or drawn for the terminal."""

import re
import sys
from collections.abc import Callable, Iterator

import typer

from hansard.cli.desk import BUDGET_TOKENS, Desk, desk, pages
from hansard.cli.flags import Flags
from hansard.cli.options import Json, SessionOrLatest, settings_flags
from hansard.cli.terminal import screen
from hansard.cli.terminal.text import painter, print_json, printable
from hansard.recorder.story.answers import Chapter, StoryAnswer

COLUMNS_MAX = 100
"""Longer lines are hard to read."""

_PARTS = re.compile(r"(`[^`]+`|\*\*[^*]+\*\*)")
_PREFIXES = {"# ": "yellow", "## ": "yellow", "> ": "grey", "- ": None}

Paint = Callable[[str, str], str]
Piece = tuple[str, str | None]
Word = list[Piece]


@settings_flags
def story(flags: Flags, of: SessionOrLatest = None, *, json: Json = False) -> None:
    """Show a session's story: plan steps as chapters, edits folded per file."""
    with desk(flags) as opened:
        whole = _whole(opened, opened.session(of))
    if json:
        print_json(whole.model_dump(mode="json", exclude_none=True))
        return
    if not sys.stdout.isatty():
        print(whole.markdown())
        return
    columns = min(screen.columns(), COLUMNS_MAX)
    for line in whole.markdown().splitlines():
        for drawn in _drawn(line, columns):
            print(drawn)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(story)


def _whole(opened: Desk, session: str) -> StoryAnswer:
    """Put the pages together."""
    asked = {"session_id": session, "budget_tokens": BUDGET_TOKENS}
    told = list(pages(opened.ask, StoryAnswer, "get_story", **asked))
    chapters: list[Chapter] = []
    for chapter in (chapter for page in told for chapter in page.chapters):
        if chapter.is_continued and chapters:
            chapters[-1].beats.extend(chapter.beats)
        else:
            chapters.append(chapter)
    update = {"chapters": chapters, "omitted": None, "nextCursor": None}
    return told[0].model_copy(update=update)


def _drawn(line: str, columns: int) -> Iterator[str]:
    """Draw a line of the Markdown that a story uses, wrapped under its bullet."""
    paint = painter()
    prefix = next((one for one in _PREFIXES if line.startswith(one)), "")
    whole = _PREFIXES.get(prefix)
    lead = {"- ": "• ", "> ": "│ "}.get(prefix, "")
    for number, row in enumerate(_rows(_words(line[len(prefix) :]), columns - len(lead))):
        first = lead if number == 0 or prefix == "> " else " " * len(lead)
        text = " ".join("".join(_painted(paint, piece, whole) for piece in word) for word in row)
        lead_drawn = paint(first, "grey") if first.strip() else first
        yield lead_drawn + (paint(text, whole) if whole else text)


def _painted(paint: Paint, piece: Piece, whole: str | None) -> str:
    """Paint a piece, unless the whole line has one colour."""
    text, colour = piece
    return paint(text, colour) if colour and not whole else text


def _words(text: str) -> list[Word]:
    """Split into words, whose pieces have the colour that their markup stands for."""
    words: list[Word] = [[]]
    for part in _PARTS.split(printable(text)):
        colour = {"`": "cyan", "*": "green"}.get(part[:1]) if _PARTS.fullmatch(part) else None
        for run in re.findall(r"\s+|\S+", part.strip("`*") if colour else part):
            if run.isspace():
                words.append([])
            else:
                words[-1].append((run, colour))
    return [word for word in words if word]


def _rows(words: list[Word], columns: int) -> Iterator[list[Word]]:
    """Fill lines with words; an empty text is one empty line."""
    row: list[Word] = []
    used = 0
    for word in words:
        taken = sum(screen.width(text) for text, _ in word)
        if row and used + 1 + taken > columns:
            yield row
            row, used = [], 0
        used += taken + (1 if row else 0)
        row.append(word)
    yield row
