"""Answers of the operations on checkpoints."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from hansard.checkpoints.changes_since import Since
from hansard.checkpoints.json_diff import Difference
from hansard.checkpoints.key_classes import Class
from hansard.kernel.blob import canonical_json
from hansard.kernel.model import Model
from hansard.kernel.model_answer import KEPT, PROOF, SECONDS, UNTOLD, only
from hansard.kernel.operation import Flagged, Result, Written
from hansard.kernel.text import counted
from hansard.sessions.citations import CitingAnswer

_SHOWN_CHARS = 80


class CheckpointSavedAnswer(CitingAnswer):
    """How a save went."""

    checkpointId: str
    sessionId: str
    status: Literal["SAVED", "SKIPPED_UNCHANGED"]
    code: Annotated[Literal["CONTEXT_UNCHANGED"] | None, UNTOLD] = None
    """The source's word for what was skipped; it is no error."""
    sizeBytes: int
    contextHash: Annotated[str, PROOF]
    amended: list[str] | None = None
    """The metadata that was added to the checkpoint that already holds the context."""
    warning: str | None = None

    def text(self) -> str:
        """Say which checkpoint holds the context now."""
        how = "saved" if self.status == "SAVED" else "unchanged, so not saved again"
        line = f"{self.checkpointId} {how} ({self.sizeBytes:,} bytes) in session {self.sessionId}."
        amended = f"Its {_listed(self.amended)} now as given." if self.amended else None
        return " ".join(filter(None, (line, amended, self.warning)))


class OmittedKey(Model):
    """A key that was not returned whole."""

    model_config = ConfigDict(populate_by_name=True, serialize_by_alias=True)

    key: str
    class_: Class = Field(alias="class")
    how: Literal["dropped", "shortened"]
    chars: int
    """How long the whole is, as JSON."""
    itemsLeftOut: int | None = None
    """Of a list: how many of its oldest items are missing."""

    def text(self) -> str:
        """Give it in a few words."""
        items = f", its {self.itemsLeftOut:,} oldest items left out" if self.itemsLeftOut else ""
        return f"{self.key} ({self.how}{items}; {self.chars:,} chars whole)"


class CheckpointLoadedAnswer(Flagged):
    """A context as it was saved, and what has changed since."""

    checkpointId: str
    sessionId: str
    sessionTitle: str | None = None
    context: Annotated[dict[str, Any], KEPT]
    metadata: Annotated[
        dict[str, Any],
        only("name", "tags", "agentId", "createdAt", "cites", "extra", proof=["contextHash"]),
    ]
    critical: list[str] | None = None
    """The keys that its session has marked."""
    since: Since
    unknownKeys: list[str] | None = None
    """Keys that were asked for and that the context does not have."""
    omitted: list[OmittedKey] | None = None
    howToFetch: str | None = None
    warning: str | None = None

    def text(self) -> str:
        """Give the context as JSON, with what is missing and what has changed since."""
        parts = [f"{self._whose()}:", *self._known(), json_of(self.context)]
        if self.unknownKeys:
            parts.append(f"It has no key {', '.join(self.unknownKeys)}.")
        if self.omitted:
            left = ", ".join(one.text() for one in self.omitted)
            parts.append(f"Not whole: {left}. {self.howToFetch}")
        parts.append(self.since.text())
        return "\n".join([*parts, *([self.warning] if self.warning else [])])

    def _whose(self) -> str:
        """Say which checkpoint it is, whose, and from when."""
        titled = f" “{self.sessionTitle}”" if self.sessionTitle else ""
        line = f"{labelled(self.checkpointId, self.metadata)} of session {self.sessionId}{titled}"
        return f"{line}, saved {self.metadata['createdAt']} by {self.metadata['agentId']}"

    def _known(self) -> list[str]:
        """Give what else is known about it."""
        more = {key: self.metadata[key] for key in ("cites", "extra") if key in self.metadata}
        critical = f"critical: {', '.join(self.critical)}" if self.critical else None
        known = "; ".join(filter(None, (critical, json_of(more) if more else None)))
        return [known] if known else []


