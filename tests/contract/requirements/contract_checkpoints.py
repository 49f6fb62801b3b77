"""The contract page, Checkpoints."""

from tests.contract.requirements.requirement import held, section

REQUIREMENTS = (
    *section(
        "contract: Checkpoints, sessions",
        "checkpoints",
        held(
            "CHK-session-1",
            "workflow_checkpoint_save and workflow_mark_critical resolve an absent sessionId as "
            "every operation does, with a new session where there is none.",
        ),
        held(
            "CHK-session-2",
            "load with both checkpointId and sessionId is INVALID_INPUT.",
        ),
        held(
            "CHK-session-3",
            "load never uses the ambient session.",
        ),
        held(
            "CHK-session-4",
            "An unknown sessionId on save creates that session.",
        ),
        held(
            "CHK-session-5",
            "An unknown sessionId on load is SESSION_NOT_FOUND.",
        ),
        held(
            "CHK-session-6",
            "An unknown sessionId on list is SESSION_NOT_FOUND.",
        ),
        held(
            "CHK-session-7",
            "An unknown sessionId on mark is SESSION_NOT_FOUND.",
        ),
        held(
            "CHK-session-8",
            "load with neither checkpointId nor sessionId gives the newest of the project, and "
            "says whose it is: session, title, author, time.",
        ),
        held(
            "CHK-session-9",
            "mark_critical without a sessionId acts on the session whose context the caller last "
            "saved or loaded.",
        ),
        held(
            "CHK-session-10",
            "lastAccessedAt moves with every load by an agent, and a load that may write nothing "
            "does not fail.",
        ),
    ),
    *section(
        "contract: Checkpoints, hash",
        "checkpoints",
        held(
            "CHK-hash-1",
            "contextHash is SHA-256 of the canonical form of the full context, nested keys "
            "included.",
        ),
        held(
            "CHK-hash-2",
            "The canonical form is UTF-8 JSON, keys sorted at every level, no white space, "
            "shortest floats.",
        ),
        held(
            "CHK-hash-3",
            "Equal contexts with another key order have the same hash.",
        ),
        held(
            "CHK-hash-4",
            "Contexts that differ at any depth have different hashes; 1 and 1.0 are kept apart.",
        ),
        held(
            "CHK-hash-5",
            "NaN and the infinities are refused by name.",
        ),
        held(
            "CHK-hash-6",
            "Integers beyond 64 bits are refused by name.",
        ),
        held(
            "CHK-hash-7",
            "SKIPPED_UNCHANGED gives the id of the latest checkpoint, and is never an error.",
        ),
        held(
            "CHK-hash-8",
            "A mark made since the latest checkpoint defeats the skip.",
        ),
        held(
            "CHK-hash-10",
            "Name, tags and the like of an unchanged save are added to the latest checkpoint, and "
            "the answer says so.",
        ),
        held(
            "CHK-hash-9",
            "Only the latest counts: a context equal to an older checkpoint is SAVED.",
        ),
    ),
    *section(
        "contract: Checkpoints, lossless storage and budgeted view",
        "checkpoints",
        held(
            "CHK-view-1",
            "Nothing is ever lost on disk: storage is lossless.",
        ),
        held(
            "CHK-view-2",
            "Without a budget, load returns exactly what was saved.",
        ),
        held(
            "CHK-view-3",
            "With budget_tokens, EPHEMERAL keys are dropped first.",
        ),
        held(
            "CHK-view-4",
            "Then USEFUL keys are shortened, then IMPORTANT ones.",
        ),
        held(
            "CHK-view-5",
            "CRITICAL keys stay whole even over the budget, and the reply says so.",
        ),
        held(
            "CHK-view-6",
            "`omitted` names each reduced key and how to fetch it.",
        ),
        held(
            "CHK-view-7",
            "What `omitted` says to fetch gives the key's whole value.",
        ),
        held(
            "CHK-view-8",
            "A budgeted view uses the budget, keeps the shape of values and the newest items of "
            "lists, and says how many items it left out.",
        ),
        held(
            "CHK-view-9",
            "A key that load was asked for and the context has not is named.",
        ),
    ),
    *section(
        "contract: Checkpoints, classes and marks",
        "checkpoints",
        held(
            "CHK-class-1",
            "A key's class is the session's mark, else the hint in metadata.classes, else by key "
            "pattern, else by size.",
        ),
        held(
            "CHK-class-2",
            "The table of patterns is data in one file.",
        ),
        held(
            "CHK-class-3",
            "mark_critical looks at the context last saved or loaded.",
        ),
        held(
            "CHK-class-4",
            "mark_critical on a session without a context leaves the mark pending: SUCCESS with a "
            "message that says so.",
        ),
        held(
            "CHK-class-5",
            "A pending mark applies to the first context saved.",
        ),
        held(
            "CHK-class-6",
            "KEY_NOT_FOUND names the keys that there are.",
        ),
        held(
            "CHK-class-7",
            "Marks are shown by load, list and mark, and can be taken back.",
        ),
    ),
    *section(
        "contract: Checkpoints, metadata and list",
        "checkpoints",
        held(
            "CHK-metadata-1",
            "Only name, tags and classes of metadata have meaning; unknown keys are kept under "
            "metadata.extra.",
        ),
        held(
            "CHK-metadata-2",
            "Metadata never sets id, hash or path.",
        ),
        held(
            "CHK-list-1",
            "The list is newest first by seq, whatever the clock said.",
        ),
        held(
            "CHK-list-2",
            "The list is {checkpoints, total, nextCursor, session {createdAt, lastAccessedAt, "
            "tags, totalSizeBytes}}.",
        ),
        held(
            "CHK-list-3",
            "The list takes limit, offset and cursor.",
        ),
        held(
            "CHK-list-4",
            "The list filters by tags, name and query.",
        ),
    ),
    *section(
        "contract: Checkpoints, quotas and retention",
        "checkpoints",
        held(
            "CHK-quota-1",
            "A checkpoint is at most 10 MiB compressed, configurable.",
        ),
        held(
            "CHK-quota-2",
            "A session is at most 1 GiB, configurable.",
        ),
        held(
            "CHK-quota-3",
            "A store is at most 10 GiB, configurable.",
        ),
        held(
            "CHK-quota-8",
            "A save asks for the room that all projects take in one look, whatever their number "
            "and versions.",
        ),
        held(
            "CHK-quota-4",
            "Quotas count unique bytes: content stored once counts once.",
        ),
        held(
            "CHK-quota-5",
            "From 80 % of a quota the answer has a warning.",
        ),
        held(
            "CHK-quota-6",
            "Retention is off by default.",
        ),
        held(
            "CHK-quota-7",
            "Retention, when on, keeps the last N and whatever a marked key has been: the newest "
            "checkpoint of each run of one value.",
        ),
    ),
    *section(
        "contract: Checkpoints, blobs",
        "checkpoints",
        held(
            "CHK-blob-1",
            "Blobs are content-addressed and compressed with zstd.",
        ),
        held(
            "CHK-blob-2",
            "A blob is delta-compressed against the session's previous checkpoint, in chains of "
            "bounded length.",
        ),
        held(
            "CHK-blob-3",
            "The blob is durable before the metadata that names it.",
        ),
        held(
            "CHK-blob-4",
            "The digest is checked on every read.",
        ),
        held(
            "CHK-blob-5",
            "A damaged blob is BLOB_DAMAGED by its id, and harms only the checkpoints that need "
            "it.",
        ),
        held(
            "CHK-blob-6",
            "load by session falls back to the newest sound checkpoint, with a warning.",
        ),
        held(
            "CHK-blob-7",
            "A save proves that what it rests on is kept and can be read, and writes it again "
            "where it cannot: SAVED and SKIPPED_UNCHANGED name what loads equal.",
        ),
        held(
            "CHK-blob-8",
            "One damaged file harms at most 20 checkpoints of a session, or 20 steps of a thread.",
        ),
    ),
    *section(
        "contract: Checkpoints, resume with truth and sizes",
        "checkpoints",
        held(
            "CHK-since-1",
            "load answers `since` with the ticks passed since the checkpoint.",
        ),
        held(
            "CHK-since-2",
            "load answers `since` with the records changed since the checkpoint.",
        ),
        held(
            "CHK-since-3",
            "load answers `since` with the files changed since the checkpoint.",
        ),
        held(
            "CHK-since-4",
            "load answers `since` with the decisions superseded since the checkpoint.",
            milestone="decisions",
        ),
        held(
            "CHK-size-1",
            "Over MCP a request is at most 16 MiB; a larger one is refused by name.",
            milestone="foundation",
        ),
        held(
            "CHK-size-2",
            "A context up to 64 MiB is taken through the library and the CLI.",
        ),
        held(
            "CHK-ours-1",
            "workflow_checkpoint_delete removes one checkpoint and leaves every other loadable.",
        ),
        held(
            "CHK-ours-2",
            "workflow_checkpoint_diff compares two checkpoints' contexts structurally.",
        ),
    ),
)
