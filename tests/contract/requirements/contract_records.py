"""The contract page, Records."""

from tests.contract.requirements.requirement import held, section

REQUIREMENTS = (
    *section(
        "contract: Records, write-through",
        "records",
        held(
            "REC-write_through-1",
            "create_record, update_record and transition are durable and visible to every session "
            "at once, without save_session.",
        ),
        held(
            "REC-write_through-2",
            "save_session is a named sync point: it sets the session's last_save and "
            "last_save_tick.",
        ),
        held(
            "REC-write_through-3",
            "saved_records are those this session changed since its last save, each once.",
        ),
        held(
            "REC-write_through-4",
            "save_session moves the saver's own last_sync_tick, and hides no foreign change from "
            "its next sync.",
        ),
    ),
    *section(
        "contract: Records, conflict",
        "records",
        held(
            "REC-conflict-1",
            "A conflict is judged by ticks, never by timestamps.",
        ),
        held(
            "REC-conflict-2",
            "A record's version is the tick of its last write.",
        ),
        held(
            "REC-conflict-3",
            "A session's base for a record moves on activate.",
        ),
        held(
            "REC-conflict-4",
            "A session's base for a record moves on its own successful write.",
        ),
        held(
            "REC-conflict-5",
            "A session's base for a record moves on force.",
        ),
        held(
            "REC-conflict-6",
            "A session's base for a record moves on sync_session, if that told all that changed.",
        ),
        held(
            "REC-conflict-7",
            "update_record conflicts if and only if another session wrote the record after the "
            "base.",
        ),
        held(
            "REC-conflict-8",
            "A session's own writes never conflict with it.",
        ),
        held(
            "REC-conflict-9",
            "A conflicting update is not applied, does not tick, and the stored record is "
            "unchanged.",
        ),
        held(
            "REC-conflict-10",
            "The reply to a conflicting update holds `record` as stored.",
        ),
        held(
            "REC-conflict-11",
            "`conflict` holds message, version, other_version, base_version, changed_fields of "
            "theirs and of yours, mergeable and merge.",
        ),
        held(
            "REC-conflict-12",
            "`merge` goes field by field, and through the bodies line by line: hunks that are the "
            "same, mine, theirs, both or a clash, and whether they are clean.",
        ),
        held(
            "REC-conflict-13",
            "Lines that both sides changed, each in another way, are a clash.",
        ),
        held(
            "REC-conflict-14",
            "transition on a record changed by another session since the base raises CONFLICT and "
            "changes nothing.",
        ),
        held(
            "REC-conflict-15",
            "Each conflict detected is logged as conflict_detected.",
        ),
        held(
            "REC-conflict-16",
            "A conflict settled by force is logged as conflict_resolved.",
        ),
        held(
            "REC-conflict-17",
            "force writes only over the version that force_version names; without it, or with an "
            "older one, there is a new conflict and nothing is written.",
        ),
        held(
            "REC-conflict-18",
            "The answer of a forced write names every version of others that it was written over.",
        ),
        held(
            "REC-conflict-19",
            "accept merge writes both changes where nothing clashes, says whose each field is, and "
            "gives the caller the body that it does not have; a clash is a conflict.",
        ),
        held(
            "REC-conflict-20",
            "Fields that were not sent are never reverted, by a forced write or a merge either.",
        ),
        held(
            "REC-conflict-21",
            "A conflict holds the stored body once, and nothing of what the caller sent.",
        ),
        held(
            "REC-conflict-22",
            "An update that names the version it was made to meets all that was written since, "
            "by its own session too.",
        ),
        held(
            "REC-conflict-23",
            "Whatever chats in several processes do, no write takes away what its writer was never "
            "shown.",
        ),
    ),
    *section(
        "contract: Records, whole reads",
        "records",
        held(
            "REC-whole-1",
            "activate gives the target and its parent whole, whatever the budget.",
        ),
        held(
            "REC-whole-2",
            "OPEN children are whole, those changed last first, until the budget is used; each of "
            "the others is a reference, and omitted names the call that gets it.",
        ),
        held(
            "REC-whole-3",
            "get_record_body pages through a body by characters; nothing else gives a part of one.",
        ),
        held(
            "REC-whole-4",
            "A body of exactly the limit comes back equal to the byte, in every script, by "
            "activate, by the command line and by the library; a longer one is refused by name.",
        ),
    ),
    *section(
        "contract: Records, sync",
        "records",
        held(
            "REC-sync-1",
            "A sync tells what happened to each record once: how often, by whom, what it was and "
            "is, with the body as a diff or whole.",
        ),
        held(
            "REC-sync-2",
            "What a sync did not tell in full is named with the call that gets it, and is not "
            "known: an update still conflicts with it.",
        ),
        held(
            "REC-sync-3",
            "A sync keeps to its budget and says more; the next call goes on. last_sync_tick is "
            "the project's tick each time.",
        ),
        held(
            "REC-sync-4",
            "Staleness counts the writes of others; a session's own never make it stale.",
        ),
        held(
            "REC-sync-5",
            "What a parent wrote before it branched is not foreign to the branch.",
        ),
    ),
    *section(
        "contract: Records, activation",
        "records",
        held(
            "REC-activate-1",
            "activate on a record active elsewhere always activates, and flags `conflict`.",
        ),
        held(
            "REC-activate-2",
            "override true acknowledges the conflict, and later calls of that session on that "
            "record stay quiet.",
        ),
        held(
            "REC-activate-3",
            "Re-activation says already_loaded.",
        ),
        held(
            "REC-activate-4",
            "Re-activation of a changed record says changed_since_load, with unified diffs.",
        ),
        held(
            "REC-activate-5",
            "Children in the bundle are capped at 200, with counts and a cursor.",
        ),
        held(
            "REC-activate-6",
            "Grandchildren in the bundle are capped at 200, with counts and a cursor.",
        ),
        held(
            "REC-activate-7",
            "deactivate takes a record out of the session's active records, and a later mutation "
            "of it is NOT_ACTIVATED.",
        ),
    ),
    *section(
        "contract: Records, staleness",
        "records",
        held(
            "REC-stale-1",
            "Staleness is mild from a gap of 10 ticks, moderate from 50 and severe from 200.",
        ),
        held(
            "REC-stale-2",
            "The three thresholds are configurable.",
        ),
        held(
            "REC-stale-3",
            "A session's status is `stale` from mild: at exactly 10 ticks it is stale, at 9 it is "
            "not.",
        ),
        held(
            "REC-stale-4",
            "sync_session reports the status before the sync, and tick_gap.",
        ),
        held(
            "REC-stale-5",
            "sync_session reports every foreign change exactly once, with old and new value and "
            "who made it.",
        ),
        held(
            "REC-stale-6",
            "Sessions never close by themselves.",
        ),
    ),
    *section(
        "contract: Records, states",
        "records",
        held(
            "REC-states-1",
            "Exactly 000's seven arrows are allowed; each of the nine other pairs is "
            "INVALID_TRANSITION.",
        ),
        held(
            "REC-states-2",
            "INVALID_TRANSITION carries details.allowed, the states that can be reached.",
        ),
        held(
            "REC-states-3",
            "A missing reason for LATER or DISCARDED is INVALID_INPUT.",
        ),
        held(
            "REC-states-4",
            "A missing resolved_by for RESOLVED is INVALID_INPUT.",
        ),
        held(
            "REC-states-5",
            "resolved_by must exist, be of the same project, and not be the record itself.",
        ),
        held(
            "REC-states-6",
            "Reopening clears resolved_by, and history keeps it.",
        ),
        held(
            "REC-states-7",
            "create_record with another state obeys the same rules for reason and resolved_by.",
        ),
        held(
            "REC-states-8",
            "A transition with open children warns and never cascades.",
        ),
        held(
            "REC-states-9",
            "A discarded parent makes an `orphan` warning on its open children.",
        ),
        held(
            "REC-states-10",
            "move_record {id, parent_id} re-parents a record, to null for a root.",
        ),
        held(
            "REC-states-11",
            "move_record that would make a cycle is refused, the record under itself included.",
        ),
    ),
    *section(
        "contract: Records, depth, metadata, related",
        "records",
        held(
            "REC-depth-1",
            "A record deeper than 5 gives a warning and is written.",
        ),
        held(
            "REC-depth-2",
            "A record deeper than 10 is DEPTH_EXCEEDED, by create_record and by move_record with "
            "its whole subtree.",
        ),
        held(
            "REC-metadata-1",
            "metadata can be set on create_record.",
        ),
        held(
            "REC-metadata-2",
            "metadata on update_record merges by key, and null deletes a key.",
        ),
        held(
            "REC-related-1",
            "Each id in related must exist in the project, on create_record and on update_record.",
        ),
    ),
    *section(
        "contract: Records, lists, history, search, branches",
        "records",
        held(
            "REC-list-1",
            "list_records without parent_id means the whole project.",
        ),
        held(
            "REC-list-2",
            "list_records with parent_id null means the roots.",
        ),
        held(
            "REC-list-3",
            "list_records with depth 1 gives the direct children of parent_id.",
        ),
        held(
            "REC-list-4",
            'list_records with format "outline" gives the indented outline.',
        ),
        held(
            "REC-history-1",
            "Every version of a record is kept.",
        ),
        held(
            "REC-history-2",
            "get_record_diff takes timestamps, ticks (`t:12`) and `last_save`.",
        ),
        held(
            "REC-history-3",
            "get_record_diff returns a unified diff of the body.",
        ),
        held(
            "REC-history-4",
            "get_record_history has a diff for body changes.",
        ),
        held(
            "REC-search-1",
            "search_records is full text, with a real relevance in 0..1 and a real snippet of the "
            "matching text.",
        ),
        held(
            "REC-search-2",
            "search_records gives the total of matches, not of the page.",
        ),
        held(
            "REC-search-3",
            "search_records filters by types, states and subtree.",
        ),
        held(
            "REC-search-4",
            "search_records is hybrid, words and vectors, when an embedder is on.",
            milestone="decisions",
        ),
        held(
            "REC-branch-1",
            "branch_session(session_id) makes a new session with the parent's active records.",
        ),
        held(
            "REC-branch-2",
            "A branched session has parent_session set, and is logged as session_branched.",
        ),
        held(
            "REC-closed-1",
            "A closed session activated again starts fresh: no active records and no bases of "
            "before.",
        ),
    ),
)
