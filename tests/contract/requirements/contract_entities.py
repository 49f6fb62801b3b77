"""The contract page, Entities."""

from tests.contract.requirements.requirement import later, section

REQUIREMENTS = (
    *section(
        "contract: Entities, shape",
        "entities",
        later(
            "ENT-shape-1",
            "There is one Python file per type, and the types are pydantic models.",
        ),
        later(
            "ENT-shape-2",
            "An id is `type::` and 20 alphanumerics.",
        ),
        later(
            "ENT-shape-3",
            "createdAt and updatedAt are set by the server, never by the caller.",
        ),
        later(
            "ENT-shape-4",
            "Status is notStarted, inProgress, completed or failed.",
        ),
    ),
    *section(
        "contract: Entities, operations",
        "entities",
        later(
            "ENT-tools-1",
            "entity_create {type, data} gives {entity}, of each of the eight types.",
        ),
        later(
            "ENT-tools-2",
            "entity_create with data that does not fit the type is INVALID_INPUT that names the "
            "field.",
        ),
        later(
            "ENT-tools-3",
            "entity_get {id} gives {entity}.",
        ),
        later(
            "ENT-tools-4",
            "entity_update {id, data, expected_updated_at?} changes what data holds and moves "
            "updatedAt.",
        ),
        later(
            "ENT-tools-5",
            "entity_update with an expected_updated_at that is no longer true is ENTITY_CONFLICT "
            "and changes nothing.",
        ),
        later(
            "ENT-tools-6",
            "entity_list {type, where?, limit, cursor} gives {entities, total, nextCursor}.",
        ),
        later(
            "ENT-tools-7",
            "thread_append {thread_id | chat_id, sender, partials[]} gives {entity}: a new thread "
            "with a new id.",
        ),
        later(
            "ENT-tools-8",
            "document_revise {id, content, title?, fork?} gives {entity}: the new version.",
        ),
        later(
            "ENT-tools-9",
            "metric_record {samples[]} writes many samples at once.",
        ),
        later(
            "ENT-tools-10",
            "entity_update of an immutable type is ENTITY_IMMUTABLE.",
        ),
        later(
            "ENT-tools-11",
            "entity_delete makes the entity unknown to entity_get and entity_list, and its "
            "history stays in the journal.",
        ),
        later(
            "ENT-tools-12",
            "execution_event adds events to a running execution.",
        ),
    ),
    *section(
        "contract: Entities, messageThread",
        "entities",
        later(
            "ENT-thread-1",
            "Every method of messageThread returns a new saved thread; no earlier thread ever "
            "changes.",
        ),
        later(
            "ENT-thread-2",
            "Appending costs the same time and bytes whatever the length of the thread.",
        ),
        later(
            "ENT-thread-3",
            "A fork costs no copy of the thread, and forks do not see each other.",
        ),
        later(
            "ENT-thread-4",
            "The same sender extends the last turn.",
        ),
        later(
            "ENT-thread-5",
            "Partials are a discriminated union: an unknown type or a payload of another type is "
            "INVALID_INPUT.",
        ),
        later(
            "ENT-thread-6",
            "A toolResponse must answer an open toolRequest of the thread.",
        ),
        later(
            "ENT-thread-7",
            "A toolRequest is answered at most once.",
        ),
    ),
    *section(
        "contract: Entities, chatThread",
        "entities",
        later(
            "ENT-chat-1",
            "chatThread is the one mutable head: appending through it moves threadId to the new "
            "thread.",
        ),
        later(
            "ENT-chat-2",
            "Appending through a chat is compare-and-set on threadId: the loser gets "
            "ENTITY_CONFLICT, and no message is lost.",
        ),
    ),
    *section(
        "contract: Entities, textDocument",
        "entities",
        later(
            "ENT-document-1",
            "revise makes a new document whose previousId is the old one's id.",
        ),
        later(
            "ENT-document-2",
            "nextId is derived, so that previousId and nextId always agree.",
        ),
        later(
            "ENT-document-3",
            "A second successor is refused unless fork is true.",
        ),
    ),
    *section(
        "contract: Entities, graphs and executions",
        "entities",
        later(
            "ENT-graph-1",
            "Edges must join existing nodes by instance id.",
        ),
        later(
            "ENT-graph-2",
            "Duplicate edges are refused.",
        ),
        later(
            "ENT-graph-3",
            "Cycles are allowed.",
        ),
        later(
            "ENT-execution-1",
            "An execution goes notStarted, inProgress, then completed or failed; no other way.",
        ),
        later(
            "ENT-execution-2",
            "The end states are frozen: no event, status or time changes afterwards.",
        ),
        later(
            "ENT-execution-3",
            "endTime is null until an end state.",
        ),
        later(
            "ENT-execution-4",
            "Events are typed and kept in order.",
        ),
    ),
    *section(
        "contract: Entities, metrics and settings",
        "entities",
        later(
            "ENT-metric-1",
            "metric is indexed by name, time and dimensions.",
        ),
        later(
            "ENT-metric-2",
            "Many samples make one journal entry.",
        ),
        later(
            "ENT-metric-3",
            "metric_query gives count, sum, min, max, mean, p50 and p95.",
        ),
        later(
            "ENT-metric-4",
            "metric_query groups by time bucket.",
        ),
        later(
            "ENT-metric-5",
            "metric_query groups by dimension.",
        ),
        later(
            "ENT-settings-1",
            "settings is one row per project.",
        ),
        later(
            "ENT-settings-2",
            "settings is made on first read.",
        ),
        later(
            "ENT-settings-3",
            "Unknown keys of settings are kept.",
        ),
    ),
    *section(
        "contract: Entities, secrets and schemas",
        "entities",
        later(
            "ENT-redact-1",
            "modelConnection.data is redacted on read unless an admin asks for it.",
        ),
        later(
            "ENT-redact-2",
            "modelConnection.data is redacted on export unless an admin asks for it.",
        ),
        later(
            "ENT-schema-1",
            "JSON Schema is generated from the type definitions.",
        ),
        later(
            "ENT-schema-2",
            "A Prisma schema is generated from the type definitions, and the real Prisma accepts "
            "it.",
        ),
        later(
            "ENT-schema-3",
            "TypeScript types are generated from the type definitions, and the real compiler "
            "accepts them.",
        ),
        later(
            "ENT-schema-4",
            "The generated schemas are checked current in CI.",
        ),
    ),
)
