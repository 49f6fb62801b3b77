"""Source 001, context checkpoints: its tools, service, models and errors."""

from tests.contract.requirements.requirement import held, section

REQUIREMENTS = (
    *section(
        "001: workflow_checkpoint_save",
        "checkpoints",
        held(
            "001-save-1",
            "workflow_checkpoint_save stores the context as a new checkpoint and returns its "
            "unique checkpointId.",
        ),
        held(
            "001-save-2",
            "sessionId is optional: without one the session is resolved, or a new one created.",
            decided=(
                "contract overrides: the source's schema requires it while its description does not"
            ),
        ),
        held(
            "001-save-3",
            "context is required and is a JSON object.",
        ),
        held(
            "001-save-4",
            "metadata may hold name (a string) and tags (strings).",
        ),
        held(
            "001-save-5",
            "force is false by default; true saves even when the context is unchanged.",
        ),
        held(
            "001-save-6",
            "The reply has checkpointId, sessionId and status, always.",
        ),
        held(
            "001-save-7",
            "status is SAVED for a new checkpoint.",
        ),
        held(
            "001-save-8",
            "status is SKIPPED_UNCHANGED when the context is identical to the most recent "
            "checkpoint of the session.",
        ),
        held(
            "001-save-9",
            "sizeBytes is the size of the compressed context in bytes.",
        ),
        held(
            "001-save-10",
            "Saving is atomic: a checkpoint is wholly there or not at all.",
        ),
    ),
    *section(
        "001: workflow_checkpoint_load",
        "checkpoints",
        held(
            "001-load-1",
            "workflow_checkpoint_load by checkpointId gives that checkpoint.",
        ),
        held(
            "001-load-2",
            "workflow_checkpoint_load by sessionId gives the latest checkpoint of the session.",
        ),
        held(
            "001-load-3",
            "checkpointId and sessionId exclude each other.",
            decided=(
                "contract overrides: the oneOf is checked in code and said in the description, "
                "not put at the root of the inputSchema"
            ),
        ),
        held(
            "001-load-4",
            "The reply has checkpointId, sessionId, context and metadata, always.",
        ),
        held(
            "001-load-5",
            "The loaded context becomes the session's active context, which "
            "workflow_mark_critical then looks at.",
        ),
    ),
    *section(
        "001: workflow_checkpoint_list",
        "checkpoints",
        held(
            "001-list-1",
            "workflow_checkpoint_list {sessionId} gives the session's checkpoints, most recent "
            "first.",
        ),
        held(
            "001-list-2",
            "limit is 20 by default.",
        ),
        held(
            "001-list-3",
            "offset is 0 by default, and skips that many checkpoints.",
        ),
        held(
            "001-list-4",
            "Each item has checkpointId, sessionId, createdAt (date-time), sizeBytes and "
            "metadata, and no context.",
            decided="contract overrides: wrapped as `checkpoints`, not a bare array",
        ),
    ),
    *section(
        "001: workflow_mark_critical",
        "checkpoints",
        held(
            "001-mark-1",
            "workflow_mark_critical {contextKey} marks a top-level key of the context as CRITICAL "
            "for the session.",
        ),
        held(
            "001-mark-2",
            "The reply has status SUCCESS or KEY_NOT_FOUND, and a message.",
        ),
        held(
            "001-mark-3",
            "A key that is not at the top level of the context is KEY_NOT_FOUND, and nothing is "
            "marked.",
        ),
        held(
            "001-mark-4",
            "A critical key is never shortened or dropped.",
            decided=(
                "contract overrides: on disk nothing is ever dropped, so this is about the "
                "budgeted view; storage compression is lossless"
            ),
        ),
    ),
    *section(
        "001: Server-side service interface",
        "checkpoints",
        held(
            "001-service-1",
            "The Python service has save_checkpoint, load_checkpoint, list_checkpoints and "
            "mark_critical, with the source's parameters.",
        ),
        held(
            "001-service-2",
            "save_checkpoint classifies, compresses and writes; its result is that of the tool.",
        ),
        held(
            "001-service-3",
            "load_checkpoint reads and decompresses, by checkpoint or by session.",
        ),
        held(
            "001-service-4",
            "list_checkpoints gives the metadata of a session's checkpoints, with limit and "
            "offset.",
        ),
        held(
            "001-service-5",
            "mark_critical takes the session and the key, and returns status and message.",
        ),
    ),
    *section(
        "001: Core data models",
        "checkpoints",
        held(
            "001-metadata-1",
            "A checkpoint's metadata has a unique id and the sessionId it belongs to.",
        ),
        held(
            "001-metadata-2",
            "name, tags and agentId are optional; agentId comes from the caller's identity.",
            decided=(
                "contract overrides: the author is taken from the connection, never from the "
                "metadata"
            ),
        ),
        held(
            "001-metadata-3",
            "createdAt is an ISO 8601 time.",
        ),
        held(
            "001-metadata-4",
            "contextSizeBytes is the size of the compressed blob.",
        ),
        held(
            "001-metadata-5",
            "contextHash is SHA-256 of the uncompressed context.",
        ),
        held(
            "001-metadata-6",
            "blobPath says where the blob is, relative to the store, never as an absolute path.",
        ),
        held(
            "001-session-1",
            "A session shows createdAt and lastAccessedAt as ISO 8601 times, and its tags.",
        ),
        held(
            "001-session-2",
            "totalSizeBytes is the storage used by the session's blobs.",
        ),
    ),
    *section(
        "001: Error Handling",
        "checkpoints",
        held(
            "001-errors-shape",
            "With --errors jsonrpc a checkpoint refusal is a standard MCP error with its code in "
            "`data`.",
            decided="contract overrides: by default it is a tool result with isError true",
        ),
        held(
            "001-errors-CHECKPOINT_NOT_FOUND",
            "CHECKPOINT_NOT_FOUND (404) is raised for a checkpointId that does not exist.",
        ),
        held(
            "001-errors-SESSION_NOT_FOUND",
            "SESSION_NOT_FOUND (404) is raised for a sessionId that does not exist, on load, list "
            "and mark.",
        ),
        held(
            "001-errors-STORAGE_QUOTA_EXCEEDED",
            "STORAGE_QUOTA_EXCEEDED (413) is raised by a save beyond the limit, and nothing is "
            "stored.",
        ),
        held(
            "001-errors-STORAGE_UNAVAILABLE",
            "STORAGE_UNAVAILABLE (503) is raised when the disk is full, and what was stored stays "
            "readable.",
        ),
        held(
            "001-errors-INVALID_INPUT",
            "INVALID_INPUT (400) is raised for parameters that fail validation.",
        ),
        held(
            "001-errors-CONTEXT_UNCHANGED",
            "CONTEXT_UNCHANGED (200) is not an error: an unchanged context is answered as a "
            "success.",
            decided=(
                "contract overrides: it is told as status SKIPPED_UNCHANGED, and nothing raises "
                "the code"
            ),
        ),
    ),
)
