"""News about the store's secret that everybody sees: on the page, in `doctor`, in the brief."""

from datetime import timedelta

from hansard.app import people, recovery
from hansard.kernel.clock import from_text, to_text
from hansard.kernel.engine import Row
from hansard.kernel.store import Store

_HOW = {
    "typed": "typed on a terminal",
    "recovered": "in place of a lost one, after the waiting time",
    None: "by a process that was started with one",
}


def origin(row: Row) -> str:
    """Say who set the secret, when and how; all that is proved rests on this."""
    is_doubted = row["proof"] == "unproved" and not row["by"].endswith(people.UNPROVED)
    doubt = people.UNPROVED if is_doubted else ""
    return f"set by {row['by']}{doubt} at {row['at']}, {_HOW[row['how']]}"


def under_way(begun: Row) -> str:
    """Say that somebody is replacing the secret, and who can stop them."""
    return (
        f"{begun['by']} began at {begun['at']} to replace the secret of this store as "
        f"lost: theirs counts from {begun['counts_from']} on. Anyone who knows the present one "
        "can stop this with `hansard secret cancel`"
    )


NOTHING_ACCEPTED = (
    "No proposal can be accepted here, and no person is proved: HANSARD_SECRET is not set."
)
NOBODY_PROVED = (
    "The store does not know this process's secret, so it proves no person: `hansard secret set`."
)


def at_start(store: Store, now: str, *, is_set: bool) -> list[str]:
    """Tell the operator who starts a server what to know about people and their proof."""
    if people.known(store):
        return news(store, now)
    return [NOBODY_PROVED if is_set else NOTHING_ACCEPTED]


def news(store: Store, now: str) -> list[str]:
    """Say what is new about the secret: for as long as a recovery waits, after it was set."""
    row, begun = people.known(store), recovery.pending(store)
    told = [under_way(begun)] if begun else []
    if row and now < to_text(from_text(row["at"]) + timedelta(seconds=row["wait_s"])):
        told.append(
            f"The secret of this store is new: {origin(row)}. If no person of yours did that, see "
            "`hansard secret recover`"
        )
    return told
