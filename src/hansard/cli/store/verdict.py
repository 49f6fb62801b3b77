"""The verdict of `hansard doctor`: whether all is well, and what to do if not. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

Status = Literal["ok", "warn", "fail"]

TO_DO = {
    "store": "`hansard help start` says how to connect a client, which makes the store",
    "person": "`hansard secret set` sets a secret, so that nobody else can decide in your name",
    "folder": "get the right to write there, or name another store with --store",
    "disk": "make room on the disk",
    "reserve": "make room on the disk; the next write sets it aside",
    "durability": "do not write here: bring a backup back with `hansard restore-backup`",
    "views": "nothing needs to be done; `hansard rebuild` derives them now",
    "intents": "start a client or a server once: that settles them",
    "settled": "look at the file that is named, then edit or restore it",
    "search": "--embedder none searches by words alone until it is mended",
}
"""By check: what a person does if it fails. Other checks say it themselves."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was checked."""

    status: Status
    what: str
    says: str
    is_default: bool = False
    """Whether it only says that a setting has its default."""


def verdict(checks: Sequence[Check]) -> Iterator[tuple[str, Status]]:
    """Sum up the result, and what to do, the worst first."""
    failed = [one for one in checks if one.status == "fail"]
    warned = [one for one in checks if one.status == "warn"]
    if not failed and not warned:
        yield "All is well.", "ok"
        return
    if failed:
        yield f"{_counted(len(failed))} in the way of working.", "fail"
    else:
        yield f"It works; {_counted(len(warned), 'worth')} a look.", "warn"
    for what, status in dict.fromkeys((one.what, one.status) for one in [*failed, *warned]):
        says = next(one.says for one in checks if (one.what, one.status) == (what, status))
        yield f"  {what}: {_to_do(what, status, says)}", status


def _to_do(what: str, status: Status, says: str) -> str:
    """Say what to do; a failed check says so itself, since it knows how it failed."""
    if status == "fail" and what not in ("folder", "disk", "durability", "search"):
        return says
    return TO_DO.get(what, says)


def _counted(number: int, word: str = "stands") -> str:
    if number == 1:
        return f"1 thing {'is worth' if word == 'worth' else 'stands'}"
    return f"{number} things {'are worth' if word == 'worth' else 'stand'}"
