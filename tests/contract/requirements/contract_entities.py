"""The contract page, Entities."""

from tests.contract.requirements.requirement import held, section

REQUIREMENTS = (
    *section(
        "contract: Entities, shape",
        "entities",
        held(
            "ENT-shape-1",
            "There is one Python file per type, and the types are pydantic models.",
        ),
        held(
            "ENT-shape-2",
            "An id is `type::` and 20 alphanumerics.",
        ),
        held(
            "ENT-shape-3",
            "createdAt and updatedAt are set by the server, never by the caller.",
        ),
        held(
            "ENT-shape-4",
            "Status is notStarted, inProgress, completed or failed.",
        ),
    ),
    *section(
        "contract: Entities, operations",
        "entities",
        held(
            "ENT-tools-1",
            "entity_create {type, data} gives {entity}, of each of the eight types.",
        ),
        held(
            "ENT-tools-2",
            "entity_create with data that does not fit the type is INVALID_INPUT that names the "
            "field.",
        ),
        held(
            "ENT-tools-3",
            "entity_get {id} gives {entity}.",
        ),
        held(
            "ENT-tools-4",
            "entity_update {id, data, expected_updated_at?} changes what data holds and moves "
            "updatedAt.",
        ),
        held(
            "ENT-tools-5",
            "entity_update with an expected_updated_at that is no longer true is ENTITY_CONFLICT "
            "and changes nothing.",
        ),
        held(
            "ENT-tools-6",
            "entity_list {type, where?, limit, cursor} gives {entities, total, nextCursor}.",
        ),
        held(
            "ENT-tools-7",
            "thread_append {thread_id | chat_id, sender, partials[]} gives {entity}: a new thread "
            "with a new id.",
        ),
        held(
            "ENT-tools-8",
            "document_revise {id, content, title?, fork?} gives {entity}: the new version.",
        ),
        held(
            "ENT-tools-9",
            "metric_record {samples[]} writes many samples at once.",
        ),
        held(
            "ENT-tools-10",
            "entity_update of an immutable type is ENTITY_IMMUTABLE.",
        ),
        held(
            "ENT-tools-11",
            "entity_delete makes the entity unknown to entity_get and entity_list, and its "
            "history stays in the journal.",
        ),
        held(
            "ENT-tools-12",
            "execution_event adds events to a running execution.",
        ),
        held(
            "ENT-tools-13",
            "entity_list filters by every field of every type, null included.",
        ),
        held(
            "ENT-tools-14",
            "entity_list goes by id, createdAt or updatedAt, either way.",
        ),
        held(
            "ENT-tools-15",
            "What entity_get gives can be given to entity_update: what is unchanged is accepted.",
        ),
    ),
    *section(
        "contract: Entities, messageThread",
        "entities",
        held(
            "ENT-thread-1",
            "Every method of messageThread returns a new saved thread; no earlier thread ever "
            "changes.",
        ),
        held(
            "ENT-thread-2",
            "Appending costs the same time and bytes whatever the length of the thread.",
        ),
        held(
            "ENT-thread-3",
            "A fork costs no copy of the thread, and forks do not see each other.",
        ),
        held(
            "ENT-thread-4",
            "The same sender extends the last turn.",
        ),
        held(
            "ENT-thread-5",
            "Partials are a discriminated union: an unknown type or a payload of another type is "
            "INVALID_INPUT.",
        ),
        held(
            "ENT-thread-6",
            "A toolResponse must answer an open toolRequest of the thread.",
        ),
        held(
            "ENT-thread-7",
            "A toolRequest is answered at most once.",
            decided="overrides: it ends at most once; answers that tell of progress come before",
        ),
        held(
            "ENT-thread-8",
            "A tool's answer may progress from notStarted over inProgress to completed or failed "
            "under one callId; each is kept, and none falls back.",
        ),
    ),
    *section(
        "contract: Entities, chatThread",
        "entities",
        held(
            "ENT-chat-1",
            "chatThread is the one mutable head: appending through it moves threadId to the new "
            "thread.",
        ),
        held(
            "ENT-chat-2",
            "Appending through a chat is compare-and-set on threadId: the loser gets "
            "ENTITY_CONFLICT, and no message is lost.",
        ),
    ),
    *section(
        "contract: Entities, textDocument",
        "entities",
        held(
            "ENT-document-1",
            "revise makes a new document whose previousId is the old one's id.",
        ),
        held(
            "ENT-document-2",
            "nextId is derived, so that previousId and nextId always agree.",
        ),
        held(
            "ENT-document-3",
            "A second successor is refused unless fork is true.",
        ),
        held(
            "ENT-document-4",
            "Deleting a version joins what came before it with what came after it.",
        ),
        held(
            "ENT-document-5",
            "A version that has a successor is never changed in place.",
        ),
        held(
            "ENT-document-6",
            "A search marks old versions, and puts the current one before them.",
        ),
    ),
    *section(
        "contract: Entities, graphs and executions",
        "entities",
        held(
            "ENT-graph-1",
            "Edges must join existing nodes by instance id.",
        ),
        held(
            "ENT-graph-2",
            "Duplicate edges are refused.",
        ),
        held(
            "ENT-graph-3",
            "Cycles are allowed.",
        ),
        held(
            "ENT-execution-1",
            "An execution goes notStarted, inProgress, then completed or failed; no other way.",
        ),
        held(
            "ENT-execution-2",
            "The end states are frozen: no event, status or time changes afterwards.",
        ),
        held(
            "ENT-execution-3",
            "endTime is null until an end state.",
        ),
        held(
            "ENT-execution-4",
            "Events are typed and kept in order.",
        ),
        held(
            "ENT-execution-5",
            "A run that is over is recorded as it was, with its own times and events, and is "
            "marked as recorded later.",
        ),
    ),
    *section(
        "contract: Entities, metrics and settings",
        "entities",
        held(
            "ENT-metric-1",
            "metric is indexed by name, time and dimensions.",
        ),
        held(
            "ENT-metric-2",
            "Many samples make one journal entry.",
        ),
        held(
            "ENT-metric-3",
            "metric_query gives count, sum, min, max, mean, p50 and p95.",
        ),
        held(
            "ENT-metric-4",
            "metric_query groups by time bucket.",
        ),
        held(
            "ENT-metric-5",
            "metric_query groups by dimension.",
        ),
        held(
            "ENT-metric-6",
            "metric_query gives the samples themselves, page by page, each with an id by which "
            "entity_get reads it.",
        ),
        held(
            "ENT-settings-1",
            "settings is one row per project.",
        ),
        held(
            "ENT-settings-2",
            "settings is made on first read.",
        ),
        held(
            "ENT-settings-3",
            "Unknown keys of settings are kept.",
        ),
        held(
            "ENT-settings-4",
            "An unknown key of settings is taken away by giving null.",
        ),
    ),
    *section(
        "contract: Entities, secrets and schemas",
        "entities",
        held(
            "ENT-redact-1",
            "modelConnection.data is redacted on read unless an admin asks for it.",
        ),
        held(
            "ENT-redact-2",
            "modelConnection.data is redacted on export unless an admin asks for it.",
        ),
        held(
            "ENT-schema-1",
            "JSON Schema is generated from the type definitions.",
        ),
        held(
            "ENT-schema-2",
            "A Prisma schema is generated from the type definitions, and the real Prisma accepts "
            "it.",
        ),
        held(
            "ENT-schema-3",
            "TypeScript types are generated from the type definitions, and the real compiler "
            "accepts them.",
        ),
        held(
            "ENT-schema-4",
            "The generated schemas are checked current in CI.",
        ),
        held(
            "ENT-schema-5",
            "The JSON Schema accepts every entity that is answered, whole or in part.",
        ),
        held(
            "ENT-schema-6",
            "Entities come back from a database of the Prisma schema with every field as it was.",
        ),
    ),
)
