"""Records how announced changes of files ended, and reports it."""

from collections.abc import Sequence
from typing import Any

from hansard.kernel import reply
from hansard.kernel.effect import OPEN_INTENTS, Outcome, intent_key
from hansard.kernel.engine import ReadTx, Row, WriteTx
from hansard.kernel.event import Entry
from hansard.kernel.operation import Context
from hansard.kernel.problem import Problem, StorageUnavailable
from hansard.recorder import limits
from hansard.recorder.answers import ChangeBefore, FileChangedAnswer, GovernedBy, Status, whole
from hansard.recorder.events import FileOpDone, FileOpDoneLate, FileOpIntended, is_irreversible
from hansard.recorder.gateway import Gateway
from hansard.recorder.history.file_history import revision_by
from hansard.recorder.settling import settle
from hansard.recorder.tables import FILES, OUTCOMES, REVISIONS, file_id, revision_key

FROM_OUTSIDE = frozenset({"external", "found"})
"""Sources of revisions that nobody made here."""


def record_outcomes(context: Context, outcomes: Sequence[Outcome]) -> list[Entry]:
    """Record outcomes without an answer."""

    def work(tx: WriteTx) -> list[Entry]:
        return conclude(context, tx, outcomes)

    return context.store.write(context.project, work, urgent=True) if outcomes else []


def conclude(context: Context, tx: WriteTx, outcomes: Sequence[Outcome]) -> list[Entry]:
    """Record how announced changes went, and correct what others have judged wrongly.

    Nobody judges what is under way, unless the lock that shows it was lost. Then a file may have
    been examined just before it was changed, and this records that it was changed all the same.
    """
    recorded = []
    for outcome in outcomes:
        judged = outcome_of(tx, outcome.intent)["status"]
        if judged == "open":
            recorded.append(context.record(tx, outcome))
        elif isinstance(outcome, FileOpDone) and judged in ("aborted", "conflict"):
            late = FileOpDoneLate(intent=outcome.intent, mode=outcome.mode)
            recorded.append(context.record(tx, late))
    return recorded


def attempted_intents(context: Context, tx: ReadTx) -> list[int]:
    """Give the seqs of what this request has announced and got no answer to."""
    once = context.once
    return (reply.recall_attempt(tx, once.key, once.arguments) if once else None) or []


def settled(gateway: Gateway, context: Context, seqs: Sequence[int]) -> list[FileChangedAnswer]:
    """Settle announced operations and say how each ended."""
    store, project = context.store, context.project
    entries = context.read(lambda tx: [entry_at(tx, seq) for seq in seqs])
    for start in range(0, len(entries), limits.OPS_MAX):
        some = entries[start : start + limits.OPS_MAX]
        files = [file for entry in some for file in _files(intent_of(context, entry))]
        with gateway.alone_at(store.engine, files) as locks:
            settle(gateway, store, project, locks, context.stamp)
    results = context.read(lambda tx: [result_of(gateway, context, tx, entry) for entry in entries])
    if any(result.status == "open" for result in results):
        raise StorageUnavailable(
            "The first request under this key cannot be settled from here",
            hint="Ask where its workspace is, or run `hansard verify`",
        )
    return results


def half_way(context: Context, problem: Problem, intents: Sequence[Entry]) -> Problem:
    """After the disk stopped a batch, say which files are changed and how to continue."""
    told = context.read(lambda tx: [outcome_of(tx, entry.seq)["status"] for entry in intents])
    # Of a file that was come to again, after the disk had stopped it before, the last one counts.
    stands: dict[str, str] = {}
    for entry, status in zip(intents, told, strict=True):
        intent = intent_of(context, entry)
        name = {"done": "done", "recovered": "done", "open": "unknown"}.get(status, "not_done")
        stands[intent.to or intent.path] = name
    paths = {
        name: [path for path, one in stands.items() if one == name]
        for name in ("done", "not_done", "unknown")
    }
    if not paths["done"] and len(intents) == 1:
        return problem
    found = {name: some for name, some in paths.items() if some}
    said = "; ".join(f"{name.replace('_', ' ')}: {', '.join(some)}" for name, some in found.items())
    again = "again under the same idempotency key" if context.once else "for the rest of them again"
    return StorageUnavailable(
        f"This was stopped half-way ({said}). {problem.message}",
        hint=f"When that is over, ask {again}: what is done is not done twice",
        outcome="unknown" if paths["unknown"] else "half_way",
        **found,
    )


