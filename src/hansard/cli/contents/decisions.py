"""`hansard decisions`: what holds, its history, and a person's own decisions."""

import shlex
from collections.abc import Callable, Iterator
from typing import Annotated, TypeVar

import typer

from hansard.app.start import git_folder
from hansard.cli.contents.record_showing import COLUMNS_MAX
from hansard.cli.desk import Ask, asking
from hansard.cli.flags import Flags
from hansard.cli.opened_store import opened
from hansard.cli.options import Json, settings_flags
from hansard.cli.terminal import markdown
from hansard.cli.terminal.layout import Cell, room, table
from hansard.cli.terminal.screen import columns
from hansard.cli.terminal.text import painter, print_json, printable
from hansard.decisions import answers
from hansard.decisions.contract import Mode, Status
from hansard.decisions.events import Enforcement
from hansard.decisions.git.decision_log import publish_now, repository_in
from hansard.decisions.queries import link
from hansard.decisions.reading import newest
from hansard.kernel.engine import ReadTx
from hansard.kernel.follow import NotNow
from hansard.kernel.limits import LIST_LIMIT_MAX
from hansard.kernel.operation import Result
from hansard.kernel.problem import InvalidInput, StorageUnavailable
from hansard.kernel.store import UNMADE
from hansard.sessions.wording import name_of

STATUS_COLOURS = {
    "active": "green",
    "superseded": "grey",
    "proposed": "yellow",
    "accepted": "blue",
    "rejected": "red",
}

BRANCH = "main"
"""The branch of the Git repository that Hansard writes."""

R = TypeVar("R", bound=Result)
Paint = Callable[[str, str], str]

DecisionId = Annotated[str, typer.Argument(metavar="ID", help="The decision, such as D007.")]
ProposalId = Annotated[str, typer.Argument(metavar="ID", help="The proposal, such as P003.")]
All = Annotated[bool, typer.Option("--all", help="Also those that are no longer open or active.")]
Title = Annotated[str, typer.Option(help="What was decided, in a line.")]
Rationale = Annotated[str, typer.Option(help="Why.")]
Consequence = Annotated[
    list[str] | None, typer.Option(metavar="TEXT", help="What follows from it; may be repeated.")
]
Cite = Annotated[
    list[str] | None,
    typer.Option(metavar="ID", help="What it rests on: an id, s:340, path:FILE; may be repeated."),
]
Enforce = Annotated[
    Enforcement | None, typer.Option(help="For a target path:GLOB: advise agents, or block them.")
]
AsOf = Annotated[
    str | None, typer.Option(metavar="POINT", help="As it was at t:12, s:340 or an ISO time.")
]


@settings_flags
def overview(
    flags: Flags, context: typer.Context, *, every: All = False, json: Json = False
) -> None:
    """List the active decisions, the newest first."""
    if context.invoked_subcommand is None:
        _print_list(flags, "decision", None if every else "active", json=json)


@settings_flags
def list_decisions(flags: Flags, *, every: All = False, json: Json = False) -> None:
    """List the active decisions, the newest first."""
    _print_list(flags, "decision", None if every else "active", json=json)


@settings_flags
def proposals(flags: Flags, *, every: All = False, json: Json = False) -> None:
    """List the open proposals, the newest first."""
    _print_list(flags, "proposal", None if every else "proposed", json=json)


@settings_flags
def show(flags: Flags, decision: DecisionId, *, json: Json = False, as_of: AsOf = None) -> None:
    """Show a decision or a proposal in full, with its chain as a picture."""
    with asking(flags) as ask:
        shown = _expect(
            answers.DecisionInContextAnswer, ask("get_decision", decision_id=decision, as_of=as_of)
        )
        if json:
            _tell(shown, json=True)
            return
        for line in _in_full(shown.decision):
            print(line)
        for evidence in shown.evidence:
            print(f"Rests on {printable(evidence.text())}")
        for line in answers.radius_lines(shown.blast_radius or {}):
            print(printable(line))
        for line in _picture(ask, shown, as_of):
            print(line)


