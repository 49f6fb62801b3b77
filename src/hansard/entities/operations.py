"""The operations of entities, each declared once."""

from hansard.entities import commands, contract, queries, runs, threads
from hansard.kernel.operation import Operation, Request, Run, Written


def _writing(
    name: str,
    description: str,
    request: type[Request],
    run: Run,
    result: type[Written] = contract.EntityWrittenAnswer,
    *,
    destructive: bool = False,
) -> Operation:
    return Operation(
        name,
        description,
        request,
        result,
        run,
        writes=True,
        role="agent",
        session="begins",
        reopens_session=True,
        destructive=destructive,
    )


OPERATIONS = (
    _writing("entity_create", "Make a typed entity.", contract.EntityCreate, commands.create),
    Operation(
        "entity_get",
        "Get an entity; of threads and runs the last limit turns or events, earlier ones by "
        "cursor. id settings: the project's. reveal: secrets, to admins.",
        contract.EntityGet,
        contract.EntityShownAnswer,
        queries.get,
        writes=False,
    ),
    _writing(
        "entity_update",
        "Change the given fields, if updatedAt is still expected_updated_at.",
        contract.EntityUpdate,
        commands.update,
    ),
    _writing(
        "entity_delete",
        "Delete an entity.",
        contract.EntityDelete,
        commands.delete,
        contract.EntityGoneAnswer,
        destructive=True,
    ),
    Operation(
        "entity_list",
        "List entities of a type, newest first. where: field equals value, or one of a list, or "
        "null. order: id, createdAt or updatedAt, - before it: last first.",
        contract.EntityList,
        contract.EntityListAnswer,
        queries.list_entities,
        writes=False,
    ),
    _writing(
        "thread_append",
        "Make a thread that goes on from a thread or a chat's (both: only if the chat is there). "
        "partials: {type, payload}; payload of text {content}, toolRequest {callId, shortId, "
        "input}, toolResponse {callId, status, output}; none: a fork.",
        contract.ThreadAppend,
        threads.append,
        contract.ThreadWrittenAnswer,
    ),
    _writing(
        "document_revise",
        "Make a document's next version; fork: a second one.",
        contract.DocumentRevise,
        commands.revise,
    ),
    _writing(
        "execution_event",
        "Add events ({type: nodeStarted|nodeCompleted|nodeFailed|edgeTaken|log|custom, …}) to a "
        "run, or begin or end it by status.",
        contract.ExecutionEvents,
        runs.advance,
    ),
)
