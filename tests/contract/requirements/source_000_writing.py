"""Source 000, record-sync: the commands that write to a record or a session."""

from tests.contract.requirements.requirement import held, section

REQUIREMENTS = (
    *section(
        "000: activate",
        "records",
        held(
            "000-activate-1",
            "activate {id, override?} returns session_id, context, already_loaded and conflict?.",
        ),
        held(
            "000-activate-2",
            "The parent comes in full, null for a root.",
        ),
        held(
            "000-activate-3",
            "The target comes in full.",
        ),
        held(
            "000-activate-4",
            "OPEN children come in full.",
        ),
        held(
            "000-activate-5",
            "LATER, RESOLVED and DISCARDED children come as refs.",
        ),
        held(
            "000-activate-6",
            "Grandchildren come as refs, whatever their state.",
        ),
        held(
            "000-activate-7",
            "activate creates the session if there is none, and session_id names it.",
        ),
        held(
            "000-activate-8",
            "activate adds the record to the session's active_records.",
        ),
        held(
            "000-activate-9",
            "activate logs an activation event.",
        ),
        held(
            "000-activate-10",
            "A record active in another session gives conflict {session_id, last_activity, "
            "message}.",
        ),
        held(
            "000-activate-11",
            "Without override the context is returned all the same, and the conflict is flagged.",
        ),
        held(
            "000-activate-12",
            "already_loaded is true if and only if the record was active in this session before.",
        ),
        held(
            "000-activate-13",
            "Conflict and staleness also appear as warnings in the bundle.",
        ),
    ),
    *section(
        "000: sync_session",
        "records",
        held(
            "000-sync_session-1",
            "sync_session pulls the changes made by other sessions, of the current session by "
            "default.",
        ),
        held(
            "000-sync_session-2",
            "The reply has project_tick, session_tick_before and tick_gap.",
        ),
        held(
            "000-sync_session-3",
            "Each change has record_id, change_type, old_value, new_value, by_session and at_tick.",
        ),
        held(
            "000-sync_session-4",
            "change_type is modified, state_changed, created or deleted, and says what happened.",
        ),
        held(
            "000-sync_session-5",
            "session_status is active or stale.",
        ),
        held(
            "000-sync_session-6",
            "A stale session gets a warning that says how many writes occurred since its last "
            "sync.",
        ),
        held(
            "000-sync_session-7",
            "sync_session moves last_sync_tick to the project's tick.",
        ),
        held(
            "000-sync_session-8",
            "sync_session moves last_activity.",
        ),
        held(
            "000-sync_session-9",
            "A session's own changes are not among the changes it syncs.",
        ),
    ),
    *section(
        "000: create_record",
        "records",
        held(
            "000-create_record-1",
            "create_record takes parent_id, type, title, summary, body, state? and related?, and "
            "returns the whole record.",
        ),
        held(
            "000-create_record-2",
            "state is OPEN by default.",
        ),
        held(
            "000-create_record-3",
            "A new record is activated in the session by itself, and auto_activated says so.",
        ),
        held(
            "000-create_record-4",
            "With parent_id, the parent must be activated in the current session.",
        ),
        held(
            "000-create_record-5",
            "With parent_id null there is no precondition.",
        ),
        held(
            "000-create_record-6",
            "Ids are assigned in sequence.",
            decided="contract overrides: unique in the whole store, so a project may see gaps",
        ),
        held(
            "000-create_record-7",
            "create_record logs record_created.",
        ),
    ),
    *section(
        "000: update_record",
        "records",
        held(
            "000-update_record-1",
            "update_record changes title, summary, body and related where given, and leaves the "
            "rest.",
        ),
        held(
            "000-update_record-2",
            "The record must be activated in the current session.",
        ),
        held(
            "000-update_record-3",
            "A record modified by another session since gives `conflict` with message and "
            "other_version.",
        ),
        held(
            "000-update_record-4",
            "force true applies the update regardless of the conflict.",
        ),
        held(
            "000-update_record-5",
            "update_record moves the modified time.",
        ),
        held(
            "000-update_record-6",
            "update_record logs record_updated.",
        ),
    ),
    *section(
        "000: transition",
        "records",
        held(
            "000-transition-1",
            "OPEN to LATER is allowed, with a reason.",
        ),
        held(
            "000-transition-2",
            "OPEN to RESOLVED is allowed, with resolved_by.",
        ),
        held(
            "000-transition-3",
            "OPEN to DISCARDED is allowed, with a reason.",
        ),
        held(
            "000-transition-4",
            "LATER to OPEN is allowed.",
        ),
        held(
            "000-transition-5",
            "LATER to DISCARDED is allowed, with a reason.",
        ),
        held(
            "000-transition-6",
            "RESOLVED to OPEN is allowed (reopening).",
        ),
        held(
            "000-transition-7",
            "DISCARDED to OPEN is allowed (recovery).",
        ),
        held(
            "000-transition-8",
            "The record must be activated in the current session.",
        ),
        held(
            "000-transition-9",
            "transition changes the state and moves the modified time.",
        ),
        held(
            "000-transition-10",
            "transition to RESOLVED sets resolved_by.",
        ),
        held(
            "000-transition-11",
            "transition logs state_transition with the reason.",
        ),
        held(
            "000-transition-12",
            "A record with OPEN children gives cascade_warning {open_children, message}; the "
            "children stay as they are.",
        ),
    ),
    *section(
        "000: save_session",
        "records",
        held(
            "000-save_session-1",
            "save_session {summary?} returns success, saved_records and last_save.",
        ),
        held(
            "000-save_session-2",
            "save_session updates the session's last_save.",
        ),
        held(
            "000-save_session-3",
            "save_session logs session_saved with the summary.",
        ),
        held(
            "000-save_session-4",
            "The session stays open and its records active after save_session.",
        ),
    ),
    *section(
        "000: close_session",
        "foundation",
        held(
            "000-close_session-1",
            "close_session {summary?} returns success, deactivated_records and unsaved_warning?.",
        ),
        held(
            "000-close_session-2",
            "close_session clears the session's active_records, and deactivated_records names "
            "them.",
            milestone="records",
        ),
        held(
            "000-close_session-3",
            "unsaved_warning is there if and only if the session changed something since its last "
            "save.",
            milestone="records",
        ),
        held(
            "000-close_session-4",
            "close_session logs session_closed.",
        ),
        held(
            "000-close_session-5",
            "The session is marked as ended.",
        ),
        held(
            "000-close_session-6",
            "A closed session can be resumed, but starts fresh.",
            milestone="records",
        ),
    ),
)
