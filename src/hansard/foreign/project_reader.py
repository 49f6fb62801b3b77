"""Reads a project's current state in one transaction, for export."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from hansard.app.application import Application
from hansard.checkpoints.answers import CheckpointListAnswer
from hansard.decisions.answers import DecisionInContextAnswer
from hansard.decisions.reading import newest
from hansard.kernel import paging
from hansard.kernel.engine import ReadTx, Row, Table
from hansard.kernel.limits import LIST_LIMIT_MAX
from hansard.kernel.operation import Caller, Result
from hansard.kernel.origin import happened
from hansard.recorder.limits import BUDGET_TOKENS_MAX
from hansard.recorder.story.answers import StoryAnswer
from hansard.records.reading import whole
from hansard.records.shapes import Record
from hansard.records.views import RECORDS
from hansard.sessions.views import SESSIONS

PAGE = 200


@dataclass(frozen=True, slots=True)
class SessionStory:
    """A session and its story."""

    id: str
    started: str
    status: str
    story: StoryAnswer


class ProjectReader:
    """Reads one project for a caller."""

    def __init__(self, application: Application, caller: Caller) -> None:
        """Read the application's own project."""
        self._application = application
        self._caller = caller
        self.project = application.own_project()

    def records(self) -> Iterator[Record]:
        """Go through all records, with their bodies."""
        for row in self._rows(RECORDS):
            yield self._application.store.read(self.project, partial(_whole, row))

    def decisions(self) -> Iterator[DecisionInContextAnswer]:
        """Go through all decisions and proposals, oldest first."""

        def ids(tx: ReadTx) -> list[str]:
            kinds = ("decision", "proposal")
            return [row["id"] for kind in kinds for row in newest(tx, {"kind": kind}, page=PAGE)]

        for identifier in sorted(self._application.store.read(self.project, ids)):
            found = self._ask("get_decision", decision_id=identifier)
            assert isinstance(found, DecisionInContextAnswer), (
                "get_decision answers with a decision"
            )
            yield found

    def sessions(self) -> Iterator[SessionStory]:
        """Go through all sessions with their stories, in the order in which they began."""
        rows = sorted(self._rows(SESSIONS), key=lambda row: int(row["started_seq"]))
        for row in rows:
            story = self._ask("get_story", session_id=row["id"], budget_tokens=BUDGET_TOKENS_MAX)
            assert isinstance(story, StoryAnswer), "get_story answers with a story"
            seq = int(row["started_seq"])
            when = self._application.store.read(self.project, partial(_happened, seq))
            yield SessionStory(row["id"], when or str(row["created"]), str(row["status"]), story)

    def checkpoints(self, session: str) -> list[dict[str, Any]]:
        """List a session's checkpoints, without what they hold."""

        def ask(**place: str) -> CheckpointListAnswer:
            asked = {"session_id": session, "limit": LIST_LIMIT_MAX} | place
            found = self._ask("workflow_checkpoint_list", **asked)
            assert isinstance(found, CheckpointListAnswer), (
                "a list of checkpoints is answered with one"
            )
            return found

        return [
            one.model_dump(mode="json") for page in paging.answers(ask) for one in page.checkpoints
        ]

    def _ask(self, name: str, **arguments: Any) -> Result:
        return self._application.call(name, arguments, self._caller)

    def _rows(self, table: Table) -> list[Row]:
        def work(tx: ReadTx) -> list[Row]:
            return [one.row for one in paging.rows(tx, table)]

        return self._application.store.read(self.project, work)


def _whole(row: Row, tx: ReadTx) -> Record:
    return whole(tx, row)


def _happened(seq: int, tx: ReadTx) -> str | None:
    return happened(tx, seq)
