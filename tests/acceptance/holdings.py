"""What the acceptance tests put into a store, and how they look for it."""

from hansard.app.application import Application
from hansard.app.keeping.redaction import WantedErasure, erase
from hansard.kernel.blob import digest_of
from hansard.kernel.event import Actor, Stamp
from hansard.kernel.follow import catch_up
from hansard.kernel.problem import Problem
from tests.decisions.parties import Json, Party

WORD = "quetzalcoatl"
"""Stands in what is written, and nowhere else."""

BODY = f"The {WORD} is the password of the staging server.\n" * 3

READING: dict[str, Json] = {
    "search": {"query": WORD},
    "search_records": {"query": WORD},
    "search_decisions": {"query": WORD, "mode": "audit"},
    "get_project_overview": {},
    "list_records": {},
    "get_recent_activity": {},
    "get_timeline": {},
    "get_story": {},
    "get_evolution": {},
}
"""The ways by which what is stored comes before a model, without naming an id."""

ADMIN = Stamp(Actor("human", "ada", "admin"), "2026-01-02T03:04:05.000000Z")


def fill(party: Party, **fixed: str) -> None:
    """Write the word in each capability that holds text."""
    record = {"type": "note", "title": f"On {WORD}", "summary": f"{WORD}!", "body": BODY}
    party.ask("create_record", parent_id=None, **record, **fixed)
    party.ask(
        "record_decision", target=f"{WORD} policy", title=f"Keep {WORD}", rationale=BODY, **fixed
    )
    party.ask("audit_event", type="note", description=f"Saw {WORD}", **fixed)
    party.ask("workflow_checkpoint_save", context={"seen": WORD}, **fixed)


def shown(party: Party, operation: str, **arguments: object) -> str:
    """Give all of an answer, in both forms; of a refusal, what it says."""
    try:
        result = party.app.call(operation, party.fixed | arguments, party.caller)
    except Problem as problem:
        # What is asked wrongly shows nothing, and would prove nothing.
        if problem.code == "INVALID_INPUT" and "project_id" not in problem.message:
            raise
        return str(problem.as_dict())
    return result.text() + result.model_dump_json()


def everything_shown(party: Party, **fixed: object) -> str:
    """Give all that the ways of reading show."""
    return "\n".join(shown(party, name, **given, **fixed) for name, given in READING.items())


def settle(app: Application, *projects: str) -> None:
    """Let everything that is derived slowly catch up."""
    for project in projects:
        for follower in app.followers:
            while catch_up(app.store, follower, project):
                pass


def erase_body(app: Application, project: str = "default") -> None:
    """Erase the text of a record's body, as `hansard redact` does."""
    wanted = WantedErasure(digests=(digest_of(BODY.encode()),))
    erase(app.store, project, wanted, reason="it is a password", stamp=ADMIN)
