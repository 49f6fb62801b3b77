"""`hansard watch`: records what others do to the workspace's files."""

import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Annotated, Literal

import typer

from hansard.app.application import Application
from hansard.app.catalog import Catalog
from hansard.app.settings import Settings, key_location, load
from hansard.app.start import catalog, start, workspace_mark
from hansard.cli.cli_session import looking, sitting
from hansard.cli.desk import pages, told
from hansard.cli.flags import Flags
from hansard.cli.opened_store import store_folder
from hansard.cli.options import Json, settings_flags
from hansard.cli.terminal.stderr import say
from hansard.cli.terminal.text import painter, print_json, printable
from hansard.kernel.limits import LIST_LIMIT_MAX
from hansard.kernel.operation import Caller, Result
from hansard.kernel.problem import InvalidInput, StorageUnavailable
from hansard.recorder import limits, watching
from hansard.recorder.answers import EvolutionAnswer
from hansard.recorder.gateway import Gateway
from hansard.recorder.watching import FileSeen, FilesSeenAnswer, Ignoring

QUIET_MS = 50
"""Changes are taken together until none has come for so long,"""

GATHER_MS = 1_000
"""but after this at the latest."""

LOOK_MS = 200
"""How long a wait for changes lasts at most, so that what failed is soon tried again."""

MANY_FILES = 1_000
"""More files than can be checked at once without a pause."""

COLOURS = {
    "created": "green",
    "changed": "yellow",
    "moved": "yellow",
    "deleted": "red",
    "skipped": "grey",
}

Show = Callable[[FileSeen], None]
Noticed = Literal["there", "new", "changed"]
"""That a file exists, was created, or has changed."""


@settings_flags
def watch(
    flags: Flags,
    *,
    ignore: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATTERN",
            help="Leave this out too: a name such as *.log, or a path; may be repeated.",
        ),
    ] = None,
    first_look: Annotated[
        bool,
        typer.Option(
            "--first-look/--no-first-look",
            help="Begin by recording every file as it is, so that its first change can be shown.",
        ),
    ] = True,
    json: Json = False,
) -> None:
    """Record what others change in the workspace, live, until Ctrl-C."""
    settings = load(flags)
    root = Path(settings.workspace).expanduser().resolve()
    if not root.is_dir():
        raise InvalidInput(f"The workspace {root} is no folder", hint="Name it with --workspace")
    # A signal from outside ends it as cleanly as Ctrl-C does.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    ignoring = Ignoring((*watching.IGNORED, *(ignore or ())))
    with begin_watching(
        settings, root, ignoring, _show_json if json else _line_printer()
    ) as watch_state:
        with suppress(KeyboardInterrupt):
            _watch(watch_state, first_look=first_look)
        say(f"Recorded {watch_state.recorded} changes.")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(watch)


