"""The findings of a verification, as values for a person, for `--json` and for the exit code."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from hansard.kernel.blob import Digest

Severity = Literal["broken", "unreadable", "drift"]
"""Damage; what could not be checked; what is off but mends itself or awaits someone."""

Check = Literal[
    "store", "folder", "anchors", "database", "head", "chain", "blobs", "views", "git", "intents"
]

Progress = Callable[[str, str, int, int], None]
"""Hears which project and check is under way, how much of it is done, and of how much."""

FINDINGS_MAX = 100
"""Findings listed per project and check: past this, the rest say nothing new."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is not as it should be, and where."""

    severity: Severity
    check: Check
    project: str
    message: str
    where: dict[str, Any] = field(default_factory=dict)
    """What names the place for a program: seq, digest, table, key."""


@dataclass(frozen=True, slots=True)
class ViewDifference:
    """A row, a document, or a column of rows that is not what a rebuild makes."""

    table: str
    """The table, or the topic of a document."""
    message: str
    key: str | None = None


class Findings:
    """Gathers findings, as many as one would read."""

    def __init__(self) -> None:
        """Start with none."""
        self._found: list[Finding] = []
        self._counts: Counter[tuple[str, str]] = Counter()
        self.left_out = 0

    def __iter__(self) -> Iterator[Finding]:
        """Go through what was found."""
        return iter(self._found)

    def broken(self, check: Check, project: str, message: str, **where: object) -> None:
        """Note damage."""
        self._add("broken", check, project, message, where)

    def unreadable(self, check: Check, project: str, message: str, **where: object) -> None:
        """Note what could not be checked."""
        self._add("unreadable", check, project, message, where)

    def drift(self, check: Check, project: str, message: str, **where: object) -> None:
        """Note what is off without being damaged."""
        self._add("drift", check, project, message, where)

    def take(self, found: Sequence[Finding], left_out: int) -> None:
        """Note what another process found in a project, as if it had been found here."""
        for one in found:
            self._add(one.severity, one.check, one.project, one.message, one.where)
        self.left_out += left_out

    def _add(
        self,
        severity: Severity,
        check: Check,
        project: str,
        message: str,
        where: Mapping[str, object],
    ) -> None:
        place = (check, project)
        self._counts[place] += 1
        if self._counts[place] <= FINDINGS_MAX:
            # A damaged row may hold anything, and JSON does not.
            named = {
                name: value if isinstance(value, str | int | None) else repr(value)
                for name, value in where.items()
            }
            self._found.append(Finding(severity, check, project, message, named))
        else:
            self.left_out += 1


@dataclass(frozen=True, slots=True)
class Checked:
    """How much of one project was checked."""

    project: str
    entries: int
    seq: int
    hash: Digest
    blobs: int
    rows: int | None
    """Rows compared with a rebuild; `None` when they were not."""
    redacted: int = 0
    """Entries and blobs whose content a person has had erased."""


@dataclass(frozen=True, slots=True)
class OpenIntent:
    """A change to the world that was announced and has no outcome yet."""

    project: str
    seq: int
    kind: str
    owner: str
    alive: bool | None
    """Whether its owner still runs; `None` when that is unknown here."""


@dataclass(frozen=True, slots=True)
class ReceiptFound:
    """A receipt someone kept, and the project whose journal holds it, if one does."""

    seq: int
    hash: str
    project: str | None


@dataclass(frozen=True, slots=True)
class Report:
    """All that a verification saw."""

    quick: bool
    projects: tuple[Checked, ...]
    findings: tuple[Finding, ...]
    open_intents: tuple[OpenIntent, ...]
    receipts: tuple[ReceiptFound, ...]
    left_out: int = 0
    """Findings beyond those listed."""

    @property
    def exit_code(self) -> int:
        """Give 0 sound, 1 drift or a dead owner's open intents only, 2 broken, 3 cannot read."""
        severities = {finding.severity for finding in self.findings}
        if "broken" in severities or any(one.project is None for one in self.receipts):
            return 2
        if "unreadable" in severities:
            return 3
        dead = any(intent.alive is False for intent in self.open_intents)
        return 1 if dead or "drift" in severities else 0

    def as_dict(self) -> dict[str, Any]:
        """Give the report as JSON says it."""
        return {"exit_code": self.exit_code, "sound": self.exit_code == 0, **asdict(self)}
