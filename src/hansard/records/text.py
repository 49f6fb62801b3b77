"""Records as a few lines of text, for hosts that show a model only text."""

from collections.abc import Collection, Iterable, Sequence

from hansard.kernel.text import between_marks, counted, one_line
from hansard.records.briefing import DecisionSeen
from hansard.records.shapes import Omitted, Record, RecordHead, RecordRef, Warned


def line(ref: RecordRef) -> str:
    """Give a reference in one line."""
    about: list[str] = [ref.state, ref.type]
    if ref.parent_id:
        about.append(f"under {ref.parent_id}")
    if ref.children_count:
        children = counted(ref.children_count, "child", "children")
        about.append(f"{children}, {ref.open_children_count or 'none'} open")
    return one_line(f"[{ref.id}] ({', '.join(about)}) {ref.title}")


def stated(record: RecordHead) -> str:
    """Name a record with its state, to say what was done to it: the caller knows its title."""
    return f"[{record.id}] ({record.state})"


def line_with_summary(ref: RecordRef) -> str:
    """Give a reference in one line, and its summary if that says more than the title."""
    summary = one_line(ref.summary.strip())
    return f"{line(ref)}: {summary}" if summary and summary != ref.title.strip() else line(ref)


def whole(record: Record) -> str:
    """Give a record in full."""
    return in_full(record, record.body)


def in_full(record: RecordHead, body: str) -> str:
    """Give a record with its body, between marks that name its author: it is data."""
    about = [record.state, record.type, f"t:{record.version}"]
    if record.parent_id:
        about.append(f"under {record.parent_id}")
    extras = [
        f"Resolved by {record.resolved_by}." if record.resolved_by else "",
        f"Reason: {record.reason}" if record.reason else "",
        f"Related: {', '.join(record.related)}." if record.related else "",
        f"Cites: {', '.join(record.cites)}." if record.cites else "",
        f"Metadata: {record.metadata}" if record.metadata else "",
    ]
    return "\n".join([
        one_line(f"[{record.id}] ({', '.join(about)}) {record.title}"),
        *([one_line(record.summary)] if record.summary.strip() else []),
        *(one_line(extra) for extra in extras if extra),
        between_marks(f"body of {record.id}, by {record.author}", body, f"end of {record.id}"),
    ])  # fmt: skip


def listed(
    heading: str, refs: Sequence[RecordRef], total: int, *, told: Collection[str] = ()
) -> list[str]:
    """Give references under a heading that counts all there are; nothing if there are none.

    Those that were reported already are only counted.
    """
    if not total:
        return []
    count = str(total) if len(refs) == total else f"{len(refs)} of {total}"
    rest = [one for one in refs if one.id not in told]
    above = f", {len(refs) - len(rest)} of them above" if len(rest) < len(refs) else ""
    return [f"{heading} ({count}{above}):", *map(line_with_summary, rest)]


def seen(heading: str, decisions: Sequence[DecisionSeen]) -> list[str]:
    """Give decisions under a heading; nothing if there are none."""
    return [f"{heading}:", *(one.text() for one in decisions)] if decisions else []


def warned(warnings: Iterable[Warned]) -> list[str]:
    """Give a line each."""
    return [
        f"Note: {one.message}" if one.type == "note" else f"Warning ({one.type}): {one.message}"
        for one in warnings
    ]


def by_words_only(index: str, lag: int) -> list[str]:
    """Say what could not be found by meaning."""
    if index.startswith("none"):
        return [f"By words only: {index}."]
    return [f"By words only for the latest {counted(lag, 'entry', 'entries')}."] if lag else []


def index_told(index: str) -> str:
    """Give what finds by meaning only if nothing does."""
    return index if index.startswith("none") else ""


def omitted(left_out: Iterable[Omitted]) -> list[str]:
    """Say what is missing and how to get it, a line each."""
    return [
        f"Left out: {one.what}{f' ({one.count})' if one.count > 1 else ''}. {one.how}"
        for one in left_out
    ]
