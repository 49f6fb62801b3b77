"""The history of decisions: filters, the order of a target's decisions, and changes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from hansard.decisions import answers, contract, limits, reading
from hansard.decisions.targets import target_key
from hansard.kernel.as_of import resolve, resolve_since
from hansard.kernel.engine import ReadTx, Row
from hansard.kernel.limits import LIST_LIMIT_MAX
from hansard.kernel.problem import InvalidInput
from hansard.kernel.snippet import snippet

_HEADER_LINES = 4
"""The header lines of a libgit2 patch before its first hunk."""


@dataclass(frozen=True, slots=True)
class WantedDecisions:
    """Which decisions and proposals are looked for."""

    target: str | None = None
    """The key of the target."""
    status: str | None = None
    author: str | None = None
    after: int | None = None
    up_to: int | None = None

    @property
    def is_narrow(self) -> bool:
        """Whether it filters at all."""
        return self != WantedDecisions()

    def has(self, row: Row) -> bool:
        """Whether this one is wanted."""
        return (
            self.target in (None, row["target_key"])
            and self.status in (None, row["status"])
            and self.author in (None, row["author"], *row["author"].split(":", 1))
            and (self.after is None or row["seq"] > self.after)
            and (self.up_to is None or row["seq"] <= self.up_to)
        )


def check(request: contract.SearchDecisions) -> None:
    """Refuse a history of nothing."""
    if request.history and (request.where is None or request.where.target is None):
        raise InvalidInput(
            "history: goes with where.target, whose history it is", argument="history"
        )


def wanted(tx: ReadTx, request: contract.SearchDecisions) -> WantedDecisions:
    """Say which are looked for."""
    given = request.where or contract.Filter()
    return WantedDecisions(
        target=None if given.target is None else target_key(given.target),
        status=given.status,
        author=given.author,
        after=None if given.since is None else resolve_since(tx, given.since),
        up_to=None if given.until is None else resolve(tx, given.until, argument="until"),
    )


def listed(
    tx: ReadTx, request: contract.SearchDecisions, wanted: WantedDecisions
) -> list[answers.DecisionFound]:
    """List what is wanted when no words are searched for, the newest first."""
    fitting = (row for row in _newest(tx, wanted) if wanted.has(row) and _fits(row, request.mode))
    rows = list(islice(fitting, request.limit))
    reading.prefetch_reasons(tx, [row["id"] for row in rows])
    return [shown(tx, row, "", is_dated=True) for row in rows]


def history(
    tx: ReadTx, request: contract.SearchDecisions, wanted: WantedDecisions
) -> tuple[list[answers.DecisionFound], int]:
    """List all that was decided about a target, oldest first, and how many came before those.

    Each is compared with what it superseded; of a merge, with what was about the same target.
    """
    rows = [row for row in _newest(tx, wanted) if row["kind"] == "decision" and wanted.has(row)]
    told = rows[: request.limit][::-1]
    before = (identifier for row in told for identifier in row["supersedes"])
    reading.prefetch_reasons(tx, [*(row["id"] for row in told), *before])
    return [_with_changes(tx, row) for row in told], len(rows) - len(told)


def shown(tx: ReadTx, row: Row, query: str, *, is_dated: bool) -> answers.DecisionFound:
    """Show a row as a search does."""
    text = reading.reasons(tx, row).text()[: limits.PREVIEW_TEXT_CHARS_MAX]
    return answers.DecisionFound(
        id=row["id"],
        title=row["title"],
        target=row["target"],
        status=row["status"],
        score=0.0,
        preview=snippet(text, query, chars=limits.PREVIEW_CHARS),
        matched_via=[],
        author=row["author"],
        at=row["at"] if is_dated else None,
    )


def _fits(row: Row, mode: contract.Mode) -> bool:
    return (
        mode == "audit"
        or row["status"] == "active"
        or (mode == "balanced" and row["status"] == "proposed")
    )


def _newest(tx: ReadTx, wanted: WantedDecisions) -> Iterator[Row]:
    where = {} if wanted.target is None else {"target_key": wanted.target}
    return reading.newest(tx, where, page=LIST_LIMIT_MAX)


def _with_changes(tx: ReadTx, row: Row) -> answers.DecisionFound:
    before = _before(tx, row)
    was = _lines(tx, before) if before else []
    changes = _diff(was, _lines(tx, row), before["id"] if before else "nothing", row["id"])
    return shown(tx, row, "", is_dated=True).model_copy(update={"changes": changes})


def _before(tx: ReadTx, row: Row) -> Row | None:
    old = [reading.stated(tx, identifier) for identifier in row["supersedes"]]
    same = [one for one in old if one["target_key"] == row["target_key"]]
    return next(iter([*same, *old]), None)


def _lines(tx: ReadTx, row: Row) -> list[str]:
    reasons = reading.reasons(tx, row)
    return [
        f"title: {row['title']}",
        f"target: {row['target']}",
        *([f"enforcement: {row['enforcement']}"] if row["enforcement"] else []),
        *(f"cites: {one}" for one in row["cites"]),
        *reasons.rationale.splitlines(),
        *(f"- {one}" for one in reasons.consequences),
    ]


def _diff(old: Sequence[str], new: Sequence[str], was: str, now: str) -> str:
    """Give the unified diff of two decisions' lines."""
    import pygit2
    from pygit2.enums import DiffOption

    names = f"--- {was}\n+++ {now}\n"
    before, after = ("".join(f"{line}\n" for line in lines) for lines in (old, new))
    if before == after:
        return f"{names}(the same words)\n"
    if len(before) + len(after) > limits.DIFF_CHARS_MAX:
        sizes = f"{len(before)} characters became {len(after)}"
        return f"{names}(too long to compare: {sizes})\n"
    # The patch reads from these until it is written, and pygit2 does not keep them alive.
    old_bytes, new_bytes = before.encode(), after.encode()
    patch = pygit2.Patch.create_from(old_bytes, new_bytes, flag=DiffOption.FORCE_TEXT)
    return names + str(patch.text).split("\n", _HEADER_LINES)[_HEADER_LINES]