@settings_flags
def search(
    flags: Flags,
    query: Annotated[list[str], typer.Argument(metavar="WORDS…")],
    *,
    mode: Annotated[Mode, typer.Option(help="strict: active only; audit: all history.")] = (
        "balanced"
    ),
    limit: Annotated[int, typer.Option(min=1)] = 5,
    target: Annotated[str | None, typer.Option(help="Only about this.")] = None,
    status: Annotated[Status | None, typer.Option(help="Only those that are so now.")] = None,
    author: Annotated[str | None, typer.Option(help="Only by human:NAME, or either part.")] = None,
    since: Annotated[str | None, typer.Option(metavar="POINT")] = None,
    until: Annotated[str | None, typer.Option(metavar="POINT")] = None,
    json: Json = False,
) -> None:
    """Find what was decided, best first."""
    given = {"target": target, "status": status, "author": author, "since": since, "until": until}
    where = {name: value for name, value in given.items() if value is not None}
    with asking(flags) as ask:
        words = " ".join(query)
        found = ask("search_decisions", query=words, mode=mode, limit=limit, where=where or None)
        _tell(found, json=json)


@settings_flags
def history(
    flags: Flags,
    target: Annotated[str, typer.Argument(metavar="TARGET", help="What the decisions are about.")],
    *,
    limit: Annotated[int, typer.Option(min=1)] = LIST_LIMIT_MAX,
    json: Json = False,
) -> None:
    """Show all that was decided about a target, the oldest first, with what changed each time."""
    with asking(flags) as ask:
        told = ask(
            "search_decisions",
            query="",
            mode="audit",
            where={"target": target},
            history=True,
            limit=limit,
        )
        _tell(told, json=json)


@settings_flags
def record(
    flags: Flags,
    *,
    title: Title,
    target: Annotated[str, typer.Option(help="What it is about; path:GLOB for files.")],
    rationale: Rationale,
    consequence: Consequence = None,
    cite: Cite = None,
    enforcement: Enforce = None,
    json: Json = False,
) -> None:
    """Record a decision about a target that has none."""
    with asking(flags, makes_store=True) as ask:
        made = ask(
            "record_decision",
            title=title,
            target=target,
            rationale=rationale,
            consequences=consequence or None,
            cites=cite or None,
            enforcement=enforcement,
        )
        _tell(made, json=json)


@settings_flags
def supersede(
    flags: Flags,
    old: Annotated[list[str], typer.Argument(metavar="ID…", help="What no longer holds.")],
    *,
    title: Title,
    target: Annotated[str | None, typer.Option(help="By default that of the first one.")] = None,
    rationale: Rationale,
    consequence: Consequence = None,
    cite: Cite = None,
    enforcement: Enforce = None,
    json: Json = False,
) -> None:
    """Record a decision that replaces one or several others."""
    with asking(flags) as ask:
        made = ask(
            "supersede_decision",
            old_decision_ids=old,
            title=title,
            target=_target_of(ask, old[0]) if target is None else target,
            rationale=rationale,
            consequences=consequence or None,
            cites=cite or None,
            enforcement=enforcement,
        )
        _tell(made, json=json)


@settings_flags
def accept(flags: Flags, proposal: ProposalId, *, json: Json = False) -> None:
    """Make a proposal an active decision. Asks for the server's secret."""
    with asking(flags) as ask:
        _tell(ask("accept_proposal", proposal_id=proposal), json=json)


@settings_flags
def reject(
    flags: Flags,
    proposal: ProposalId,
    *,
    reason: Annotated[str | None, typer.Option(help="Why: a later proposer is told.")] = (None),
    json: Json = False,
) -> None:
    """Reject a proposal for good."""
    with asking(flags) as ask:
        _tell(ask("reject_proposal", proposal_id=proposal, reason=reason), json=json)


@settings_flags
def git(flags: Flags, *, json: Json = False) -> None:
    """Say where the decisions are as a Git repository, and how to push it elsewhere."""
    with opened(flags) as (application, settings):
        folder = git_folder(settings)
        if folder is None:
            raise InvalidInput(
                "This store lies in no folder, so there is no Git repository beside it",
                hint="Name a folder for it with --git-folder",
            )
        project, called = application.own_project(), application.home.name(application.store)
        if not settings.read_only and project != UNMADE:
            try:
                publish_now(application.store, folder, project)
            except NotNow as refusal:
                raise StorageUnavailable(f"Git cannot be written now: {refusal}") from refusal
    path = repository_in(folder, called if project == UNMADE else project)
    if json:
        print_json({"path": str(path), "branch": BRANCH, "exists": path.is_dir()})
        return
    place = f"git --git-dir {shlex.quote(str(path))}"
    print(f"The decisions of {called} are on the branch {BRANCH} of {path}")
    if not path.is_dir():
        print("It does not exist yet: it is made with the first decision.")
    print(f"Look:  {place} log {BRANCH}")
    print(f"Push:  {place} push URL {BRANCH}")


