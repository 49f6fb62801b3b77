"""Source 002, typed records: the fields of each type."""

from tests.contract.requirements.requirement import held, section

REQUIREMENTS = (
    *section(
        "002: Record types",
        "entities",
        held(
            "002-base-1",
            "Every type has id, createdAt and updatedAt, turns, nodes and edges included.",
        ),
        held(
            "002-base-2",
            "The types go by the source's names, and extend BaseRecordProps.",
        ),
        held(
            "002-textDocument-1",
            'textDocument has title, type ("markdown" only) and content.',
        ),
        held(
            "002-textDocument-2",
            "textDocument has previousId and nextId, each an id or null, which link its versions.",
        ),
        held(
            "002-modelConnection-1",
            "modelConnection has name and description.",
        ),
        held(
            "002-modelConnection-2",
            "modelConnection.accessFormat is gemini, openai or anthropic.",
        ),
        held(
            "002-modelConnection-3",
            "modelConnection has providerId, modelId and data of any JSON.",
        ),
        held(
            "002-messageThread-1",
            "messageThread has turns, an immutable list.",
        ),
        held(
            "002-messageThread-2",
            "A turn has senderId and partials.",
        ),
        held(
            "002-messageThread-3",
            'A text partial has type "text" and payload {content}.',
        ),
        held(
            "002-messageThread-4",
            'A toolRequest partial has type "toolRequest" and payload {callId, shortId, input}.',
        ),
        held(
            "002-messageThread-5",
            'A toolResponse partial has type "toolResponse" and payload {callId, status, output}.',
        ),
        held(
            "002-messageThread-6",
            "add_partial(sender, partial) starts a new turn if the sender is another, else adds "
            "to the current one.",
        ),
        held(
            "002-messageThread-7",
            "Each method makes a new thread, saves it and returns it; the one it was called on is "
            "unchanged.",
        ),
        held(
            "002-chatThread-1",
            "chatThread has name, description, threadId and participantId.",
        ),
        held(
            "002-agentGraph-1",
            "agentGraph has name, description, nodes and edges.",
        ),
        held(
            "002-agentGraph-2",
            "A node has nodeId, position {x, y} and parameters of any JSON.",
        ),
        held(
            "002-agentGraph-3",
            "An edge has sourceNodeId, sourcePortId, targetNodeId and targetPortId.",
        ),
        held(
            "002-agentGraphExecution-1",
            "agentGraphExecution has agentGraphId, status, events, startTime and endTime.",
            decided="contract overrides: endTime is null until the end",
        ),
        held(
            "002-metric-1",
            "metric has name, dimensions (strings to strings, optional) and a numerical value.",
        ),
        held(
            "002-settings-1",
            "settings has lastPage and theme.",
        ),
    ),
)