def result_of(gateway: Gateway, context: Context, tx: ReadTx, entry: Entry) -> FileChangedAnswer:
    """Say how an announced operation stands."""
    intent = intent_of(context, entry)
    outcome = outcome_of(tx, entry.seq)
    status: Status = outcome["status"]
    told: dict[str, Any] = {"path": intent.path, "action": intent.action, "to": intent.to}
    told |= {"status": status, "seq": entry.seq, "governed_by": _governed_by(gateway, tx, intent)}
    if status not in ("done", "recovered"):
        return FileChangedAnswer(**told, code=outcome.get("code") or status.upper())
    row = _revision_made(tx, intent, entry.seq)
    before = _revision_before(tx, intent, row) if row else None
    ref = intent.after
    content = (
        {"sha256": ref.digest, "size": ref.size, "redacted": list(ref.redacted)} if ref else {}
    )
    told |= {"added": intent.added, "removed": intent.removed}
    told |= {"revision": row["revision"] if row else None}
    return FileChangedAnswer(
        **told,
        **whole(content),
        external_change=(before is not None and before["source"] == "external") or None,
        over=_others(tx, _last_by_session(tx, before), entry.session),
        irreversible=is_irreversible(intent) or None,
    )


def outcome_of(tx: ReadTx, seq: int) -> Row:
    """Say how an announced operation ended, or that it is open."""
    if tx.get(OPEN_INTENTS, intent_key(seq)) is not None:
        return {"status": "open"}
    return tx.get(OUTCOMES, intent_key(seq)) or {"status": "done"}


def intent_of(context: Context, entry: Entry) -> FileOpIntended:
    """Read the intent that an entry holds."""
    intent = context.store.kinds.decode(entry)
    assert isinstance(intent, FileOpIntended), f"s:{entry.seq} is no operation on a file"
    return intent


def entry_at(tx: ReadTx, seq: int) -> Entry:
    """Read one entry."""
    [entry] = tx.entries(after=seq - 1, limit=1)
    return entry


def _files(intent: FileOpIntended) -> list[str]:
    paths = [intent.path, *([intent.to] if intent.to else [])]
    return [file_id(intent.workspace, path) for path in paths]


def _governed_by(gateway: Gateway, tx: ReadTx, intent: FileOpIntended) -> list[GovernedBy] | None:
    paths = [intent.path, *([intent.to] if intent.to else [])]
    found = {one.id: one for path in paths for one in gateway.governed(tx, path)}
    return [
        GovernedBy(id=one.id, title=one.title, enforcement=one.enforcement)
        for one in found.values()
    ] or None


def _revision_made(tx: ReadTx, intent: FileOpIntended, seq: int) -> Row | None:
    """Give the revision that an operation made, whatever came after it.

    One that was taken for not done until others had changed the file has made none.
    """
    file = file_id(intent.workspace, intent.to or intent.path)
    latest = tx.get(FILES, file)
    assert latest is not None, f"s:{seq} was done and left no revision"
    return latest if latest["seq"] == seq else revision_by(tx, file, seq)


def _revision_before(tx: ReadTx, intent: FileOpIntended, made: Row) -> Row | None:
    """Give the revision that an operation changed, if it left the file where it was."""
    if intent.to is not None or made["number"] == 1:
        return None
    file = file_id(intent.workspace, intent.path)
    return tx.get(REVISIONS, revision_key(file, made["number"] - 1))


def _last_by_session(tx: ReadTx, before: Row | None) -> Row | None:
    """Step back over what was done to a file from outside, as long as it is that file."""
    for _ in range(limits.OUTSIDE_STEPPED_OVER_MAX):
        if before is None or not before["after"] or before["source"] not in FROM_OUTSIDE:
            return before
        is_first = before["number"] == 1 or "other" in before
        key = revision_key(before["file"], before["number"] - 1)
        before = None if is_first else tx.get(REVISIONS, key)
    return None


def _others(tx: ReadTx, before: Row | None, session: str | None) -> ChangeBefore | None:
    """Say whose a revision was, if another session made it and it left a file."""
    if before is None or not before["after"]:
        return None
    whose = before.get("told", [session])[0]
    if whose == session:
        return None
    entry = entry_at(tx, before["seq"])
    return ChangeBefore(by=str(entry.actor), session_id=whose, entry=f"s:{before['seq']}")
