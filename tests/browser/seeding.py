"""Stores for the browser to look at, and a second process's hand in them."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from hansard.app import people
from hansard.app.application import Application
from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.cli import demo
from hansard.kernel.clock import to_text, utc_now
from hansard.kernel.engine import WriteTx
from hansard.kernel.event import Actor, Event, Stamp
from hansard.kernel.operation import Caller
from hansard.recorder.events import Audited

AGENT = Actor("agent", "second", "agent")
Answer = dict[str, Any]
Call = Callable[..., Answer]

COMMIT = 5_000
"""Entries that are written at once."""

MARKUP = "<script>window.harmed=1</script><img src=x onerror='window.harmed=1'>"
"""What must stay text wherever it is stored."""


def settings_of(folder: Path) -> Settings:
    """Say how the example is set up, without a model that takes long to load."""
    return replace(demo.settings_in(folder), embedder="none")


def fill_example(folder: Path) -> None:
    """Fill a folder with the project that `hansard demo` shows."""
    demo.fill(settings_of(folder))


def know_secret(folder: Path) -> None:
    """Have the store of the example know the secret that lies beside it."""
    application = start(settings_of(folder))
    secret = (folder / "secret").read_text().strip()
    person = Stamp(Actor("human", "maria", "admin"), to_text(utc_now()))
    people.set_secret(application.store, secret, person, proof="unproved")
    application.close()


@contextmanager
def second_process(folder: Path, actor: Actor = AGENT) -> Iterator[Call]:
    """Open the store beside the server, as an agent's own process would."""
    application = start(settings_of(folder))
    try:
        yield _caller(application, actor)
    finally:
        application.close()


def _caller(application: Application, actor: Actor) -> Call:
    def call(operation: str, **arguments: Any) -> Answer:
        result = application.call(operation, arguments, Caller(actor))
        answer: Answer = json.loads(result.model_dump_json(exclude_none=True))
        return answer

    return call


def store_markup(call: Call) -> Mapping[str, str]:
    """Put markup into every field that takes text; gives what to look at, by name."""
    started = call("record_session_start", title=MARKUP, user_message=MARKUP)
    session = {"session_id": started["session_id"]}
    call("record_plan", steps=[MARKUP, MARKUP], **session)
    call("record_step", index=0, **session)
    call("audit_event", type="note", description=MARKUP, **session)
    path = "markup/<img src=x>.html"
    for content in (MARKUP, f"{MARKUP}\n{MARKUP}"):
        call("file_op", path=path, action="create", content=content, overwrite=True, **session)
    record = call(
        "create_record",
        type="<b>task</b>",
        title=MARKUP,
        summary=MARKUP,
        body=MARKUP,
        metadata={MARKUP: MARKUP},
        **session,
    )["record"]["id"]
    call("update_record", id=record, body=f"{MARKUP} again", **session)
    decided = {"title": MARKUP, "rationale": MARKUP, "consequences": [MARKUP]}
    decision = call("record_decision", target=f"a {MARKUP}", **decided, **session)["decision_id"]
    proposal = call("propose_decision", target=f"b {MARKUP}", **decided, **session)["proposal_id"]
    for value in (MARKUP, f"{MARKUP}!"):
        call(
            "workflow_checkpoint_save",
            context={MARKUP: value},
            metadata={"name": MARKUP, "tags": ["<i>tag</i>"]},
            **session,
        )
    return session | {"path": path, "record": record, "decision": decision, "proposal": proposal}


def fill_long(folder: Path, entries: int) -> None:
    """Fill a folder with one session of so many notes, many to a commit."""
    application = start(settings_of(folder))
    caller = Caller(AGENT)
    try:
        started = application.call("record_session_start", {"title": "A long day"}, caller)
        session: str = started.model_dump()["session_id"]
        stamp = Stamp(AGENT, to_text(utc_now()), session)
        for first in range(0, entries, COMMIT):
            notes = [_note(number, entries) for number in range(first, first + COMMIT)]
            _record(application, notes, stamp)
    finally:
        application.close()


def _note(number: int, entries: int) -> Event:
    text = f"Entry {number} of {entries}"
    return Audited(type="note", description=text, revision=None, step=None, cites=[])


def _record(application: Application, events: Sequence[Event], stamp: Stamp) -> None:
    def work(tx: WriteTx) -> None:
        for event in events:
            application.store.record(tx, event, stamp)

    application.store.write(demo.PROJECT, work)
