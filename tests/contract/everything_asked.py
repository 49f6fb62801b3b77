"""One long piece of work in which every operation is asked at least once, and answers."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pygit2

from hansard.app.application import Application
from hansard.kernel.operation import Caller, Result
from tests.conftest import a_caller
from tests.entities.export_samples import GIVEN

Json = dict[str, Any]

SECRET = "a secret of the server's own"
TEXTS = {"type": "task", "title": "A title", "summary": "A summary", "body": "A body\n"}
REASON = "It was measured, twice, and agreed upon."


@dataclass
class Asking:
    """A caller, and what it was answered."""

    app: Application
    caller: Caller
    answers: list[tuple[str, Result]] = field(default_factory=list)
    asked: list[tuple[str, Json]] = field(default_factory=list)
    """What was asked, in the same order."""

    def __call__(self, name: str, /, **arguments: Any) -> Json:
        """Ask, and keep the answer."""
        answer = self.app.call(name, arguments, self.caller)
        self.answers.append((name, answer))
        self.asked.append((name, arguments))
        return answer.model_dump(mode="json", exclude_none=True)

    def another(self) -> "Asking":
        """Ask as another chat, for the same record."""
        return replace(self, caller=a_caller(session="another" if self.caller.session else None))


def ask_everything(app: Application, folder: Path) -> list[tuple[str, Result]]:
    """Ask every operation of an application that serves the files of a folder."""
    asking = Asking(app, a_caller(secret=SECRET))
    ask_nearly_everything(asking, folder)
    ask_the_end(asking)
    return asking.answers


def ask_nearly_everything(asking: Asking, folder: Path) -> None:
    """Ask every operation but those that end a session."""
    parts: tuple[Callable[[Asking], None], ...] = (_records, _work, _checkpoints, _decisions)
    for part in (*parts, _entities):
        part(asking)
    _history(asking, folder)


def _records(ask: Asking) -> None:
    ask("create_project", id="shop", name="Shop", description="What is sold")
    ask("list_projects", limit=1)
    ask("get_project")
    parent = ask("create_record", **TEXTS)["record"]["id"]
    ask("activate", id=parent)
    child = ask("create_record", **TEXTS, parent_id=parent)["record"]["id"]
    other = ask("create_record", **TEXTS, related=[child])["record"]["id"]
    for _ in range(3):
        ask("create_record", **TEXTS, parent_id=parent)
    ask("activate", id=child)
    ask("activate", id=parent)
    ask("update_record", id=child, title="Another title")
    ask("move_record", id=child, parent_id=None)
    ask("transition", id=child, to_state="LATER", reason="Not now")
    ask("transition", id=parent, to_state="RESOLVED", resolved_by=other)
    ask("get_project_overview")
    ask("search_records", query="title", limit=2)
    ask("list_records", limit=2)
    ask("list_records", parent_id=parent, format="outline")
    ask("get_record_ref", id=child)
    ask("get_record_body", id=child, limit=3)
    ask("get_record_history", id=child, limit=1)
    ask("get_record_diff", id=child, **{"from": "t:2"})
    ask("get_active_sessions", record_id=child)
    ask("get_recent_activity", limit=3)
    _another_chat(ask, child)


def _another_chat(ask: Asking, record: str) -> None:
    """Have someone else change a record, so that there is something to hear of and to merge."""
    other = ask.another()
    other("activate", id=record)
    other("update_record", id=record, body="Theirs\n")
    met = ask("update_record", id=record, body="Ours\n")["conflict"]
    ask("update_record", id=record, summary="Ours", accept="merge")
    other("update_record", id=record, body="Ours\n", force=True, force_version=met["version"] + 1)
    ask("sync_session")
    ask("get_active_sessions", record_id=record, limit=1)
    ask("save_session", summary="So far")
    ask("branch_session")
    ask("deactivate", id=record)


def _work(ask: Asking) -> None:
    session = ask("record_session_start", title="Work", user_message="Do it")["session_id"]
    ask("record_plan", steps=["First", "Second"])
    ask("record_plan_step", step="Third")
    ask("record_step", index=0)
    ask("audit_event", type="note", description="Noted")
    ask("file_op", action="create", path="a.py", content="one\n")
    edited = ask("file_op", action="edit", path="a.py", edits=[{"old": "one", "new": "two"}])
    ask("file_op", ops=[{"action": "create", "path": f"{n}.py", "content": "x\n"} for n in "bc"])
    ask("file_read", path="a.py")
    ask("record_file_create", path="d.py", content="one\n")
    ask("record_file_edit", path="d.py", content="two\n")
    ask("record_file_move", path="d.py", to="e.py")
    ask("record_file_delete", path="e.py")
    ask("restore", entry=f"s:{edited['receipt']['seq']}", preview=True)
    ask("restore", path="a.py", point=f"s:{edited['receipt']['seq']}", to="before")
    ask("undo", entry=f"s:{edited['receipt']['seq']}", preview=True, diff=True)
    ask("undo", of_session=session, paths=["b.py"])
    ask("get_timeline", session_id=session, limit=3)
    ask("get_story", session_id=session)
    ask("get_evolution", path="a.py", limit=1)
    ask("get_evolution", path="a.py", revision=1)
    ask("why", path="a.py", line=1)
    ask("list_sessions", limit=1)


def _checkpoints(ask: Asking) -> None:
    first = ask("workflow_checkpoint_save", context={"n": 1}, metadata={"name": "First"})
    session = first["sessionId"]
    ask("workflow_mark_critical", contextKey="n", sessionId=session)
    second = ask("workflow_checkpoint_save", context={"n": 2, "m": [1]})
    ask("workflow_checkpoint_save", context={"n": 2, "m": [1]})
    ask("workflow_checkpoint_load", checkpointId=first["checkpointId"])
    ask("workflow_checkpoint_load", sessionId=session)
    ask("workflow_checkpoint_list", sessionId=session, limit=1)
    ids = {"from": first["checkpointId"], "to": second["checkpointId"]}
    ask("workflow_checkpoint_diff", **ids)
    ask("workflow_checkpoint_delete", checkpointId=second["checkpointId"])


def _decisions(ask: Asking) -> None:
    told = {"title": "Cache", "target": "parser", "rationale": REASON}
    old = ask("record_decision", **told)["decision_id"]
    ask("supersede_decision", **told, old_decision_ids=[old])
    ask("search_decisions", query="cache", mode="audit")
    ask("search_decisions", query="cache")
    ask("get_decision", decision_id=old)
    drafts = [
        ask("propose_decision", **told | {"target": target})["proposal_id"] for target in "ab"
    ]
    ask("get_decision", decision_id=drafts[0])
    ask("accept_proposal", proposal_id=drafts[0])
    ask("reject_proposal", proposal_id=drafts[1], reason="It was not")


def _entities(ask: Asking) -> None:
    made: Json = {}
    for name, given in GIVEN.items():
        graph = {"agentGraphId": made["agentGraph"]} if name == "agentGraphExecution" else {}
        made[name] = ask("entity_create", type=name, data=given | graph)["entity"]["id"]
        ask("entity_get", id=made[name])
    said = [{"type": "text", "payload": {"content": "And so on"}}]
    ask("thread_append", thread_id=made["messageThread"], sender="user", partials=said)
    ask("thread_append", chat_id=made["chatThread"], sender="user", partials=said)
    ask("document_revise", id=made["textDocument"], content="# Other notes")
    ask("entity_update", id=made["settings"], data={"theme": "light"})
    ask("entity_list", type="textDocument", limit=1)
    ask("entity_list", type="textDocument", where={"nextId": None}, order="-updatedAt")
    over = {"status": "failed", "startTime": "2026-01-01", "endTime": "2026-01-02"}
    over["agentGraphId"] = made["agentGraph"]
    ask("entity_create", type="agentGraphExecution", data=over)
    log = {"type": "log", "level": "info", "message": "Well"}
    ask("execution_event", id=made["agentGraphExecution"], events=[log], status="completed")
    ask("metric_record", samples=[{"name": "ms", "value": n, "dimensions": {}} for n in (1, 2)])
    ask("metric_query", name="ms", by=["of none"])
    ask("metric_query", name="ms", raw=True, limit=1)
    ask("metric_query")
    ask("entity_delete", id=made["modelConnection"])
    ask("search", query="title", limit=2)


def _history(ask: Asking, folder: Path) -> None:
    repository = pygit2.init_repository(str(folder / "project"), bare=False)
    author = pygit2.Signature("Ada", "ada@example.invalid")
    tree = repository.TreeBuilder().write()
    repository.create_commit("HEAD", author, author, "A cache for titles", tree, [])
    ask("sync_git_history", repo_path="project")
    ask("search", query="cache titles")


def ask_the_end(ask: Asking) -> None:
    """Ask what ends a session."""
    ask("close_session", summary="Done")
    ask.caller = a_caller()
    ask("audit_event", type="note", description="Another session")
    ask("record_session_end", summary="Done too")