class CheckpointListed(Model):
    """A checkpoint in a list."""

    checkpointId: str
    sessionId: Annotated[str, UNTOLD]
    createdAt: Annotated[str, SECONDS]
    sizeBytes: int
    contextHash: Annotated[str, PROOF]
    metadata: Annotated[dict[str, Any], only("name", "tags")]

    def text(self) -> str:
        """Give one line."""
        line = f"{self.checkpointId} {self.createdAt[:19]} {self.sizeBytes:,} B"
        return labelled(line, self.metadata)


class CheckpointSession(Model):
    """The session whose checkpoints are listed."""

    id: str
    createdAt: Annotated[str, UNTOLD]
    lastAccessedAt: Annotated[str, UNTOLD]
    """When it was last active, or its context loaded."""
    tags: list[str]
    """Its own, and those of its checkpoints."""
    ownTags: Annotated[list[str], UNTOLD]
    totalSizeBytes: int
    critical: list[str]
    """The keys it has marked."""

    def text(self) -> str:
        """Give it in a few words."""
        tags = " ".join(f"#{tag}" for tag in self.tags)
        named = " ".join(filter(None, (self.id, tags)))
        marks = f"; critical: {', '.join(self.critical)}" if self.critical else ""
        return f"{named} ({self.totalSizeBytes:,} B){marks}"


class CheckpointListAnswer(Result):
    """A session's checkpoints, newest first."""

    checkpoints: list[CheckpointListed]
    total: int
    nextCursor: str | None = None
    session: CheckpointSession

    def text(self) -> str:
        """Give a line each."""
        lines = [checkpoint.text() for checkpoint in self.checkpoints]
        rest = [f"More: cursor={self.nextCursor}"] if self.nextCursor else []
        head = f"{counted(self.total, 'checkpoint')} of session {self.session.text()}"
        return "\n".join([head, *lines, *rest])


class CheckpointMarkedAnswer(Written):
    """How marking a key went."""

    status: Literal["SUCCESS", "KEY_NOT_FOUND"]
    message: str
    sessionId: str
    critical: Annotated[list[str], UNTOLD]
    """The keys that are marked now."""
    keys: list[str] | None = None
    """If the key was not found: the first few keys that exist."""

    def text(self) -> str:
        """Say it."""
        return self.message


class CheckpointsDeletedAnswer(Written):
    """What was deleted."""

    checkpointId: str
    sessionId: str

    def text(self) -> str:
        """Say it."""
        return f"{self.checkpointId} deleted."


class ContextsComparedAnswer(Result):
    """What differs between two contexts."""

    model_config = ConfigDict(populate_by_name=True, serialize_by_alias=True, extra="forbid")

    from_: str = Field(alias="from")
    to: str
    differences: list[Difference]
    total: int
    nextCursor: str | None = None

    def text(self) -> str:
        """Give a line for each place."""
        lines = [_changed(one) for one in self.differences]
        more = [f"More: cursor={self.nextCursor}"] if self.nextCursor else []
        return "\n".join(
            [f"{counted(self.total, 'difference')}, {self.from_} → {self.to}", *lines, *more]
        )


def labelled(line: str, metadata: dict[str, Any]) -> str:
    """Append a checkpoint's name and tags."""
    named = f"“{metadata['name']}”" if metadata.get("name") else ""
    return " ".join(filter(None, (line, named, *(f"#{tag}" for tag in metadata.get("tags", ())))))


def json_of(value: object) -> str:
    """Write a value as compact JSON."""
    return canonical_json(value).decode()


def _changed(one: Difference) -> str:
    old, new = (_cut(json_of(value)) for value in (one.old, one.new))
    if one.chars:
        return f"{_SIGNS[one.change]} {one.path}: {one.chars:,} chars"
    match one.change:
        case "added":
            return f"+ {one.path}: {new}"
        case "removed":
            return f"- {one.path}: {old}"
        case _:
            return f"~ {one.path}: {old} → {new}"


_SIGNS = {"added": "+", "removed": "-", "changed": "~"}


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN_CHARS else text[:_SHOWN_CHARS] + "…"


def _listed(names: Sequence[str]) -> str:
    *some, last = names
    return f"{', '.join(some)} and {last} are" if some else f"{last} is"
