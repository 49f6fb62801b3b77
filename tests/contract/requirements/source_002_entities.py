"""Source 002, typed records: the fields of each type."""

from tests.contract.requirements.requirement import later, section

REQUIREMENTS = (
    *section(
        "002: Record types",
        "entities",
        later(
            "002-base-1",
            "Every type has id, createdAt and updatedAt, turns, nodes and edges included.",
        ),
        later(
            "002-textDocument-1",
            'textDocument has title, type ("markdown" only) and content.',
        ),
        later(
            "002-textDocument-2",
            "textDocument has previousId and nextId, each an id or null, which link its versions.",
        ),
        later(
            "002-modelConnection-1",
            "modelConnection has name and description.",
        ),
        later(
            "002-modelConnection-2",
            "modelConnection.accessFormat is gemini, openai or anthropic.",
        ),
        later(
            "002-modelConnection-3",
            "modelConnection has providerId, modelId and data of any JSON.",
        ),
        later(
            "002-messageThread-1",
            "messageThread has turns, an immutable list.",
        ),
        later(
            "002-messageThread-2",
            "A turn has senderId and partials.",
        ),
        later(
            "002-messageThread-3",
            'A text partial has type "text" and payload {content}.',
        ),
        later(
            "002-messageThread-4",
            'A toolRequest partial has type "toolRequest" and payload {callId, shortId, input}.',
        ),
        later(
            "002-messageThread-5",
            'A toolResponse partial has type "toolResponse" and payload {callId, status, output}.',
        ),
        later(
            "002-messageThread-6",
            "add_partial(sender, partial) starts a new turn if the sender is another, else adds "
            "to the current one.",
        ),
        later(
            "002-messageThread-7",
            "Each method makes a new thread, saves it and returns it; the one it was called on is "
            "unchanged.",
        ),
        later(
            "002-chatThread-1",
            "chatThread has name, description, threadId and participantId.",
        ),
        later(
            "002-agentGraph-1",
            "agentGraph has name, description, nodes and edges.",
        ),
        later(
            "002-agentGraph-2",
            "A node has nodeId, position {x, y} and parameters of any JSON.",
        ),
        later(
            "002-agentGraph-3",
            "An edge has sourceNodeId, sourcePortId, targetNodeId and targetPortId.",
        ),
        later(
            "002-agentGraphExecution-1",
            "agentGraphExecution has agentGraphId, status, events, startTime and endTime.",
            decided="contract overrides: endTime is null until the end",
        ),
        later(
            "002-metric-1",
            "metric has name, dimensions (strings to strings, optional) and a numerical value.",
        ),
        later(
            "002-settings-1",
            "settings has lastPage and theme.",
        ),
    ),
)