@dataclass(slots=True)
class WatchState:
    """What is watched, what is known to exist, and what is still to be read."""

    application: Application
    caller: Caller
    root: Path
    ignoring: Ignoring
    show: Show
    known: set[str] = field(default_factory=set)
    left: dict[str, Noticed] = field(default_factory=dict)
    """Paths to read, each with what was noticed."""
    recorded: int = 0
    has_complained: bool = False

    def look_over(self) -> int:
        """Read every file that exists or existed; returns how many."""
        self.known |= set(self.ignoring.files_below(self.root))
        if len(self.known) >= MANY_FILES:
            say(f"Looking at {len(self.known):,} files first.")
        self.left |= dict.fromkeys(sorted(self.known), "there")
        self.look()
        return len(self.known)

    def note(self, changes: Sequence[tuple[bool, str]]) -> None:
        """Note what has changed: new or not, and where. A folder stands for what is in it."""
        for is_new, path in sorted(changes):
            place = self.root / path
            if place.is_symlink() or not place.is_dir():
                inside = [one for one in self.known if one.startswith(f"{path}/")]
                self._note([path, *inside] if path not in self.known else [path], is_new=is_new)
            elif is_new:
                # Nobody was notified of files put into a new folder before it was watched.
                self._note(self.ignoring.files_below(self.root, path), is_new=True)

    def look(self) -> None:
        """Record what is new about the files to read; one that cannot be read now stays."""
        busy: dict[str, Noticed] = {}
        batch = limits.OPS_MAX
        while self.left:
            some = dict(islice(self.left.items(), batch))
            try:
                seen = self._see(some)
            except StorageUnavailable as problem:
                if len(some) > 1:
                    # One of them may be busy; that is no reason to miss the others.
                    batch = 1
                    continue
                busy |= some
                self._complain(problem)
            else:
                self._tell(seen)
            for path in some:
                del self.left[path]
        self.left = busy
        self.has_complained = bool(busy)

    def recorded_files(self) -> Iterator[str]:
        """Name the files of this workspace that were there when last recorded."""
        caller = looking()

        def ask(operation: str, **asked: object) -> Result:
            return self.application.call(operation, asked, caller)

        listed = pages(ask, EvolutionAnswer, "get_evolution", limit=LIST_LIMIT_MAX)
        return (file.path for page in listed for file in page.files or () if file.sha256)

    def _see(self, some: dict[str, Noticed]) -> FilesSeenAnswer:
        asked = {"paths": list(some)}
        for noticed in ("new", "changed"):
            asked[noticed] = [path for path, what in some.items() if what == noticed]
        return told(FilesSeenAnswer, self.application.call("see_files", asked, self.caller))

    def _complain(self, problem: StorageUnavailable) -> None:
        """Report an obstacle, once until it is gone."""
        if not self.has_complained:
            self.has_complained = True
            say(f"hansard: {problem.message}; it is tried again until it works")

    def _note(self, paths: Sequence[str] | Iterator[str], *, is_new: bool) -> None:
        for path in paths:
            was_new = self.left.get(path) == "new"
            self.left[path] = "new" if is_new or was_new else "changed"
            self.known.add(path)

    def _tell(self, seen: FilesSeenAnswer) -> None:
        for file in seen.files:
            if file.what not in ("found", "skipped"):
                self.recorded += 1
            if file.what != "found":
                self.show(file)


@contextmanager
def begin_watching(
    settings: Settings, root: Path, ignoring: Ignoring, show: Show
) -> Iterator[WatchState]:
    """Open the store for the time of watching, under a session that ends with it."""
    gateway = Gateway(
        root,
        store=store_folder(settings),
        redact=settings.redact == "on",
        key_file=key_location(settings),
        mark=partial(workspace_mark, root),
    )
    known = Catalog([*catalog(settings).parts, watching.capability(gateway)])
    application = start(settings, known=known)
    with closing(application), sitting(application, settings, asks=False) as caller:
        yield WatchState(application, caller, root, ignoring, show)


def _watch(watch_state: WatchState, *, first_look: bool) -> None:
    from watchfiles import Change
    from watchfiles import watch as changes_of

    def is_watched(_: Change, path: str) -> bool:
        return not watch_state.ignoring.leaves_out(_place(watch_state.root, path))

    is_begun = False
    for changes in changes_of(
        watch_state.root,
        watch_filter=is_watched,
        debounce=GATHER_MS,
        step=QUIET_MS,
        rust_timeout=LOOK_MS,
        yield_on_timeout=True,
        ignore_permission_denied=True,
    ):
        if not is_begun:
            # Only now, since from here no change is missed.
            is_begun = True
            _begin(watch_state, first_look=first_look)
        watch_state.note(
            [(kind is Change.added, _place(watch_state.root, path)) for kind, path in changes]
        )
        watch_state.look()


def _begin(watch_state: WatchState, *, first_look: bool) -> None:
    watch_state.known |= {
        path for path in watch_state.recorded_files() if not watch_state.ignoring.leaves_out(path)
    }
    number = watch_state.look_over() if first_look else None
    files = "" if number is None else f" ({number} files)"
    say(f"Watching {printable(str(watch_state.root))}{files}. Ctrl-C ends it.")


def _place(root: Path, path: str) -> str:
    return Path(path).relative_to(root).as_posix()


def _line_printer() -> Show:
    paint = painter()

    def show(file: FileSeen) -> None:
        place = f"s:{file.seq} " if file.seq else ""
        secret = f" (content not recorded: {', '.join(file.redacted)})" if file.redacted else ""
        print(
            f"{paint(place, 'yellow')}{paint(printable(file.summary), COLOURS[file.what])}{secret}",
            flush=True,
        )

    return show


def _show_json(file: FileSeen) -> None:
    print_json(file.model_dump(mode="json", exclude_none=True))
    sys.stdout.flush()
