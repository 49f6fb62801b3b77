"""Runs of graphs: live ones, and those recorded when they are over."""

from typing import Any

from hansard.entities import contract, events, rules
from hansard.entities.answering import check_references, written
from hansard.entities.naming import new_id
from hansard.entities.packing import pack
from hansard.entities.reading import find_as
from hansard.entities.types.agent_graph_execution import AGENT_GRAPH_EXECUTION, FinishedRunDraft
from hansard.kernel.engine import Row, WriteTx
from hansard.kernel.operation import Context
from hansard.kernel.problem import InvalidInput

Json = dict[str, Any]

_OWN = ("startTime", "endTime", "events")
"""What a run has besides its content."""


def record_finished(
    request: contract.EntityCreate, context: Context
) -> contract.EntityWrittenAnswer:
    """Record a run that is over as it was, with its own times, and say that it was so recorded."""
    whole = rules.fit(AGENT_GRAPH_EXECUTION, request.data, FinishedRunDraft)
    content = {name: value for name, value in whole.items() if name not in _OWN}
    happened = whole["events"]
    identifier = new_id(AGENT_GRAPH_EXECUTION.name)

    def work(tx: WriteTx) -> contract.EntityWrittenAnswer:
        check_references(tx, AGENT_GRAPH_EXECUTION, content)
        recorded = events.ExecutionRecorded(
            id=identifier,
            status=content["status"],
            content=pack(tx, content),
            start_time=whole["startTime"],
            end_time=whole["endTime"],
            happened=pack(tx, happened) if happened else None,
            count=len(happened),
        )
        context.record(tx, recorded)
        return written(tx, context, identifier)

    return context.write(work)


def advance(request: contract.ExecutionEvents, context: Context) -> contract.EntityWrittenAnswer:
    """Add what happened in a run, or let it begin or end."""
    happened = [event.plain() for event in request.events]
    rules.check_size("events", happened)

    def work(tx: WriteTx) -> contract.EntityWrittenAnswer:
        row = find_as(tx, request.id, AGENT_GRAPH_EXECUTION)
        rules.check_status(row["id"], row["status"], request.status, happens=bool(happened))
        advanced = events.ExecutionAdvanced(
            id=row["id"],
            status=request.status,
            happened=pack(tx, happened) if happened else None,
            count=len(happened),
        )
        context.record(tx, advanced)
        return written(tx, context, row["id"])

    return context.write(work)


def advance_status(tx: WriteTx, context: Context, row: Row, given: Json) -> None:
    """Change a run by its status, the one field of it that can be given."""
    unknown = given.keys() - {"status", "agentGraphId"}
    if unknown:
        field = min(unknown)
        raise InvalidInput(f"data.{field}: cannot be set", argument=f"data.{field}")
    before = {"agentGraphId": row["agentGraphId"]}
    AGENT_GRAPH_EXECUTION.check_change(before, before | given)
    status = given.get("status")
    if status not in ("notStarted", "inProgress", "completed", "failed"):
        raise InvalidInput(
            "data.status: notStarted, inProgress, completed or failed", argument="data.status"
        )
    rules.check_status(row["id"], row["status"], status, happens=False)
    context.record(
        tx, events.ExecutionAdvanced(id=row["id"], status=status, happened=None, count=0)
    )
