"""`hansard demo`: an example project to look around in, made by the same calls that agents make.

The project, its people and its times are made up, and its description says so. Nothing is copied
into the store: every entry was recorded by an operation, and `verify` finds it sound.
"""

import webbrowser
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from pathlib import Path
from secrets import token_urlsafe
from threading import Thread
from typing import TYPE_CHECKING, Annotated, Any

import orjson
import typer

from hansard.app.application import Application
from hansard.app.settings import Settings, load, sources
from hansard.app.start import start
from hansard.cli.flags import Flags
from hansard.cli.options import settings_flags
from hansard.kernel.event import Actor
from hansard.kernel.operation import Caller
from hansard.kernel.problem import InvalidInput, Problem

if TYPE_CHECKING:
    from starlette.routing import Route

    from hansard.http.site import Site


PROJECT = "lantern"
BUILDER = Actor("agent", "builder", "agent")
REVIEWER = Actor("agent", "reviewer", "agent")
PERSON = Actor("human", "maria", "admin")
BEGAN_BEFORE = timedelta(hours=46)

Shows = Annotated[bool, typer.Option("--open/--no-open", help="Open the page in a browser.")]
Folder = Annotated[Path, typer.Argument(help="An empty or new folder for the example.")]
Answer = dict[str, Any]


@settings_flags
def demo(flags: Flags, folder: Folder = Path("hansard-demo"), opens: Shows = True) -> int:
    """Fill a folder with an example project, then serve it and open its page."""
    is_new = not (folder / "store").exists()
    if is_new and folder.exists() and any(folder.iterdir()):
        raise InvalidInput(f"{folder} is not empty", hint="Name a new folder for the example")
    settings = settings_in(folder, load(flags))
    if is_new:
        fill(settings)
        typer.echo(f"An example project is in {folder}.")
    typer.echo(f"To accept a proposal, prove the secret in {settings.secret_file}.")
    application = start(settings)
    application.follow()
    from hansard.cli.listen_port import listen_near, listen_on
    from hansard.http import server
    from hansard.http.site import Site

    # Beside a server that runs already the example takes the next port, unless one was asked for.
    listens = listen_on if "port" in sources(flags) else listen_near
    try:
        site, listener = Site(application, settings), listens(settings)
    except Problem:
        application.close()
        raise
    beside = _Opening(site) if opens else site
    return server.serve(application, settings, beside, front=site.around, listener=listener)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(demo)


@dataclass(frozen=True, slots=True)
class _Opening:
    """A page that is opened in a browser as soon as it is served."""

    site: "Site"

    def routes(self) -> "list[Route]":
        """List what is answered where."""
        return self.site.routes()

    def announce(self, base: str, port: int) -> str:
        """Say where the page is, and open it."""
        address = f"{base}/?token={self.site.door.issue()}"
        # Some browsers do not return before they are closed.
        Thread(target=webbrowser.open, args=[address], daemon=True).start()
        return self.site.announce(base, port)

    def end(self) -> None:
        """End what would keep the server from ending."""
        self.site.end()


def _example() -> dict[str, Any]:
    """Read what the example says: its records, files, plans, decisions, talk and run."""
    example: dict[str, Any] = orjson.loads(files(__package__).joinpath("demo.json").read_bytes())
    return example


def settings_in(folder: Path, settings: Settings | None = None) -> Settings:
    """Say how a Hansard is set up whose store and workspace lie in a folder."""
    workspace = folder / "workspace"
    workspace.mkdir(parents=True, exist_ok=True)
    secret = folder / "secret"
    if not secret.exists():
        secret.touch(mode=0o600)
        secret.write_text(token_urlsafe(), encoding="utf-8")
    return replace(
        settings or Settings(),
        store=str(folder / "store"),
        workspace=str(workspace),
        secret_file=str(secret),
        project=PROJECT,
    )


def fill(settings: Settings) -> None:
    """Make the example project in an empty store."""
    clock = _Clock(datetime.now(UTC) - BEGAN_BEFORE)
    application = start(settings, clock=clock)
    try:
        _tell(Cast(application, clock))
    finally:
        application.close()


class _Clock:
    """A clock that moves only on request, so that the example spans days."""

    def __init__(self, began: datetime) -> None:
        self.now = began

    def __call__(self) -> datetime:
        return self.now


@dataclass(frozen=True, slots=True)
class Cast:
    """An actor of the example."""

    application: Application
    clock: _Clock

    def wait(self, **passed: float) -> None:
        """Let time pass."""
        self.clock.now += timedelta(**passed)

    def call(self, actor: Actor, operation: str, arguments: Mapping[str, Any]) -> Answer:
        """Run one operation as somebody; each takes its author a moment."""
        self.wait(seconds=19)
        result = self.application.call(operation, arguments, Caller(actor))
        return result.model_dump(mode="json", exclude_none=True)

    def begin(self, actor: Actor, title: str, message: str) -> "DemoSession":
        """Begin a recorded session."""
        asked = {"title": title, "user_message": message, "project_id": PROJECT}
        began = self.call(actor, "record_session_start", asked)
        return DemoSession(self, actor, began["session_id"])


