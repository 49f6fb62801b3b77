"""Verifies the projects of a store in several processes.

Each opens the store for itself and takes one project after the other, the largest first. What they
find is put together in the order of the projects, so that nothing shows how many they were.
"""

import multiprocessing
import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from hansard.app.verify import documents
from hansard.app.verify.chain import DAMAGED
from hansard.app.verify.documents import Documents
from hansard.app.verify.one_project import Examination, check_project
from hansard.app.verify.report import Checked, Finding, Findings
from hansard.app.verify.scratch import shared
from hansard.engines.sqlite.mark_key import mark_key, share_marks
from hansard.kernel.engine import Engine
from hansard.kernel.problem import StorageUnavailable
from hansard.kernel.store import Store

Opening = Callable[[], AbstractContextManager[Store]]
"""Opens the store to look at it. Another process is given it, so that it must be picklable."""


@dataclass(frozen=True, slots=True)
class Spread:
    """How many processes share the work, and how each opens the store."""

    processes: int
    open_store: Opening


@dataclass(frozen=True, slots=True)
class _Given:
    """What a process is told when it begins."""

    open_store: Opening
    quick: bool
    git: Path | None
    aside: Path | None
    seqs: dict[str, int] | None
    """How far each project was when its documents were laid aside; `None` if they were not."""
    marks: bytes
    """By what the marks of those were made."""


@dataclass(frozen=True, slots=True)
class _Found:
    checked: Checked
    findings: tuple[Finding, ...]
    left_out: int


def check_projects(
    look: Examination, projects: Sequence[str], spread: Spread | None, aside: Path | None
) -> list[Checked]:
    """Check some projects, here or in several processes."""
    if spread is None:
        return [check_project(look, project) for project in projects]
    found = _found_by_all(look, projects, spread, aside)
    for project in projects:
        look.findings.take(found[project].findings, found[project].left_out)
    return [found[project].checked for project in projects]


def _found_by_all(
    look: Examination, projects: Sequence[str], spread: Spread, aside: Path | None
) -> dict[str, _Found]:
    seqs = dict(look.documents.seqs) if look.documents else None
    given = _Given(spread.open_store, look.quick, look.git, aside, seqs, mark_key())
    found: dict[str, _Found] = {}
    with ProcessPoolExecutor(
        spread.processes, multiprocessing.get_context("spawn"), _begin, (given,)
    ) as processes:
        asked = {processes.submit(_check, one): one for one in _largest_first(look.store, projects)}
        try:
            for number, one in enumerate(as_completed(asked), start=1):
                found[asked[one]] = one.result()
                look.progress(asked[one], "projects", number, len(projects))
        except BrokenProcessPool as error:
            raise StorageUnavailable(
                "A process that looked at the store has ended, or could not begin",
                hint="Run it with fewer --workers; the store was not changed",
            ) from error
        finally:
            _call_off(asked)
    return found


def _call_off(asked: "dict[Future[_Found], str]") -> None:
    for one in asked:
        one.cancel()


def _largest_first(store: Store, projects: Sequence[str]) -> list[str]:
    """Order projects so that nobody is left with a large one in the end."""
    try:
        heads = store.engine.heads()
        return sorted(projects, key=lambda one: -heads[one].seq if one in heads else 0)
    except DAMAGED:
        return list(projects)  # as is found with the catalog


_STORES = ExitStack()
"""Of a process that checks projects: what it has open until it ends."""

_LOOKS: list[Examination] = []
"""Of such a process: how it looks."""


def _begin(given: _Given) -> None:
    threading.Thread(target=_end_with_parent, daemon=True).start()
    share_marks(given.marks)
    store = _STORES.enter_context(given.open_store())
    known = None
    if given.seqs is not None and given.aside is not None:
        known = Documents(_opened(given.aside), given.seqs)
    _LOOKS.append(Examination(store, given.quick, Findings(), _nobody_hears, given.git, known))


def _end_with_parent() -> None:
    """End when who began this has been killed: nobody waits for what is found."""
    parent = multiprocessing.parent_process()
    assert parent is not None, "it was begun by another"
    parent.join()
    os._exit(1)


def _opened(aside: Path) -> Engine:
    engine = shared(aside, documents.SCHEMA)
    _STORES.callback(engine.close)
    return engine


def _check(project: str) -> _Found:
    [begun] = _LOOKS
    look = replace(begun, findings=Findings())
    checked = check_project(look, project)
    return _Found(checked, tuple(look.findings), look.findings.left_out)


def _nobody_hears(*_: object) -> None:
    """Let who began this tell how far it is."""
