"""Source 000, record-sync: the commands about projects, and those that only read."""

from tests.contract.requirements.requirement import held, section

REQUIREMENTS = (
    *section(
        "000: create_project",
        "foundation",
        held(
            "000-create_project-1",
            "create_project takes id?, name and description?, and returns the Project.",
        ),
        held(
            "000-create_project-2",
            "Without id, create_project makes a unique one.",
        ),
        held(
            "000-create_project-3",
            "An id that already exists is an error (PROJECT_EXISTS), and the existing project is "
            "unchanged.",
        ),
        held(
            "000-create_project-4",
            "An id given by the user can be used as project_id afterwards.",
        ),
    ),
    *section(
        "000: list_projects",
        "foundation",
        held(
            "000-list_projects-1",
            "list_projects gives id, name, description and tick of each accessible project.",
            decided="contract overrides: wrapped as `projects` with total and nextCursor",
        ),
        held(
            "000-list_projects-2",
            "open_sessions is the number of the project's sessions that are not closed.",
        ),
        held(
            "000-list_projects-3",
            "open_records is the number of the project's OPEN records.",
            milestone="records",
        ),
        held(
            "000-list_projects-4",
            "Only projects the caller may see are listed.",
            milestone="reliability",
        ),
    ),
    *section(
        "000: get_project",
        "foundation",
        held(
            "000-get_project-1",
            "get_project {id?} returns the Project.",
        ),
        held(
            "000-get_project-2",
            "get_project without id gives the default project.",
            decided="contract overrides: the session's, then the configured one, go first",
        ),
    ),
    *section(
        "000: get_project_overview",
        "records",
        held(
            "000-get_project_overview-1",
            "get_project_overview gives project {id, name, description, tick}.",
        ),
        held(
            "000-get_project_overview-2",
            "open_sessions gives id, active_records, last_sync_tick and tick_gap of each session "
            "not closed.",
        ),
        held(
            "000-get_project_overview-3",
            "tick_gap is the project's tick minus the session's last_sync_tick.",
        ),
        held(
            "000-get_project_overview-4",
            "root_records are the top-level records as refs.",
        ),
        held(
            "000-get_project_overview-5",
            "open_records are all OPEN records of the project as refs.",
        ),
        held(
            "000-get_project_overview-6",
            "later_records are all LATER records of the project as refs.",
        ),
        held(
            "000-get_project_overview-7",
            "recent_activity holds the newest activity entries.",
        ),
        held(
            "000-get_project_overview-8",
            "project_id is optional and means the default project when absent.",
            decided="contract overrides: the session's, then the configured one, go first",
        ),
    ),
    *section(
        "000: search_records",
        "records",
        held(
            "000-search_records-1",
            "search_records finds records by the words of their content and metadata.",
        ),
        held(
            "000-search_records-2",
            "types keeps only records of those types.",
        ),
        held(
            "000-search_records-3",
            "states keeps only records in those states.",
        ),
        held(
            "000-search_records-4",
            "parent_id keeps only the subtree of that record.",
        ),
        held(
            "000-search_records-5",
            "limit is 20 by default.",
        ),
        held(
            "000-search_records-6",
            "Each result is a RecordRef with relevance (0-1) and snippet, best first.",
        ),
        held(
            "000-search_records-7",
            "The reply has results and total.",
        ),
    ),
    *section(
        "000: list_records",
        "records",
        held(
            "000-list_records-1",
            "list_records gives refs.",
            decided="contract overrides: wrapped as `records` with total and nextCursor",
        ),
        held(
            "000-list_records-2",
            "list_records filters by states.",
        ),
        held(
            "000-list_records-3",
            "list_records filters by types.",
        ),
        held(
            "000-list_records-4",
            "depth says how deep below parent_id to go, 1 by default.",
        ),
    ),
    *section(
        "000: get_record_ref",
        "records",
        held(
            "000-get_record_ref-1",
            "get_record_ref {id} gives the RecordRef and activates nothing.",
        ),
    ),
    *section(
        "000: get_record_history",
        "records",
        held(
            "000-get_record_history-1",
            "get_record_history gives timestamp, session_id, change_type, summary and diff? of "
            "each change.",
            decided="contract overrides: wrapped as `history` with total and nextCursor",
        ),
        held(
            "000-get_record_history-2",
            "since keeps the changes from that ISO time on.",
        ),
        held(
            "000-get_record_history-3",
            "limit bounds how many changes are given.",
        ),
    ),
    *section(
        "000: get_record_diff",
        "records",
        held(
            "000-get_record_diff-1",
            "get_record_diff {id, from, to?} gives from_version and to_version in full.",
        ),
        held(
            "000-get_record_diff-2",
            'from is a timestamp or "last_save".',
            decided="contract overrides: ticks as well",
        ),
        held(
            "000-get_record_diff-3",
            "to is the current version by default.",
        ),
        held(
            "000-get_record_diff-4",
            "diff holds title, summary and state as {old, new}, and body as a unified diff, each "
            "only where it changed.",
        ),
    ),
    *section(
        "000: get_active_sessions",
        "records",
        held(
            "000-get_active_sessions-1",
            "get_active_sessions {record_id} gives session_id, last_activity and is_current of "
            "each session in which it is active.",
            decided="contract overrides: wrapped as `sessions` with total and nextCursor",
        ),
        held(
            "000-get_active_sessions-2",
            "is_current is true for the caller's own session only.",
        ),
    ),
    *section(
        "000: get_recent_activity",
        "foundation",
        held(
            "000-get_recent_activity-1",
            "get_recent_activity gives entries with timestamp, type, session_id, record_id?, "
            "summary and details?, newest first.",
            decided="contract overrides: wrapped as `activity` with total and nextCursor",
        ),
        held(
            "000-get_recent_activity-2",
            "limit is 50 by default.",
        ),
        held(
            "000-get_recent_activity-3",
            "since keeps the entries from that ISO time on.",
        ),
        held(
            "000-get_recent_activity-4",
            "types keeps the entries of those types.",
        ),
        held(
            "000-get_recent_activity-5",
            "record_id keeps the entries of that record.",
            milestone="records",
        ),
        held(
            "000-get_recent_activity-6",
            "session_started is logged when a session begins, and session_closed when it ends.",
        ),
        held(
            "000-get_recent_activity-7",
            "record_created, record_updated, state_transition, activation and session_saved are "
            "logged, each by its command.",
            milestone="records",
        ),
        held(
            "000-get_recent_activity-8",
            "session_branched, conflict_detected and conflict_resolved are logged.",
            milestone="records",
        ),
    ),
)
