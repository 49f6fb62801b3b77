"""`hansard gc`: collects what nothing needs."""

from collections.abc import Callable
from functools import partial
from typing import Annotated

import typer

from hansard.app.keeping.garbage_collection import Garbage, collect, find
from hansard.app.keeping.idempotency_keys import older_than
from hansard.cli.flags import Flags
from hansard.cli.opened_store import opened
from hansard.cli.options import Json, settings_flags
from hansard.cli.person_proof import signed
from hansard.cli.terminal.text import print_json, show_progress
from hansard.kernel.clock import days_before, to_text, utc_now

DAYS = 30

GoesOnHere = Annotated[
    bool,
    typer.Option(
        "--goes-on-here",
        help="Collect also where another store has all of a project, and will not go on.",
    ),
]
Rewrite = Annotated[
    bool,
    typer.Option(
        "--rewrite", help="With --apply, write tables of PostgreSQL anew, each closed meanwhile."
    ),
]


@settings_flags
def gc(
    flags: Flags,
    *,
    apply: Annotated[
        bool, typer.Option("--apply", help="Do it, instead of showing what would be done.")
    ] = False,
    days: Annotated[
        int, typer.Option(min=0, metavar="N", help="Spare what was deleted in the last N days.")
    ] = DAYS,
    goes_on_here: GoesOnHere = False,
    rewrite: Rewrite = False,
    json: Json = False,
) -> int:
    """Show how much room deleted checkpoints and leftovers take; with --apply, free it.

    Nothing goes that an entry names, except the content of checkpoints that were deleted and of
    answers to calls whose idempotency keys are forgotten. With --apply a store in files is also
    rewritten, which takes space and time; PostgreSQL reuses the space by itself.

    An entry records what is removed. If all of a project is in another store too, none is written,
    since the two could not be kept in step: what it would record is removed once somebody has
    written.
    """
    now = to_text(utc_now())
    with opened(flags) as (application, settings):
        remembered = settings.remember_days
        ask: Callable[..., Garbage] = find
        if apply:
            ask = partial(collect, stamp=signed(application), rewrites=rewrite)
        found = ask(
            application.store,
            deleted_before=days_before(now, days),
            keys_before=older_than(remembered, now) if remembered else None,
            goes_on_here=goes_on_here,
            progress=show_progress,
        )
    if json:
        print_json(_shown(found) | {"applied": apply})
    else:
        _print(found, applied=apply)
    return 0


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(gc)


def _print(found: Garbage, *, applied: bool) -> None:
    if found.loose:
        print(f"{len(found.loose):,} files that no project keeps")
    for what, by_project in (("unnamed", found.unnamed), ("deleted", found.deleted)):
        for project, sizes in by_project.items():
            print(f"{project}: {len(sizes):,} blobs, {what}, {sum(sizes.values()):,} bytes")
    if found.keys:
        print(f"{found.keys:,} idempotency keys of calls made long ago")
    if found.tables:
        print(f"{len(found.tables):,} tables of older views")
    for project in found.waiting:
        print(
            f"{project}: some of it stays. Another store or a backup has all of this project, and "
            "what `hansard gc` writes would part the two. It goes once somebody has written here. "
            "If only this store goes on, `hansard gc --apply --goes-on-here` does it."
        )
    verb = "Freed" if applied else "Would free"
    print(f"{verb} {found.bytes:,} bytes in {found.count:,} blobs.")
    if not applied and (found.count or found.keys or found.tables):
        print("`hansard gc --apply` does it.")


def _shown(found: Garbage) -> dict[str, object]:
    return {
        "bytes": found.bytes,
        "blobs": found.count,
        "loose": sorted(found.loose),
        "unnamed": {project: sorted(sizes) for project, sizes in found.unnamed.items()},
        "deleted": {project: sorted(sizes) for project, sizes in found.deleted.items()},
        "tables": found.tables,
        "keys": found.keys,
        "waiting": found.waiting,
    }
