"""Source 000, record-sync: its model, command table, patterns, errors and notes."""

from tests.contract.requirements.requirement import held, section

REQUIREMENTS = (
    *section(
        "000: Design principles",
        "records",
        held(
            "000-principles-1",
            "A record's type is a field of any value; no type is built in.",
        ),
        held(
            "000-principles-2",
            "A record's body stands alone and comes back character for character.",
        ),
        held(
            "000-principles-3",
            "Records are activated to be reasoned with, and activation loads the least context "
            "required.",
        ),
        held(
            "000-principles-4",
            "One writer at a time per record: conflicts are warned of, not prevented.",
        ),
        held(
            "000-principles-5",
            "Foreign changes reach a session when it activates or syncs, as sync points.",
            decided=(
                "contract overrides: writes go up at once (write-through); save and close are "
                "named points, not the moment of writing"
            ),
        ),
    ),
    *section(
        "000: Data model, Project",
        "foundation",
        held(
            "000-project-1",
            "A project has id, name, optional description, created (ISO time) and tick.",
        ),
        held(
            "000-project-2",
            "tick is the project's logical clock: it rises by one with each create, update, "
            "transition and save.",
            milestone="records",
        ),
        held(
            "000-project-3",
            "A session tracks the tick of its last sync, so that staleness needs no wall clock.",
            milestone="records",
        ),
    ),
    *section(
        "000: Data model, Record",
        "records",
        held(
            "000-record-1",
            "A record has id, type, title, summary, body, state, parent_id, created and modified.",
        ),
        held(
            "000-record-2",
            "A record's state is OPEN, LATER, RESOLVED or DISCARDED.",
        ),
        held(
            "000-record-3",
            "parent_id is null for roots.",
        ),
        held(
            "000-record-4",
            "resolved_by is the id of the record that resolved this one, present only when "
            "RESOLVED.",
        ),
        held(
            "000-record-5",
            "related holds ids of related records outside the hierarchy.",
        ),
        held(
            "000-record-6",
            "metadata is an open object of any JSON values.",
        ),
    ),
    *section(
        "000: Data model, Record Reference",
        "records",
        held(
            "000-ref-1",
            "A RecordRef has id, type, title, summary, state and parent_id, and no body.",
        ),
        held(
            "000-ref-2",
            "A RecordRef's children_count is the number of direct children.",
        ),
        held(
            "000-ref-3",
            "A RecordRef's open_children_count is the number of direct children that are OPEN.",
        ),
    ),
    *section(
        "000: Data model, Session",
        "foundation",
        held(
            "000-session-1",
            "A session has id, project_id, created and last_activity.",
        ),
        held(
            "000-session-2",
            "A session has last_sync_tick, the project's tick at its last sync.",
            milestone="records",
        ),
        held(
            "000-session-3",
            "A session has active_records, the ids activated in it.",
            milestone="records",
        ),
        held(
            "000-session-4",
            "A session's status is active, stale or closed.",
            milestone="records",
        ),
        held(
            "000-session-5",
            "A branched session has parent_session.",
            milestone="records",
        ),
        held(
            "000-session-6",
            "Staleness is by the gap between the project's tick and last_sync_tick, not by "
            "wall-clock time.",
            milestone="records",
            decided="contract overrides: stale from a gap of exactly the threshold, not beyond it",
        ),
        held(
            "000-session-7",
            "A session is closed only by close_session, with all its changes in the record.",
            milestone="recorder",
            decided="contract overrides: record_session_end ends the same session",
        ),
    ),
    *section(
        "000: Data model, Context Bundle",
        "records",
        held(
            "000-bundle-1",
            "A bundle has target, parent, children {open, other}, grandchildren and warnings.",
        ),
        held(
            "000-bundle-2",
            "A warning has type (conflict, stale or orphan), message and details.",
        ),
    ),
    *section(
        "000: Command Summary Table",
        "records",
        held(
            "000-table-create_project",
            "create_project needs no activation, writes a project, and ticks no other; the new "
            "one has tick 0.",
            milestone="foundation",
        ),
        held(
            "000-table-list_projects",
            "list_projects needs no activation, writes nothing and does not tick.",
            milestone="foundation",
        ),
        held(
            "000-table-get_project",
            "get_project needs no activation, writes nothing and does not tick.",
            milestone="foundation",
        ),
        held(
            "000-table-get_project_overview",
            "get_project_overview needs no activation, writes nothing and does not tick.",
        ),
        held(
            "000-table-search_records",
            "search_records needs no activation, writes nothing and does not tick.",
        ),
        held(
            "000-table-list_records",
            "list_records needs no activation, writes nothing and does not tick.",
        ),
        held(
            "000-table-get_record_ref",
            "get_record_ref needs no activation, writes nothing and does not tick.",
        ),
        held(
            "000-table-activate",
            "activate needs no earlier activation, writes to the session and does not tick.",
        ),
        held(
            "000-table-sync_session",
            "sync_session needs no activation, writes to the session and does not tick.",
        ),
        held(
            "000-table-create_record",
            "create_record needs its parent activated, writes a record and ticks once.",
        ),
        held(
            "000-table-update_record",
            "update_record needs the record activated, writes it and ticks once.",
        ),
        held(
            "000-table-transition",
            "transition needs the record activated, writes it and ticks once.",
        ),
        held(
            "000-table-save_session",
            "save_session needs no activation, writes to the session and ticks once.",
        ),
        held(
            "000-table-close_session",
            "close_session needs no activation, writes to the session and does not tick.",
            milestone="foundation",
        ),
        held(
            "000-table-get_record_history",
            "get_record_history needs no activation, writes nothing and does not tick.",
        ),
        held(
            "000-table-get_record_diff",
            "get_record_diff needs no activation, writes nothing and does not tick.",
        ),
        held(
            "000-table-get_active_sessions",
            "get_active_sessions needs no activation, writes nothing and does not tick.",
        ),
        held(
            "000-table-get_recent_activity",
            "get_recent_activity needs no activation, writes nothing and does not tick.",
            milestone="foundation",
        ),
    ),
    *section(
        "000: Workflow Patterns",
        "records",
        held(
            "000-pattern-1",
            "Continue: get_project_overview, activate, update_record, create_record under it, "
            "save_session, more work, close_session, in one chat.",
        ),
        held(
            "000-pattern-2",
            "New topic: get_project_overview, create_record as root (auto-activated), children "
            "under it at once, save_session, close_session.",
        ),
        held(
            "000-pattern-3",
            "Subtopic: S1 creates R15 under R7; a new chat activates R15 with R7 as parent, "
            "resolves it and closes; S1's sync_session shows it resolved.",
        ),
        held(
            "000-pattern-4",
            "Conflict: S1 and S2 hold R7; S1 updates; S2's update_record gets both versions; S2 "
            "updates with force true, and that is stored.",
        ),
    ),
    *section(
        "000: Error Handling",
        "records",
        held(
            "000-errors-format",
            "An error has code and message, and may have details and recovery_hint.",
            milestone="foundation",
            decided=(
                "contract overrides: details and recovery_hint are always there, with rpc_code "
                "and http_status"
            ),
        ),
        held(
            "000-errors-RECORD_NOT_FOUND",
            "RECORD_NOT_FOUND is raised for an unknown record id, with the hint to check its "
            "spelling.",
        ),
        held(
            "000-errors-NOT_ACTIVATED",
            "NOT_ACTIVATED is raised by a mutation of a record not activated in the session, with "
            "the hint to activate it.",
        ),
        held(
            "000-errors-INVALID_TRANSITION",
            "INVALID_TRANSITION is raised by an arrow not allowed, with the hint to look at the "
            "valid ones.",
        ),
        held(
            "000-errors-PARENT_NOT_ACTIVATED",
            "PARENT_NOT_ACTIVATED is raised by creating a child under a parent not activated, "
            "with the hint to activate it.",
        ),
        held(
            "000-errors-CONFLICT",
            "CONFLICT is raised for a record modified by another session, with the hint to sync "
            "and resolve.",
            decided=(
                "contract overrides: by transition only; update_record answers with `conflict` "
                "and is no error"
            ),
        ),
        held(
            "000-errors-SESSION_NOT_FOUND",
            "SESSION_NOT_FOUND is raised for an unknown session id, with the hint to start a new "
            "one.",
            milestone="foundation",
            decided="contract overrides: sessions do not expire",
        ),
        held(
            "000-errors-DEPTH_EXCEEDED",
            "DEPTH_EXCEEDED is raised when the hierarchy would be too deep, with the hint to "
            "flatten it.",
        ),
    ),
    *section(
        "000: Implementation Notes",
        "records",
        held(
            "000-notes-default_project-1",
            "The default project is made by itself on first use, and commands without project_id "
            "use it.",
            milestone="foundation",
        ),
        held(
            "000-notes-default_project-2",
            "An agent's context can be configured with a project id other than the default.",
            milestone="foundation",
        ),
        held(
            "000-notes-default_project-3",
            "Several agents can work on several projects of one store at once.",
            milestone="foundation",
        ),
        held(
            "000-notes-persistence-1",
            "Sessions persist across chat restarts, in the same storage as records.",
            milestone="foundation",
        ),
        held(
            "000-notes-persistence-2",
            "A host may use its conversation id as session id, by beginning the session with it.",
            milestone="recorder",
            decided=(
                "contract overrides: only record_session_start and workflow_checkpoint_save take "
                "an unknown id"
            ),
        ),
        held(
            "000-notes-caching-1",
            "Activating an unchanged record again says already_loaded and gives the same content.",
        ),
        held(
            "000-notes-caching-2",
            "Activating a record changed by another session again gives the new content and a "
            "diff.",
        ),
        held(
            "000-notes-conflicts",
            "A record modified by another session in between is found out, however short the time "
            "between.",
            decided=(
                "contract overrides: by ticks, not by comparing modified timestamps, so there is "
                "no conflict window"
            ),
        ),
        held(
            "000-notes-storage",
            "The behaviour is the same on every storage engine.",
            milestone="foundation",
        ),
    ),
    *section(
        "000: Migration from Previous Design",
        "records",
        held(
            "000-migration-1",
            "Any record can be activated; there is no separate thread, question or conclusion "
            "object.",
        ),
        held(
            "000-migration-2",
            'A record of type "thread" is a record like any other, without rules of its own.',
        ),
    ),
)
