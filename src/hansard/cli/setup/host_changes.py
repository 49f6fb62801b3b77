"""Adds Hansard to a host's file or removes it: plans the change, then writes it."""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from hansard.cli.setup import original_files
from hansard.cli.setup.files import FoundFile, write
from hansard.cli.setup.original_files import KeptFile
from hansard.cli.setup.planning import FilePart, FilePlan, planned, taken_out


class SetupWay(NamedTuple):
    """One of the two."""

    plan: Callable[[str, FoundFile, list[FilePart]], FilePlan]
    """Says what a file becomes."""
    write: Callable[[str, FoundFile, FilePlan, list[FilePart]], str]
    """Writes it, and gives what to tell about it."""


def _plan_in(name: str, found: FoundFile, parts: list[FilePart]) -> FilePlan:
    if all(part.is_whole for part in parts) and _is_only_ours(found):
        # Nobody wrote to it since: so it becomes what is written now.
        return replace(planned(name, None, parts), before=found.text)
    return planned(name, found.text, parts)


def _is_only_ours(found: FoundFile) -> bool:
    known = original_files.load(found.path)
    return known is not None and known.before is None and known.is_untouched(found.content)


def _write_in(name: str, found: FoundFile, plan: FilePlan, parts: list[FilePart]) -> str:
    """Keep what was there before anything is written."""
    assert plan.after is not None, "what is put into a file makes one"
    after = plan.after.encode()
    before = _before(name, found, parts)
    place = original_files.save(found.path, before=before, backup=found.content, after=after)
    write(found, after)
    return f"Wrote {name}." + (f" As it was, it is in {place}" if place else "")


def _before(name: str, found: FoundFile, parts: list[FilePart]) -> bytes | None:
    """Say what an uninstall should bring back: what stands there now without what is ours."""
    known = original_files.load(found.path)
    if known is None:
        return found.content
    if known.is_untouched(found.content):
        return known.before
    # Somebody went on writing it since, and that is to stay.
    without = _without(name, found, parts, known).after
    return None if without is None else without.encode()


def _plan_out(name: str, found: FoundFile, parts: list[FilePart]) -> FilePlan:
    known = original_files.load(found.path)
    if known is None or not known.is_untouched(found.content):
        return _without(name, found, parts, known)
    before = None if known.before is None else known.before.decode()
    return FilePlan(name, found.text, before)


def _without(
    name: str, found: FoundFile, parts: list[FilePart], known: KeptFile | None
) -> FilePlan:
    if found.text is None:
        return FilePlan(name, None, None)
    before = known.before.decode() if known and known.before is not None else None
    is_whole = all(part.is_whole for part in parts)
    is_ours = is_whole or (known is not None and known.before is None)
    return taken_out(name, found.text, parts, before=before, is_ours=is_ours)


def _write_out(name: str, found: FoundFile, plan: FilePlan, _: list[FilePart]) -> str:
    """Keep what was there here too: its user may have written into it since."""
    assert found.content is not None, "something is taken only out of a file"
    place = original_files.save_backup(found.path, found.content)
    write(found, None if plan.after is None else plan.after.encode())
    original_files.forget(found.path)
    how = "gone" if plan.after is None else "without Hansard"
    return f"{name} is {how} again. As it was, it is in {place}"


INTO = SetupWay(_plan_in, _write_in)
OUT_OF = SetupWay(_plan_out, _write_out)