def register(app: typer.Typer) -> None:
    """Add the group."""
    group = typer.Typer(help="Decisions: what holds, and what led to it.", rich_markup_mode=None)
    group.callback(invoke_without_command=True)(overview)
    group.command("list")(list_decisions)
    for command in (show, search, history, record, supersede, proposals, accept, reject, git):
        group.command()(command)
    app.add_typer(group, name="decisions")


def _print_list(flags: Flags, kind: str, status: str | None, *, json: bool) -> None:
    where = {"kind": kind} | ({"status": status} if status else {})

    def work(tx: ReadTx) -> list[answers.Link]:
        return [link(row) for row in newest(tx, where, page=LIST_LIMIT_MAX)]

    with opened(flags) as (application, _):
        links = application.store.read(application.own_project(), work)
    if json:
        for one in links:
            print_json(one.model_dump(mode="json", exclude_none=True))
        return
    for line in table([_row(one) for one in links], painter(), room()):
        print(line)
    if not links:
        print(f"No {kind}s here.")


def _picture(ask: Ask, shown: answers.DecisionInContextAnswer, as_of: str | None) -> Iterator[str]:
    """Draw the chain from its newest decision down to its oldest ones.

    Superseded decisions are below; if there are several, all but the first are drawn to the side.
    """
    head = shown.head.id if shown.head else shown.decision.id
    known = {one.id: one for one in shown.chain}
    paint = painter()
    pending = [(head, "", "")]
    while pending:
        identifier, first, rest = pending.pop()
        if identifier not in known:
            further = _expect(
                answers.DecisionInContextAnswer,
                ask("get_decision", decision_id=identifier, as_of=as_of),
            )
            known |= {one.id: one for one in further.chain}
        one = known[identifier]
        mark = "●" if one.status == "active" else "○"
        here = paint(" <", "cyan") if identifier == shown.decision.id else ""
        yield f"{first}{mark} {_line(one, paint)}{here}"
        older = one.supersedes or []
        pending += [(below, rest, rest) for below in older[:1]]
        pending += [(aside, f"{rest}├─", f"{rest}│ ") for aside in reversed(older[1:])]


def _target_of(ask: Ask, decision: str) -> str:
    shown = _expect(answers.DecisionInContextAnswer, ask("get_decision", decision_id=decision))
    return shown.decision.target


def _line(one: answers.Link, paint: Paint) -> str:
    status = paint(one.status, STATUS_COLOURS[one.status])
    about = f"{printable(one.target)}: {printable(one.title)}"
    return f"{paint(one.id, 'yellow')} {status} {about} {paint(_signed(one), 'grey')}"


def _row(one: answers.Link) -> list[Cell]:
    return [
        (one.id, "yellow"),
        (one.status, STATUS_COLOURS[one.status]),
        (one.at[:10], "grey"),
        (f"{one.title} ({one.target}), by {name_of(one.author)}", None),
    ]


def _signed(one: answers.Link) -> str:
    return f"{printable(one.author)} {one.at[:10]}"


def _expect(kind: type[R], result: Result) -> R:
    assert isinstance(result, kind), f"expected a {kind.__name__}"
    return result


def _tell(result: Result, *, json: bool) -> None:
    if json:
        print_json(result.model_dump(mode="json", exclude_none=True))
    else:
        print(_multiline(result.text()))


def _in_full(decision: answers.DecisionShown) -> Iterator[str]:
    """Show a decision: drawn on a terminal, else as agents get it, between marks."""
    if not markdown.is_drawn():
        yield _multiline(decision.text())
        return
    yield from map(printable, decision.facts())
    yield printable(f"By {name_of(decision.author)}, {decision.at}")
    yield ""
    yield from markdown.drawn(decision.reasons(), min(columns(), COLUMNS_MAX))
    yield ""


def _multiline(text: str) -> str:
    return "\n".join(map(printable, text.splitlines()))
