"""One import from start to end: read, order, import, report."""

from collections.abc import Iterable
from itertools import chain
from pathlib import Path

from hansard.checkpoints.limits import CheckpointQuotas
from hansard.foreign.decisions import take_decisions
from hansard.foreign.import_run import ImportReport, ImportRun
from hansard.foreign.items import (
    Decision,
    ForeignFormat,
    ForeignRecord,
    GraphStep,
    Item,
    Session,
    Skipped,
)
from hansard.foreign.records import take_records
from hansard.foreign.sessions import take_session
from hansard.foreign.steps import take_steps


def take_over(
    importing: ImportRun, found: ForeignFormat, path: Path, quotas: CheckpointQuotas
) -> ImportReport:
    """Import all that a source holds; what is left out is reported with its reason."""
    items = (one for one in found.read(path) if not _is_skipped(importing, one))
    first = next(items, None)
    if isinstance(first, GraphStep):
        # There may be more of these than there is memory for.
        steps = (one for one in chain([first], items) if isinstance(one, GraphStep))
        take_steps(importing, steps, quotas)
    elif first is not None:
        _take_all(importing, chain([first], items))
    return importing.report


def _is_skipped(importing: ImportRun, one: Item) -> bool:
    if isinstance(one, Skipped):
        importing.report.skip(one)
    return isinstance(one, Skipped)


def _take_all(importing: ImportRun, items: Iterable[Item]) -> None:
    sessions: list[Session] = []
    records: list[ForeignRecord] = []
    decisions: list[Decision] = []
    for one in items:
        match one:
            case Session():
                sessions.append(one)
            case ForeignRecord():
                records.append(one)
            case Decision():
                decisions.append(one)
    # The journal has its own order; that of the sessions' beginnings is the one people expect.
    for session in sorted(sessions, key=lambda one: (one.began or "", one.id)):
        take_session(importing, session)
    take_decisions(importing, decisions)
    take_records(importing, records)


def label_of(path: Path) -> str:
    """Tell sources of one format apart by the names that people know them by."""
    return "/".join(path.resolve().parts[-2:])
