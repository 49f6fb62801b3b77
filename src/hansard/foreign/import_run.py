"""Imports what was read by ordinary operations, one item at a time, none twice.

Each write carries the item it takes over, in its own transaction (`kernel/origin.py`). So an import
that was cut off goes on when it is asked for again, one that is repeated adds nothing, and a source
that has grown adds what is new. A dry run looks the same items up, and writes nothing.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import Any

from hansard.app.application import Application
from hansard.foreign import limits
from hansard.foreign.items import Skipped
from hansard.kernel import origin
from hansard.kernel.blob import canonical_json, digest_of
from hansard.kernel.engine import Row
from hansard.kernel.event import Actor
from hansard.kernel.limits import ID_CHARS_MAX
from hansard.kernel.operation import Caller, Result
from hansard.kernel.problem import Problem, StorageUnavailable
from hansard.sessions.contract import ProjectArchived, ProjectNotFound

Progress = Callable[[str, int], None]
"""Hears what is being taken over, and how many of it are done."""


@dataclass(slots=True)
class ImportReport:
    """What an import did, or would do."""

    new: Counter[str] = field(default_factory=Counter)
    known: Counter[str] = field(default_factory=Counter)
    """What was here already."""
    changed: Counter[str] = field(default_factory=Counter)
    """What was here, and has changed where it came from."""
    skipped: Counter[str] = field(default_factory=Counter)
    """By reason: what was left out."""
    places: dict[str, list[str]] = field(default_factory=dict)
    """By reason: some of the places."""

    def skip(self, one: Skipped) -> None:
        """Count what is left out, and say where the first of them are."""
        self.skipped[one.reason] += 1
        shown = self.places.setdefault(one.reason, [])
        if len(shown) < limits.SKIPPED_SHOWN_MAX:
            shown.append(one.place)


@dataclass(frozen=True, slots=True)
class Source:
    """Where it comes from, as messages name it."""

    format: str
    label: str
    """Tells sources of one format apart whose items have no names of their own."""
    folder: PurePosixPath
    """The folder that stands for this workspace in what was recorded there."""


NO_PLACE = (StorageUnavailable, ProjectNotFound, ProjectArchived)
"""What is refused with these is refused to all that follows."""


class ImportRun:
    """One import: asks, writes, counts."""

    def __init__(
        self,
        application: Application,
        caller: Caller,
        source: Source,
        *,
        is_dry: bool = False,
        progress: Progress = lambda *_: None,
    ) -> None:
        """Take over by this application, as this caller."""
        self.application = application
        self.caller = caller
        self.source = source
        self.is_dry = is_dry
        self.report = ImportReport()
        self._progress = progress

    @property
    def project(self) -> str:
        """The key of the project that it goes into."""
        return self.application.own_project()

    def taken(self, key: str) -> Row | None:
        """Say what was made of an item, if it was taken over before."""
        item = self.item(key)
        return self.application.store.read(self.project, lambda tx: origin.taken(tx, item))

    def item(self, key: str) -> str:
        """Name an item as the journal does; a name that is too long is told by its digest."""
        if len(key) <= ID_CHARS_MAX and "\0" not in key:
            return key
        return f"{self.source.format}:sha256:{digest_of(key.encode(errors='replace'))}"

    def is_new(self, kind: str, key: str, content: Any) -> bool:
        """Whether an item is to be written; counts it either way."""
        row = self.taken(key)
        if row is None:
            self.report.new[kind] += 1
            self._progress(kind, self.report.new[kind])
            return True
        if row["digest"] == content_digest(content):
            self.report.known[kind] += 1
            return False
        self.report.changed[kind] += 1
        return True

    def write(
        self,
        name: str,
        arguments: Mapping[str, Any],
        key: str,
        content: Any,
        *,
        at: str | None = None,
        application: Application | None = None,
        **circumstances: Any,
    ) -> Result | None:
        """Do one write that takes an item over; `None` if another import did so meanwhile."""
        told = origin.Origin(self.source.format, self.item(key), content_digest(content), at)
        caller = replace(self.caller, origin=told, **circumstances)
        try:
            return (application or self.application).call(name, arguments, caller)
        except origin.AlreadyTakenOver:
            return None

    @staticmethod
    def require_going(problem: Problem) -> None:
        """Raise again what is no refusal of one item: the store itself, or who asks."""
        if isinstance(problem, NO_PLACE) or problem.http_status in {401, 403, 429, 503}:
            raise problem


def content_digest(content: Any) -> str:
    """Give the digest that distinguishes a changed item from the same one."""
    return digest_of(canonical_json(content))


def actor(format_name: str) -> Actor:
    """Say who takes over: an agent that says where it has it from."""
    return Actor("agent", f"import:{format_name}", "agent")


def in_order(items: Iterable[Any], above: Callable[[Any], str | None]) -> Iterator[Any]:
    """Give items each after the one above it; one whose chain leads back to itself comes as is."""
    waiting = {one.key: one for one in items}
    while waiting:
        chain: list[Any] = []
        one = next(iter(waiting.values()))
        while one is not None and one not in chain:
            chain.append(one)
            one = waiting.get(above(one) or "")
        for done in reversed(chain):
            waiting.pop(done.key, None)
            yield done
