"""`hansard timeline`: what happened in a session, oldest first, and live."""

import sys
from collections.abc import Callable, Iterator
from typing import Annotated

import typer

from hansard.cli.desk import BUDGET_TOKENS, Desk, desk, pages
from hansard.cli.flags import Flags
from hansard.cli.options import Json, SessionOrLatest, settings_flags
from hansard.cli.terminal import screen
from hansard.cli.terminal.text import painter, print_json, printable
from hansard.kernel.limits import LIST_LIMIT_DEFAULT, LIST_LIMIT_MAX
from hansard.recorder.answers import TimelineAnswer, TimelineItem
from hansard.recorder.events import step_name

WAKE_S = 1.0
"""How long a wait for news lasts at most, so that Ctrl-C is never far."""

KIND_COLOURS = {"external_change": "yellow", "file_refused": "red"}
STATUS_COLOURS = {
    "aborted": "red",
    "conflict": "red",
    "open": "yellow",
    "recovered": "yellow",
}

Show = Callable[[TimelineItem], None]
Fetch = Callable[[int], Iterator[TimelineItem]]
"""Gives items newest first, a number at a time."""


@settings_flags
def timeline(
    flags: Flags,
    of: SessionOrLatest = None,
    *,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on as it grows.")] = False,
    limit: Annotated[
        int, typer.Option(min=1, metavar="N", help="The newest so many.")
    ] = LIST_LIMIT_DEFAULT,
    kind: Annotated[
        list[str] | None,
        typer.Option(metavar="KIND", help="Only this kind, such as file_edit; may be repeated."),
    ] = None,
    path: Annotated[str | None, typer.Option(help="Only what is about this file.")] = None,
    actor: Annotated[
        str | None, typer.Option(metavar="WHO", help="Only of human, agent, system or outside.")
    ] = None,
    json: Json = False,
) -> None:
    """Show what happened in a session, oldest first."""
    with desk(flags) as opened:
        named = opened.session(of)
        fetch = _fetcher(opened, named, kinds=kind or None, path=path, actor=actor)
        show = _show_json if json else _line_printer()
        # Before anything is printed: there may be no such session.
        shown = _first(fetch, limit)
        if not json:
            print(painter()(f"Session {printable(named)}", "yellow"), flush=True)
        if follow:
            _follow(opened, fetch, shown, show)
            return
        for item in reversed(shown):
            show(item)
        if not shown and not json:
            print("Nothing is on its timeline.")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(timeline)


def _fetcher(opened: Desk, session: str, **chosen: object) -> Fetch:
    def fetch(limit: int) -> Iterator[TimelineItem]:
        listed = pages(
            opened.ask,
            TimelineAnswer,
            "get_timeline",
            session_id=session,
            limit=min(limit, LIST_LIMIT_MAX),
            budget_tokens=BUDGET_TOKENS,
            **chosen,
        )
        return (item for page in listed for item in page.timeline)

    return fetch


def _first(fetch: Fetch, limit: int) -> list[TimelineItem]:
    return [item for item, _ in zip(fetch(limit), range(limit), strict=False)]


def _follow(opened: Desk, fetch: Fetch, found: list[TimelineItem], show: Show) -> None:
    """Show what was found, then what comes; an operation under way is shown again as it ends."""
    watch = opened.application.store.engine.watch()
    try:
        newest, under_way = 0, set[int]()
        while True:
            for item in reversed(found):
                show(item)
                under_way.discard(item.seq)
                if item.status == "open":
                    under_way.add(item.seq)
            newest = max([newest, *(item.seq for item in found)])
            watch.wait(WAKE_S)
            found = list(news(fetch, newest, under_way))
    except KeyboardInterrupt:
        return
    finally:
        watch.close()


def news(fetch: Fetch, newest: int, under_way: set[int]) -> Iterator[TimelineItem]:
    """Give what was not shown yet, newest first."""
    oldest = min([newest + 1, *under_way])
    for item in fetch(LIST_LIMIT_DEFAULT):
        if item.seq < oldest:
            return
        if item.seq > newest or (item.seq in under_way and item.status != "open"):
            yield item


def _line_printer() -> Show:
    return _Screen().show if sys.stdout.isatty() else _show_line


def _show_line(item: TimelineItem) -> None:
    at = f"{item.when[:10]} {item.when[11:19]}"
    said = f"{printable(item.actor)} {printable(item.summary)}{_ending(item)}"
    print(f"s:{item.seq} {at} {said}", flush=True)


class _Screen:
    """Shows lines that fit the terminal, the day only where it changes."""

    def __init__(self) -> None:
        self._paint = painter()
        self._day = ""

    def show(self, item: TimelineItem) -> None:
        paint, day = self._paint, item.when[:10]
        if day != self._day:
            print(paint(day, "grey"))
            self._day = day
        place, at, who, end = (
            f"s:{item.seq}",
            item.when[11:19],
            printable(item.actor),
            _ending(item),
        )
        room = screen.columns() - sum(map(screen.width, (place, at, who, end))) - len("   ")
        said = screen.cut(printable(item.summary), max(room, 1))
        colour = KIND_COLOURS.get(item.kind)
        said = paint(said, colour) if colour else said
        end = paint(end, STATUS_COLOURS.get(item.status or "", "grey")) if end else end
        head = f"{paint(place, 'yellow')} {paint(at, 'grey')} {paint(who, 'cyan')}"
        print(f"{head} {said}{end}", flush=True)


def _ending(item: TimelineItem) -> str:
    """Say how it went, if the summary does not, and what step it belongs to."""
    status = f" [{item.status}]" if item.status in STATUS_COLOURS else ""
    under = f" ({step_name(item.index)})" if item.index is not None and item.path else ""
    undone = f" (undone by s:{item.undone_by})" if item.undone_by else ""
    return f"{status}{under}{undone}"


def _show_json(item: TimelineItem) -> None:
    print_json(item.model_dump(mode="json", exclude_none=True))
    sys.stdout.flush()
