"""`hansard redact`: erases content that should never have been stored."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from hansard.app.application import Application
from hansard.app.keeping.redaction import (
    NothingToRedact,
    Redaction,
    WantedErasure,
    digests_of_path,
    erase,
)
from hansard.app.keeping.republishing import make_anew
from hansard.app.start import git_folder
from hansard.cli.flags import Flags
from hansard.cli.opened_store import opened, project_of
from hansard.cli.options import Json, settings_flags
from hansard.cli.person_proof import person
from hansard.cli.terminal.consent import require_consent
from hansard.cli.terminal.stderr import say
from hansard.cli.terminal.text import print_json
from hansard.kernel.blob import Digest, is_digest
from hansard.kernel.problem import InvalidInput

_SEQ = re.compile(r"s:([0-9]{1,12})")


@settings_flags
def redact(
    flags: Flags,
    what: Annotated[
        str, typer.Argument(metavar="s:SEQ|blob|path", help="An entry, or what NAME is.")
    ],
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="A blob's digest, or a file's path.")
    ] = None,
    *,
    reason: Annotated[str, typer.Option(help="Why; not what the secret is.")],
    field: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A field of the entry to erase; may be repeated."),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    json: Json = False,
) -> int:
    """Erase text of an entry, a blob, or all versions of a recorded file. There is no way back.

    Digests, lengths and who did it stay, so the journal still verifies. Search, vectors and stored
    answers are made without it. Backups, bundles and clones made before still hold it.
    """
    with opened(flags) as (application, settings):
        project = project_of(application, settings)
        wanted = _wanted(application, project, what, name, tuple(field or ()))
        question = f"Erase {_named(wanted)} from {project} for good?"
        require_consent(question, yes=yes)
        stamp, proof = person(application, "have something erased")
        done = erase(application.store, project, wanted, reason=reason, stamp=stamp, proof=proof)
        git = git_folder(settings) if done.in_git else None
        left = make_anew(application.store, git, project) if git else []
    if json:
        print_json(_shown(done) | {"left": [str(path) for path in left]})
    else:
        _print(done, left)
    return 0 if done.is_scrubbed and not left else 1


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(redact)


def _wanted(
    application: Application, project: str, what: str, name: str | None, fields: tuple[str, ...]
) -> WantedErasure:
    if match := _SEQ.fullmatch(what):
        if name is not None or not fields:
            raise InvalidInput(
                "Name the fields of the entry that hold the text, each with --field",
                hint=f"`hansard log --json` shows the fields of {what}",
            )
        return WantedErasure(seq=int(match[1]), fields=fields)
    if fields or name is None:
        raise InvalidInput("Say s:SEQ with --field, `blob DIGEST` or `path PATH`")
    if what == "blob" and is_digest(name):
        return WantedErasure(digests=(Digest(name),))
    if what == "path":
        digests = application.store.read(project, lambda tx: digests_of_path(tx, name))
        if not digests:
            raise NothingToRedact(f"No content of {name} is kept in {project}")
        return WantedErasure(digests=tuple(digests))
    raise InvalidInput(f"{what} {name}: no entry, blob or path is named so")


def _named(wanted: WantedErasure) -> str:
    if wanted.seq is not None:
        return f"{', '.join(wanted.fields)} of s:{wanted.seq}"
    return f"{len(wanted.digests)} blobs" if len(wanted.digests) > 1 else "the blob"


def _print(done: Redaction, left: Sequence[Path]) -> None:
    print(f"s:{done.entry.seq} {done.event.summary()}")
    if done.replies:
        print(f"{done.replies:,} stored answers held it too, and are erased")
    if done.rebased:
        print(f"{done.rebased:,} blobs rested on it, and now stand alone")
    for place in done.also:
        say(f"The same text is also in {place}: erase it there, too")
    if done.in_git:
        say("The repository of decisions is made again without it. Rewrite every clone and remote")
        say("that it was pushed to.")
    for path in left:
        say(f"{path} still holds it, and cannot be removed: remove it yourself")
    if not done.is_scrubbed:
        say("Somebody was reading, so the store's files may still hold it: run this again,")
        say("or `hansard gc --apply`, when nobody is.")


def _shown(done: Redaction) -> dict[str, object]:
    return {
        "seq": done.entry.seq,
        "hash": done.entry.hash,
        **done.event.model_dump(mode="json"),
        "replies": done.replies,
        "rebased": done.rebased,
        "also": done.also,
        "in_git": done.in_git,
        "scrubbed": done.is_scrubbed,
    }
