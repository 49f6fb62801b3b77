"""What changed in the project after a checkpoint, as a load reports it."""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from hansard.kernel.model import Model
from hansard.kernel.model_answer import UNTOLD


class ChangeSince(Model):
    """Something that has changed."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    by: str
    """Who changed it last."""
    session: str | None = None
    """Where."""
    seq: Annotated[int, UNTOLD]
    """The entry that did it."""

    @property
    def whom(self) -> str:
        """Say who, and in which session."""
        return f"{self.by} in {self.session}" if self.session else self.by


class RecordChanged(ChangeSince):
    """A record that was created, written, moved or put into another state."""

    id: str
    title: str
    state: str
    how: Literal["created", "updated", "transitioned", "moved"]

    def text(self) -> str:
        """Give it in a few words."""
        how = f"now {self.state}" if self.how == "transitioned" else self.how
        return f"{self.id} {self.title} ({how} by {self.whom})"


class FileChangedSince(ChangeSince):
    """A file that an agent changed, or that was found changed."""

    path: str
    how: Literal["create", "edit", "delete", "move", "external"]

    def text(self) -> str:
        """Give it in a few words."""
        how = "changed from outside, seen" if self.how == "external" else self.how
        return f"{self.path} ({how} by {self.whom})"


class SupersededSince(ChangeSince):
    """A decision that no longer holds, and the one that does."""

    id: str
    title: str
    supersededBy: str

    def text(self) -> str:
        """Give it in a few words."""
        return f"{self.id} {self.title} (now {self.supersededBy}, by {self.whom})"


class Since(Model):
    """What has changed: of each kind the newest few, and how many there are."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    ticksPassed: int
    recordsChanged: list[RecordChanged] = Field(default_factory=list)
    recordsTotal: int = 0
    filesChanged: list[FileChangedSince] = Field(default_factory=list)
    filesTotal: int = 0
    decisionsSuperseded: list[SupersededSince] = Field(default_factory=list)
    decisionsTotal: int = 0

    def text(self) -> str:
        """Give a line for each kind of change."""
        lines = [
            _line("record changed", "records changed", self.recordsChanged, self.recordsTotal),
            _line("file changed", "files changed", self.filesChanged, self.filesTotal),
            _line(
                "decision superseded",
                "decisions superseded",
                self.decisionsSuperseded,
                self.decisionsTotal,
            ),
        ]
        writes = f"{self.ticksPassed} write{'s' * (self.ticksPassed != 1)}"
        changed = [line for line in lines if line]
        if not changed:
            # A file that a person has just saved may not be recorded yet.
            return f"Since then {writes}; no record, file or decision has changed that is recorded."
        return "\n".join([f"Since then {writes}:", *changed])


def _line(
    one: str,
    many: str,
    changes: Sequence[RecordChanged | FileChangedSince | SupersededSince],
    total: int,
) -> str:
    if not total:
        return ""
    shown = "; ".join(change.text() for change in changes)
    rest = f"; … and {total - len(changes)} more" if total > len(changes) else ""
    return f"{total} {one if total == 1 else many}: {shown}{rest}"
