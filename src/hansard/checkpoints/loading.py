"""Loads a context: whole, in part, or within a budget, with what has changed since."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from hansard.checkpoints import answers, contract, events, key_classes, reducing
from hansard.checkpoints.changes_since import Since
from hansard.checkpoints.omitted_keys import LeftOut, left_out
from hansard.checkpoints.reading import (
    context_of,
    find,
    left_out_of,
    metadata_of,
    newest_sound,
    paths_of,
    state_of,
)
from hansard.kernel.engine import ReadTx, Row, WriteTx
from hansard.kernel.operation import Context
from hansard.kernel.problem import StorageUnavailable
from hansard.kernel.suggestion import did_you_mean

TellSince = Callable[[ReadTx, int], Since]
"""Says what has changed since an entry; known only above the capabilities."""

TitleOf = Callable[[ReadTx, str], str | None]
"""Says what a session is called, if it was given a title; known only above the capabilities."""

_OVER = "What must stay whole exceeds the budget."


def ticks_passed(tx: ReadTx, seq: int) -> Since:
    """Say at least how far the project's clock has advanced."""
    [entry] = tx.entries(after=seq - 1, limit=1)
    return Since(ticksPassed=tx.head().tick - entry.tick)


@dataclass(frozen=True, slots=True)
class Loading:
    """How checkpoints are loaded: together with what has changed since."""

    since: TellSince
    title_of: TitleOf = lambda _tx, _session: None

    def load(self, request: contract.Load, context: Context) -> answers.CheckpointLoadedAnswer:
        """Give a context back as it was saved, or as much as the caller's budget allows."""

        def work(tx: ReadTx) -> tuple[answers.CheckpointLoadedAnswer, LeftOut]:
            if request.checkpoint_id is not None:
                row = find(tx, request.checkpoint_id)
                return self._shown(tx, request, row, context_of(tx, row), None)
            session = None if request.session_id is None else context.session
            return self._shown(tx, request, *newest_sound(tx, session))

        loaded, left = context.read(work)
        _note_loaded(context, loaded, left, request.keys)
        return loaded

    def _shown(
        self,
        tx: ReadTx,
        request: contract.Load,
        row: Row,
        whole: dict[str, Any],
        warning: str | None,
    ) -> tuple[answers.CheckpointLoadedAnswer, LeftOut]:
        marks = state_of(tx, row["session"])["marks"]
        unknown = [key for key in request.keys or () if key not in whole]
        meant = [did_you_mean(key, whole) for key in unknown]
        if request.keys is not None:
            whole = {key: whole[key] for key in request.keys if key in whole}
        reduced = _within(request.budget_tokens, row, whole, marks)
        over = request.budget_tokens and reduced.chars > _chars(request.budget_tokens)
        notes = [warning, _OVER if over else None, *meant]
        loaded = answers.CheckpointLoadedAnswer(
            checkpointId=row["id"],
            sessionId=row["session"],
            sessionTitle=self.title_of(tx, row["session"]),
            context=reduced.context,
            metadata=metadata_of(row, paths_of(tx, [row])),
            critical=sorted(marks) or None,
            since=self.since(tx, row["seq"]),
            unknownKeys=unknown or None,
            omitted=[_omitted(one) for one in reduced.omitted] or None,
            howToFetch=_how_to_fetch(row["id"]) if reduced.omitted else None,
            warning=" ".join(filter(None, notes)) or None,
        )
        return loaded, left_out(whole, reduced.context) if reduced.omitted else LeftOut()


def _note_loaded(
    context: Context,
    loaded: answers.CheckpointLoadedAnswer,
    left: LeftOut,
    asked: Sequence[str] | None,
) -> None:
    """Note what a session resumed from: marks are judged by it, and its timeline shows it.

    A person who looks, or a caller who may only read, has not resumed anything.
    """
    caller = context.caller
    if not context.may_write or caller.actor.kind == "human":
        return
    own = caller.session_in(context.project)
    into = own if own != loaded.sessionId else None
    event = events.CheckpointLoaded(id=loaded.checkpointId, session=loaded.sessionId, into=into)

    def work(tx: WriteTx) -> None:
        context.record(tx, event)
        known = left_out_of(tx, into or loaded.sessionId).get(loaded.checkpointId, LeftOut())
        still = (known.but_for(asked) if asked is not None else LeftOut()).beside(left)
        if still != known:
            context.record(tx, _given_in_part(event, still))

    # A failed note does not matter: the context was read, and that was asked for.
    with suppress(StorageUnavailable):
        context.note(work)
    caller.works_on(context.project, loaded.sessionId)


def _given_in_part(loaded: events.CheckpointLoaded, left: LeftOut) -> events.CheckpointGivenInPart:
    return events.CheckpointGivenInPart(
        id=loaded.id,
        session=loaded.session,
        into=loaded.into,
        lists=dict(left.lists),
        keys=list(left.keys),
    )


def _within(
    budget_tokens: int | None, row: Row, whole: dict[str, Any], marks: dict[str, int]
) -> reducing.Reduced:
    if budget_tokens is None:
        return reducing.Reduced(whole, (), 0)
    kinds = {
        key: key_classes.classify(key, value, marks, row["classes"]) for key, value in whole.items()
    }
    return reducing.reduce(whole, kinds, _chars(budget_tokens))


def _chars(tokens: int) -> int:
    return tokens * key_classes.CHARS_PER_TOKEN


def _omitted(one: reducing.Omission) -> answers.OmittedKey:
    return answers.OmittedKey(
        key=one.key,
        class_=one.class_,
        how=one.how,
        chars=one.chars,
        itemsLeftOut=one.items_left_out or None,
    )


def _how_to_fetch(identifier: str) -> str:
    return f'workflow_checkpoint_load {{"checkpointId": "{identifier}", "keys": [...]}}'
