"""Issues of beads: what `bd export` writes, a line each."""

from collections.abc import Iterator
from pathlib import Path

from hansard.foreign.items import Decision, ForeignFormat, ForeignRecord, Item, Skipped
from hansard.foreign.reading import Row, first_objects, json_lines, moment, rows, text
from hansard.foreign.wording import as_description, as_summary, as_title
from hansard.records.shapes import State

NAME = "beads"
STATES: dict[str, State] = {"deferred": "LATER", "closed": "RESOLVED"}
"""All others are still open."""

TEXTS = {
    "description": "",
    "design": "Design",
    "acceptance_criteria": "Acceptance criteria",
    "notes": "Notes",
    "close_reason": "Closed because",
}
ABOUT = ("priority", "issue_type", "status", "assignee", "labels", "external_ref", "closed_at")
PARENT, SUPERSEDES = "parent-child", "supersedes"
DISCARDED = ("wontfix", "won't fix", "duplicate", "obsolete", "discarded", "invalid", "superseded")


def fits(path: Path) -> bool:
    """Whether this is such an export."""
    if path.is_dir():
        return False
    found = first_objects(path)
    return bool(found) and all(
        "id" in row and ("issue_type" in row or row.get("_type") in {"issue", "memory"})
        for row in found
    )


def read(path: Path) -> Iterator[Item]:
    """Read issues and memories; an issue that is a decision is one."""
    for number, row in json_lines(path):
        if isinstance(row, Skipped):
            yield row
            continue
        identifier, title = text(row, "id", "key"), text(row, "title", "value", "content")
        if identifier is None or title is None:
            yield Skipped(f"{path.name}:{number}", "a line without an id or a title")
        elif row.get("issue_type") == "decision" and row.get("status") == "closed":
            yield _decision(identifier, title, row)
        else:
            yield _record(identifier, title, row)


def _record(identifier: str, title: str, row: Row) -> ForeignRecord:
    links = _links(identifier, row)
    state = _state(row)
    reason = text(row, "close_reason") or "Closed where it was taken over from"
    return ForeignRecord(
        identifier,
        text(row, "issue_type") or "memory",
        as_title(title),
        as_summary(text(row, "description") or title),
        _body(row) or title,
        state=state,
        reason=as_summary(reason if state != "LATER" else "Deferred") if state != "OPEN" else None,
        parent=next((other for kind, other in links if kind == PARENT), None),
        related=tuple(dict.fromkeys(other for kind, other in links if kind != PARENT)),
        metadata={name: row[name] for name in ABOUT if row.get(name) not in (None, "", [])},
        at=moment(row.get("updated_at")) or moment(row.get("created_at")),
    )


def _decision(identifier: str, title: str, row: Row) -> Decision:
    old = [other for kind, other in _links(identifier, row) if kind == SUPERSEDES]
    return Decision(
        identifier,
        f"beads:{identifier}",
        as_title(title),
        as_description(_body(row) or title),
        supersedes=tuple(old),
        at=moment(row.get("closed_at")) or moment(row.get("created_at")),
    )


def _state(row: Row) -> State:
    state = STATES.get(str(row.get("status")), "OPEN")
    why = (text(row, "close_reason") or "").casefold()
    return "DISCARDED" if state == "RESOLVED" and why.startswith(DISCARDED) else state


def _body(row: Row) -> str:
    parts = [
        f"## {heading}\n\n{said}" if heading else said
        for name, heading in TEXTS.items()
        if (said := text(row, name))
    ]
    comments = [
        f"- {text(one, 'author') or 'somebody'}: {said}"
        for one in rows(row.get("comments"))
        if (said := text(one, "text", "body"))
    ]
    return "\n\n".join([*parts, *(["## Comments\n\n" + "\n".join(comments)] if comments else [])])


def _links(identifier: str, row: Row) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for one in rows(row.get("dependencies")):
        other, kind = text(one, "depends_on_id"), text(one, "type") or "related"
        if other and other != identifier and text(one, "issue_id") in {None, identifier}:
            found.append((kind, other))
    return found


FORMAT = ForeignFormat(NAME, "issues of beads", "what `bd export` writes", fits, read)
