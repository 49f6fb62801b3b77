"""`hansard replay`: a session as one HTML file that opens without Hansard."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

import orjson
import typer

from hansard.app.application import Application
from hansard.app.keeping.files import made_whole, write_durably
from hansard.cli.desk import BUDGET_TOKENS, Desk, desk, pages
from hansard.cli.flags import Flags
from hansard.cli.options import Json, settings_flags
from hansard.cli.recorded import session_finding
from hansard.cli.terminal.stderr import say
from hansard.cli.terminal.text import print_json
from hansard.kernel.clock import to_text, utc_now
from hansard.kernel.limits import LIST_LIMIT_MAX
from hansard.kernel.operation import Result
from hansard.kernel.problem import BlobDamaged, InvalidInput
from hansard.kernel.text import counted
from hansard.recorder.answers import EvolutionAnswer, FileEvolved, RevisionShown, TimelineAnswer
from hansard.recorder.story.answers import StoryAnswer
from hansard.sessions import projects
from hansard.sessions.directory import find_session, project_of
from hansard.sessions.wording import titled

MEGABYTE = 1_000_000
ROOM_MB = 20
"""A size that a mail or a pull request accepts, and a browser opens at once."""

SUFFIX = ".html"
NAME_CHARS_MAX = 60

TEMPLATE = "replay.html"
SLOT = b"__SESSION__"
"""Where the session goes in the template, which `web/apps/build.mjs` makes."""

NO_ROOM = "Left out of this file, which had no room for it"

Shown = dict[str, Any]


@settings_flags
def replay(
    flags: Flags,
    session: Annotated[
        str | None,
        typer.Argument(
            metavar="[SESSION]", help="Which session; else the latest that changed a file."
        ),
    ] = None,
    file: Annotated[
        Path | None,
        typer.Argument(metavar="[FILE]", help="A new file; else one here, named for the session."),
    ] = None,
    *,
    max_mb: Annotated[
        int, typer.Option(min=1, metavar="N", help="How much of the session it may hold.")
    ] = ROOM_MB,
    json: Json = False,
) -> int:
    """Write a session into an HTML file that replays it: timeline, story, the films of its files.

    Anyone who has the file can read all of it; it needs no server and no network.
    """
    if session and file is None and session.endswith(SUFFIX):
        file, session = Path(session), None
    write_replay(flags, session, file, max_mb=max_mb, json=json)
    return 0


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(replay)


def write_replay(
    flags: Flags,
    named: str | None,
    file: Path | None,
    *,
    max_mb: int = ROOM_MB,
    json: bool = False,
) -> None:
    """Write the file, and say what it holds."""
    if named == "":
        raise InvalidInput("Which session?", hint="`hansard sessions` lists them")
    with desk(flags) as opened:
        session = opened.named_session(named) or _latest(opened)
        recording = record(opened, session, Room(max_mb * MEGABYTE))
    file = file or Path(file_name(session, recording))
    page = page_of(recording)
    _write(file, page)
    left_out = recording["left_out"]
    if json:
        told_file = {"session_id": session, "file": str(file)}
        print_json(told_file | {"bytes": len(page), "left_out": left_out})
        return
    counts = (
        f"{counted(len(recording['timeline']), 'entry', 'entries')}, "
        f"{counted(len(recording['files']), 'file', 'files')}"
    )
    print(f"{file}: {counts}, {len(page):,} bytes")
    for sentence in left_out:
        say(sentence)


def _latest(opened: Desk) -> str:
    """Give the latest session that changed a file, and say if it is not the latest of all."""
    latest = opened.latest_session()
    for one in session_finding.sessions_of(opened.ask):
        if one.edits:
            if one.session_id != latest:
                title = f" ({titled(one.title)})" if one.title else ""
                found = f"{one.session_id}{title}"
                say(f"{latest}, the latest session, changed no file: this is {found}")
            return one.session_id
    say(f"No session has changed a file yet: this is {latest}, the latest")
    return latest


def file_name(session: str, recording: Shown) -> str:
    """Name a file for a session: by its title, where that has letters, else by its id."""
    title = next((page.get("title") for page in recording["story"]), None) or ""
    words = re.findall(r"\w+", title.casefold())
    return f"{'-'.join(words)[:NAME_CHARS_MAX].strip('-') or session}{SUFFIX}"


def _write(file: Path, page: bytes) -> None:
    """Write a new file, whole or not at all."""
    with made_whole(file) as incoming:
        write_durably(incoming, [page])


def page_of(recording: Shown) -> bytes:
    """Put a session into the page. Its text cannot end an element, whatever it says."""
    template = files("hansard.cli").joinpath(TEMPLATE).read_bytes()
    head, _, tail = template.partition(SLOT)
    text = orjson.dumps(recording)
    for char in b"<>&":
        text = text.replace(bytes([char]), b"\\u%04x" % char)
    return head + text + tail


@dataclass
class Room:
    """How much may still go into the file."""

    left_bytes: int

    def take(self, result: Any) -> bool:
        """Reserve the space that something needs; `False` if there is too little."""
        size = len(orjson.dumps(result))
        if size > self.left_bytes:
            return False
        self.left_bytes -= size
        return True


def record(opened: Desk, session: str, room: Room) -> Shown:
    """Gather what is known about a session, the story first, and as much else as fits."""
    left_out: list[str] = []
    story = _story(opened, session, room, left_out)
    timeline = _timeline(opened, session, room, left_out)
    newest = timeline[0]["seq"] if timeline else 0
    films = _Films(opened, session, newest, room)
    films.gather()
    left_out += films.left_out()
    return {
        "project": _project(opened.application, session),
        "session_id": session,
        "exported_at": to_text(utc_now()),
        "story": story,
        "timeline": timeline,
        "files": films.files,
        "contents": films.contents,
        "missing": films.missing,
        "left_out": left_out,
    }


def _project(application: Application, session: str) -> str:
    """Name the project whose session is shown."""
    store, own = application.store, application.own_project()
    led = project_of(session)
    is_elsewhere = led is not None and find_session(store, session, own) is None
    line = projects.line(store, led if led and is_elsewhere else own)
    return str(line["id"]) if line else application.home.name(store)


def _story(opened: Desk, session: str, room: Room, left_out: list[str]) -> list[Shown]:
    told: list[Shown] = []
    asked = {"session_id": session, "budget_tokens": BUDGET_TOKENS}
    for page in pages(opened.ask, StoryAnswer, "get_story", **asked):
        shown = _plain(page)
        if not room.take(shown):
            left_out.append("The story goes on, and had no room.")
            break
        told.append(shown)
    return told


def _timeline(opened: Desk, session: str, room: Room, left_out: list[str]) -> list[Shown]:
    items: list[Shown] = []
    asked = {"session_id": session, "limit": LIST_LIMIT_MAX, "budget_tokens": BUDGET_TOKENS}
    for page in pages(opened.ask, TimelineAnswer, "get_timeline", **asked):
        shown = _plain(page)["timeline"]
        if not room.take(shown):
            before = f"before s:{items[-1]['seq']} " if items else ""
            left_out.append(f"The entries {before}had no room.")
            break
        items += shown
    return items


@dataclass
class _Films:
    """What the files of a session were, from right before it touched them to its last change."""

    opened: Desk
    session: str
    newest: int
    """The last entry of the session that the file shows."""
    room: Room
    files: list[Shown] = field(default_factory=list)
    contents: dict[str, str] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)
    """By digest: why a content is missing. What is in neither is not text."""
    _binary: set[str] = field(default_factory=set)
    _files_left_out: int = 0

    def gather(self) -> None:
        """Read revisions first, so that contents take only what room they leave."""
        films: list[tuple[str, list[RevisionShown]]] = []
        for page in self._evolution():
            for file in page.files or ():
                films += self._film(file)
        for path, revisions in films:
            for revision in revisions:
                self._hold(path, revision)

    def left_out(self) -> list[str]:
        """Say what did not fit."""
        contents = sum(1 for why in self.missing.values() if why == NO_ROOM)
        counts = {"files": self._files_left_out, "contents of revisions": contents}
        return [f"{count:,} {what} had no room." for what, count in counts.items() if count]

    def _film(self, file: FileEvolved) -> Iterator[tuple[str, list[RevisionShown]]]:
        pages = self._evolution(path=file.path)
        known = [one for page in pages for one in page.revisions or () if one.seq <= self.newest]
        own = [place for place, one in enumerate(known) if one.session_id == self.session]
        if not own:
            return
        # The latest come first; the one before the session's first is what its film begins with.
        revisions = known[own[0] : own[-1] + 2]
        shown = {"file": _plain(file), "revisions": [_plain(one) for one in revisions]}
        if not self.room.take(shown):
            self._files_left_out += 1
            return
        self.files.append(shown)
        yield file.path, revisions

    def _hold(self, path: str, revision: RevisionShown) -> None:
        digest = revision.sha256
        is_known = digest in self.contents or digest in self.missing or digest in self._binary
        if digest is None or revision.redacted or is_known:
            return
        try:
            [answer] = self._evolution(path=path, revision=revision.revision)
        except BlobDamaged as problem:
            self.missing[digest] = problem.message
            return
        if answer.content is None or answer.encoding == "base64":
            self._binary.add(digest)
        elif self.room.take(answer.content):
            self.contents[digest] = answer.content
        else:
            self.missing[digest] = NO_ROOM

    def _evolution(self, **asked: object) -> Iterator[EvolutionAnswer]:
        asked |= {"session_id": self.session, "limit": LIST_LIMIT_MAX}
        return pages(self.opened.ask, EvolutionAnswer, "get_evolution", **asked)


def _plain(shown: Result | FileEvolved | RevisionShown) -> Shown:
    plain: Shown = shown.model_dump(mode="json", exclude_none=True)
    return plain
