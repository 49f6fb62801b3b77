"""Edits a record's text in an editor while others may change it."""

from hansard.cli.desk import Ask
from hansard.cli.terminal.editor import Draft
from hansard.cli.terminal.stderr import say
from hansard.cli.terminal.text import printable
from hansard.kernel.problem import InvalidInput
from hansard.records import answers, contract
from hansard.records.shapes import Record
from hansard.records.text_merge import split_lines
from hansard.records.update_answers import Hunk, RecordUpdatedAnswer, Span, UpdateConflict

MARKS = ("<<<<<<< theirs\n", "=======\n", ">>>>>>> yours\n")


def edit(ask: Ask, record: str) -> RecordUpdatedAnswer | None:
    """Change a record's body; `None` if its person changed nothing.

    What others changed meanwhile is merged in. Where it clashes, the person decides, in the editor
    again; whatever happens, what they wrote stays in a file until it is stored.
    """
    target = _looked_at(ask, record)
    draft = Draft(target.body, name=target.id)
    text = draft.edit()
    if text == target.body:
        draft.discard()
        return None
    updated = _update(ask, target, draft, text, accept="merge")
    while conflict := updated.conflict:
        say(printable(conflict.message))
        text = _decide(draft, text, updated.record.body or "", conflict)
        updated = _update(ask, target, draft, text, force=True, force_version=conflict.version)
    draft.discard()
    return updated


def known(ask: Ask, record: str) -> dict[str, int]:
    """Give a record's present version, for a write that rests on it."""
    seen = _looked_at(ask, record)
    return {seen.id: seen.version}


def now(ask: Ask) -> str:
    """Name this point of the project, to look at things as they are."""
    return f"t:{ask('get_project').model_dump()['tick']}"


def _looked_at(ask: Ask, record: str) -> Record:
    """Read a record as it is; looking activates nothing."""
    # For an unknown one, this says so without mentioning a point in time.
    ask("get_record_ref", id=record)
    seen = ask("activate", id=record, as_of=now(ask))
    assert isinstance(seen, answers.ActivationAnswer), "activate answers with an activation"
    return seen.context.target


def _update(
    ask: Ask, target: Record, draft: Draft, text: str, **more: object
) -> RecordUpdatedAnswer:
    known_version = {target.id: target.version}
    try:
        updated = ask("update_record", activating=known_version, id=target.id, body=text, **more)
    except InvalidInput as problem:
        raise InvalidInput(problem.message, hint=draft.kept(), **problem.details) from problem
    assert isinstance(updated, RecordUpdatedAnswer), "update_record answers with an update"
    return updated


def _decide(draft: Draft, mine: str, theirs: str, conflict: UpdateConflict) -> str:
    """Let the person merge two texts."""
    draft.put(marked(conflict.merge.hunks, mine, theirs))
    text = draft.edit()
    if any(line in MARKS for line in split_lines(text)):
        draft.put(mine)
        raise contract.Conflict(
            "Nothing was changed: a marked place is left in the merge", hint=draft.kept()
        )
    return text


def marked(hunks: list[Hunk] | None, mine: str, theirs: str) -> str:
    """Join two texts, with marks around what clashes."""
    my_lines, their_lines = split_lines(mine), split_lines(theirs)
    if hunks is None:
        return _both(my_lines, their_lines)
    return "".join(_joined(hunk, my_lines, their_lines) for hunk in hunks)


def _joined(hunk: Hunk, my_lines: list[str], their_lines: list[str]) -> str:
    mine, theirs = _of(my_lines, hunk.mine), _of(their_lines, hunk.theirs)
    if hunk.kind == "clash":
        return _both(mine, theirs)
    return "".join(mine if hunk.kind == "mine" else theirs)


def _both(my_lines: list[str], their_lines: list[str]) -> str:
    above, between, below = MARKS
    sides = ["".join(lines) for lines in (their_lines, my_lines)]
    theirs, mine = (f"{side}\n" if side and not side.endswith("\n") else side for side in sides)
    return f"{above}{theirs}{between}{mine}{below}"


def _of(lines: list[str], span: Span) -> list[str]:
    first, count = span
    return lines[first - 1 : first - 1 + count]