@dataclass(frozen=True, slots=True)
class DemoSession:
    """Somebody's session."""

    cast: Cast
    actor: Actor
    id: str

    def do(self, operation: str, **arguments: Any) -> Answer:
        """Do one operation in it."""
        return self.cast.call(self.actor, operation, {"session_id": self.id, **arguments})

    def step(self, index: int, minutes: float = 4) -> None:
        """Begin a step of the plan."""
        self.cast.wait(minutes=minutes)
        self.do("record_step", index=index)

    def write(self, path: str, content: str, action: str = "edit") -> None:
        """Leave a file with this content."""
        self.cast.wait(seconds=50)
        self.do("file_op", path=path, action=action, content=content)

    def note(self, kind: str, text: str) -> None:
        """Put something on the timeline."""
        self.do("audit_event", type=kind, description=text)


def _tell(cast: Cast) -> None:
    """Play the whole example, in order."""
    about = "A link checker for documentation sites. An example: people and times are made up."
    cast.call(PERSON, "create_project", {"id": PROJECT, "name": "Lantern", "description": about})
    tree = _plan_work(cast)
    _decide_client(cast)
    _build_crawler(cast, tree)
    cast.wait(hours=15)
    finding = _add_retries(cast, tree)
    decisions = _decide_limits(cast, finding)
    cast.wait(hours=19)
    _report(cast, tree, decisions)
    _run_nightly(cast)
    cast.wait(hours=5)
    _propose(cast)


def _plan_work(cast: Cast) -> dict[str, str]:
    """Write down what is to be done; gives the records' ids by a short name."""
    person = cast.begin(PERSON, "What Lantern must do", "Let us write down the goals first.")
    ids: dict[str, str] = {}
    for record in _example()["records"]:
        name, parent = record.pop("name"), ids.get(record.pop("parent"))
        made = person.do("create_record", **record, parent_id=parent)
        ids[name] = made["record"]["id"]
    person.do(
        "transition",
        id=ids["javascript"],
        to_state="LATER",
        reason="Needs a browser; the first release does without",
    )
    person.do(
        "transition",
        id=ids["mail"],
        to_state="DISCARDED",
        reason="A mailbox cannot be checked without writing to it",
    )
    person.do("record_session_end", summary="Goals and first tasks are written down.")
    return ids


def _build_crawler(cast: Cast, tree: Mapping[str, str]) -> None:
    cast.wait(minutes=40)
    agent = cast.begin(
        BUILDER, "Check links in parallel", "Build the crawler. Keep it polite to the servers."
    )
    agent.do("activate", id=tree["crawl"])
    agent.do("record_plan", steps=_example()["crawl_plan"])
    agent.step(0)
    agent.write("README.md", _example()["readme"][0], "create")
    agent.write("lantern/crawl.py", _example()["crawl"][0], "create")
    agent.note("note", "One request at a time takes 4 minutes for 600 pages.")
    agent.step(1)
    for revision in _example()["crawl"][1:3]:
        agent.write("lantern/crawl.py", revision)
    agent.write("tests/test_crawl.py", _example()["test"][0], "create")
    agent.note("milestone", "600 pages in 21 seconds with 16 workers.")
    agent.step(2, minutes=12)
    for revision in _example()["crawl"][3:5]:
        agent.write("lantern/crawl.py", revision)
    _save(agent, "crawler works", {"pages": 600, "workers": 16, "next": "retries"})
    agent.do(
        "update_record",
        id=tree["crawl"],
        body=_example()["crawl_body"],
        summary="Done for http and https; 16 workers, one host at a time.",
    )
    agent.step(3)
    agent.write("tests/test_crawl.py", _example()["test"][1])
    agent.do("save_session", summary="The crawler with its tests")
    agent.do("record_session_end", summary="Links are checked in parallel, politely.")


def _add_retries(cast: Cast, tree: Mapping[str, str]) -> str:
    """Mend the false alarms; gives the id of the finding that explains them."""
    agent = cast.begin(
        REVIEWER, "Retry what fails for a moment", "Flaky servers make false alarms. Retry them."
    )
    agent.do("activate", id=tree["retry"])
    agent.do("record_plan", steps=_example()["retry_plan"])
    agent.step(0)
    agent.write("lantern/retry.py", _example()["retry"][0], "create")
    agent.step(1, minutes=9)
    agent.write("lantern/crawl.py", _example()["crawl"][5])
    agent.write("lantern/retry.py", _example()["retry"][1])
    agent.note("decision", "Only 429 and 5xx are tried again: a 404 stays a 404.")
    _save(
        agent,
        "retries",
        {
            "pages": 600,
            "workers": 16,
            "flaky": ["docs.example.org/old", "docs.example.org/api"],
            "next": "report",
        },
    )
    agent.step(2)
    agent.write("lantern/crawl.py", _example()["crawl"][6])
    agent.write("tests/test_crawl.py", _example()["test"][2])
    finding: str = agent.do(
        "create_record",
        type="finding",
        title="Two of three false alarms were rate limits",
        summary="Retry-After is honoured now.",
        body=_example()["finding"],
        parent_id=tree["retry"],
    )["record"]["id"]
    agent.do("transition", id=tree["retry"], to_state="RESOLVED", resolved_by=finding)
    agent.do("record_session_end", summary="False alarms fell from 31 to 2 a run.")
    return finding


def _report(cast: Cast, tree: Mapping[str, str], decisions: Sequence[str]) -> None:
    """Leave one session open, with work under way that rests on what was decided."""
    agent = cast.begin(
        BUILDER, "A report people can read", "One page: what is broken, where, since when."
    )
    agent.do("activate", id=tree["report"])
    agent.do("update_record", id=tree["report"], cites=list(decisions))
    agent.do("record_plan", steps=_example()["report_plan"])
    agent.step(0)
    agent.write("lantern/report.py", _example()["report"][0], "create")
    agent.write("lantern/report.py", _example()["report"][1])
    agent.step(1)
    agent.write("lantern/report.py", _example()["report"][2])
    agent.write("README.md", _example()["readme"][1])
    _save(agent, "report drafted", {"columns": ["link", "page", "since"], "next": "colours"})
    agent.do("workflow_mark_critical", contextKey="columns")
    _save(
        agent,
        "columns settled",
        {"columns": ["link", "page", "status", "since"], "next": "colours", "open": {"width": 80}},
    )
    agent.note("question", "Should redirects be listed? They are not broken, only old.")


def _save(sitting: DemoSession, name: str, context: Answer) -> None:
    metadata = {"name": name, "tags": ["example"]}
    sitting.do("workflow_checkpoint_save", context=context, metadata=metadata)


def _decide_client(cast: Cast) -> None:
    """Decide the same question three times, for good reasons."""
    agent = cast.begin(BUILDER, "Choose the HTTP client", "What should fetch the pages?")
    ids: list[str] = []
    for choice in _example()["client_choices"]:
        if ids:
            made = agent.do("supersede_decision", old_decision_ids=ids[-1:], **choice)
        else:
            made = agent.do("record_decision", **choice)
        ids.append(made["decision_id"])
        cast.wait(minutes=25)
    agent.do("record_session_end", summary="httpx, async.")


def _decide_limits(cast: Cast, finding: str) -> list[str]:
    """Decide what a person decides; gives the decisions' ids."""
    person = cast.begin(PERSON, "What we promise other sites", "These are for good.")
    ids: list[str] = []
    for choice in _example()["other_choices"]:
        cast.wait(minutes=11)
        cites = [finding, *choice.get("cites", ())] if choice["target"] == "retries" else None
        made = person.do("record_decision", **choice | ({"cites": cites} if cites else {}))
        ids.append(made["decision_id"])
    person.do("record_session_end")
    return ids


def _propose(cast: Cast) -> None:
    agent = cast.begin(REVIEWER, "What could be better", "Look back over the week.")
    for choice in _example()["proposals"]:
        cast.wait(minutes=8)
        agent.do("propose_decision", **choice)


def _measure(agent: DemoSession) -> None:
    """Record how long runs took, two a day, for two weeks."""
    last = agent.cast.clock.now
    samples = [
        {
            "name": name,
            "value": value,
            "dimensions": {"site": site},
            "at": (last - timedelta(hours=12 * (28 - turn))).isoformat(),
        }
        for turn in range(28)
        for site, slow in (("docs", 1.0), ("blog", 0.4))
        for name, value in (
            ("run_seconds", round(slow * (58 - turn + 7 * (turn * 5 % 7) / 3), 1)),
            ("broken_links", float(max(0, round(slow * (31 - turn * 1.1) + turn * 3 % 5)))),
        )
    ]
    agent.do("metric_record", samples=samples)


def _run_nightly(cast: Cast) -> None:
    """Keep what the nightly check measured, a chat about it, its graph and a run over that."""
    agent = cast.begin(BUILDER, "The nightly check", "Let it run by itself every night.")
    _measure(agent)

    def create(kind: str, **content: Any) -> Answer:
        entity: Answer = agent.do("entity_create", type=kind, data=content)["entity"]
        return entity

    chat = create("chatThread", name="Flaky links", participantId="reviewer")
    for said in _example()["chat"]:
        cast.wait(minutes=1)
        agent.do("thread_append", chat_id=chat["id"], **said)
    graph = create("agentGraph", **_example()["graph"])
    run = create("agentGraphExecution", agentGraphId=graph["id"], status="inProgress")
    for turn in _example()["turns"]:
        cast.wait(seconds=turn.pop("after_s"))
        for event in turn["events"]:
            if "edgeId" in event:
                event["edgeId"] = graph["edges"][event["edgeId"]]["id"]
        agent.do("execution_event", id=run["id"], **turn)
    agent.do("record_session_end", summary="The first night found two dead links.")
