"""The contract page, Everything 1-5: sessions, projects, clock, durability, retries."""

from tests.contract.requirements.requirement import held, section

REQUIREMENTS = (
    *section(
        "contract: preamble",
        "foundation",
        held(
            "ALL-00.1",
            "Every capability writes into one store with one clock, one journal and one session "
            "object, and reads from it.",
            milestone="entities",
        ),
        held(
            "ALL-00.2",
            "The records capability offers the eighteen names of 000, and ours: deactivate, "
            "branch_session, move_record.",
            milestone="records",
        ),
        held(
            "ALL-00.3",
            "The checkpoints capability offers the four names of 001, and ours: "
            "workflow_checkpoint_delete, workflow_checkpoint_diff.",
            milestone="checkpoints",
        ),
        held(
            "ALL-00.4",
            "The entities capability offers entity_create, entity_get, entity_update, "
            "entity_delete, entity_list, thread_append, document_revise, execution_event, "
            "metric_record and metric_query.",
            milestone="entities",
        ),
        held(
            "ALL-00.5",
            "The recorder offers the nine names of 003, and ours: record_step, record_file_move, "
            "file_read, restore, get_timeline, get_story, get_evolution.",
            milestone="recorder",
        ),
        held(
            "ALL-00.6",
            "The decisions capability offers the four names of 004 and export-schema, and ours: "
            "propose_decision, reject_proposal, get_decision.",
            milestone="decisions",
        ),
        held(
            "ALL-00.7",
            "search {query, kinds?, limit, cursor} looks over everything of the project: records, "
            "decisions, timeline, checkpoints and entities.",
            milestone="decisions",
        ),
        held(
            "ALL-00.8",
            "Tool, parameter and field names keep the spelling of the source they come from.",
            milestone="entities",
        ),
    ),
    *section(
        "contract: Everything 1, sessions",
        "foundation",
        held(
            "ALL-01.1",
            "One session object serves all five capabilities, and its timeline holds everything "
            "done under it, in seq order.",
            milestone="entities",
        ),
        held(
            "ALL-01.2",
            "record_session_start can begin a session.",
            milestone="recorder",
        ),
        held(
            "ALL-01.3",
            "activate can begin a session.",
            milestone="records",
        ),
        held(
            "ALL-01.4",
            "workflow_checkpoint_save can begin a session.",
            milestone="checkpoints",
        ),
        held(
            "ALL-01.5",
            "Any write that needs no activation can begin a session.",
        ),
        held(
            "ALL-01.6",
            "Every operation takes an optional session_id.",
        ),
        held(
            "ALL-01.7",
            "The checkpoint tools take sessionId and session_id alike.",
            milestone="checkpoints",
        ),
        held(
            "ALL-01.8",
            "Without session_id, the `_meta` key hansard/session names the session.",
        ),
        held(
            "ALL-01.9",
            "Without session_id and `_meta`, HANSARD_SESSION or --session names the session.",
        ),
        held(
            "ALL-01.10",
            "On stdio, with none of these, the process's own session is used.",
        ),
        held(
            "ALL-01.11",
            "Over HTTP, with none of these, an operation that may begin a session begins one and "
            "returns its id.",
        ),
        held(
            "ALL-01.12",
            "Over HTTP, with none of these, an operation that needs a session answers "
            "SESSION_NOT_FOUND with the hint to pass the id that activate returned.",
        ),
        held(
            "ALL-01.13",
            "An argument goes before `_meta`, `_meta` before the setting, the setting before the "
            "process's own session.",
        ),
        held(
            "ALL-01.14",
            "A session survives a restart of the server: its id goes on working.",
        ),
        held(
            "ALL-01.21",
            "A session's active records and base versions survive a restart of the server.",
            milestone="records",
        ),
        held(
            "ALL-01.22",
            "A session's marks survive a restart of the server.",
            milestone="checkpoints",
        ),
        held(
            "ALL-01.23",
            "A session's title, plan and current step survive a restart of the server.",
            milestone="recorder",
        ),
        held(
            "ALL-01.15",
            "A session id is a handle, never authentication: knowing one gives no role and no "
            "other project.",
        ),
        held(
            "ALL-01.16",
            "Ids are opaque: an unknown one of any form is a ..._NOT_FOUND, never INVALID_INPUT "
            "for its form.",
        ),
        held(
            "ALL-01.17",
            "record_session_start {session_id?, title, user_message} on a session begun otherwise "
            "gives it its title.",
            milestone="recorder",
        ),
        held(
            "ALL-01.18",
            "record_session_start on a session that has a title is SESSION_EXISTS.",
            milestone="recorder",
        ),
        held(
            "ALL-01.19",
            "record_session_end and close_session end the same session.",
            milestone="recorder",
        ),
        held(
            "ALL-01.20",
            "The same session works over connections that keep no state (2026-07-28) and over "
            "those that do (2025-11-25 and before).",
        ),
        held(
            "ALL-01.24",
            "A session is active, idle, away or ended, by who is really there; looking writes "
            "nothing.",
        ),
        held(
            "ALL-01.25",
            "The end of a stdio process ends the sessions begun for it, and leaves one whose name "
            "was given away.",
        ),
        held(
            "ALL-01.26",
            "A session that is away, or ended with its process, goes on without loss when it is "
            "named again.",
        ),
        held(
            "ALL-01.27",
            "On stdio a session that is opened by naming it is that of later calls that name none.",
        ),
    ),
    *section(
        "contract: Everything 2, projects",
        "foundation",
        held(
            "ALL-02.1",
            "project_id is optional wherever a project matters.",
        ),
        held(
            "ALL-02.2",
            "Without project_id, a session id that Hansard made leads to its project.",
        ),
        held(
            "ALL-02.3",
            "Else the configured project (HANSARD_PROJECT) is used.",
        ),
        held(
            "ALL-02.4",
            "With nothing configured, no file and no repository it is `default`, made by the first "
            "write.",
        ),
        held(
            "ALL-02.5",
            "Once users are authenticated, each has a default project of their own.",
            milestone="reliability",
        ),
        held(
            "ALL-02.6",
            "A new project has tick 0.",
        ),
        held(
            "ALL-02.7",
            "Record ids such as R001 are unique in the whole store, not only in their project.",
            milestone="records",
        ),
        held(
            "ALL-02.8",
            "Nothing of one project is ever seen from another: not by id, list, search, history, "
            "resource or error text.",
        ),
        held(
            "ALL-02.9",
            "A record of another project is RECORD_NOT_FOUND, and is in no list, search, bundle "
            "or sync.",
            milestone="records",
        ),
        held(
            "ALL-02.10",
            "A checkpoint of another project is CHECKPOINT_NOT_FOUND, and is in no list.",
            milestone="checkpoints",
        ),
        held(
            "ALL-02.11",
            "The timeline, story and evolution of another project's session are not found.",
            milestone="recorder",
        ),
        held(
            "ALL-02.12",
            "A decision of another project is DECISION_NOT_FOUND, and its target blocks nothing "
            "here.",
            milestone="decisions",
        ),
        held(
            "ALL-02.13",
            "An entity of another project is ENTITY_NOT_FOUND, and is in no list or metric.",
            milestone="entities",
        ),
        held(
            "ALL-02.14",
            "A session id that a caller chose is unique in its project only: the same in two "
            "projects is two sessions, and none leads to the other.",
        ),
        held(
            "ALL-02.15",
            "Only an id that Hansard made leads to its project; one of that form that it did not "
            "make leads nowhere and cannot be chosen.",
        ),
        held(
            "ALL-02.16",
            "With nothing configured the project is the workspace's: the one that .hansard.toml "
            "names, else one named after the Git repository's folder.",
        ),
        held(
            "ALL-02.17",
            "Clones, working trees and subfolders of one repository share a project; two "
            "repositories never do, whatever their folders are called.",
        ),
        held(
            "ALL-02.18",
            "What only reads never makes a project: one's own that is yet to be made answers as "
            "empty.",
        ),
        held(
            "ALL-02.19",
            "A project_id that names none is PROJECT_NOT_FOUND, with those that the caller may "
            "see.",
        ),
        held(
            "ALL-02.20",
            "A project can be renamed, and is found under its former names; archived, it is "
            "listed nowhere, takes no writes, and can be read and brought back.",
        ),
        held(
            "ALL-02.21",
            "A refused request leaves no trace: no entry in any project or the catalog, no "
            "project and no session.",
        ),
    ),
    *section(
        "contract: Everything 3, clock",
        "foundation",
        held(
            "ALL-03.1",
            "Every journal entry of a project has a seq; they are dense, unique and rising.",
        ),
        held(
            "ALL-03.2",
            "Only create_record, update_record, transition and save_session advance the tick.",
            milestone="records",
        ),
        held(
            "ALL-03.3",
            "Every operation but those four leaves the tick where it was.",
        ),
        held(
            "ALL-03.4",
            "Order is always by seq, never by the wall clock: a clock set back changes the order "
            "of nothing.",
        ),
    ),
    *section(
        "contract: Everything 4, durability",
        "foundation",
        held(
            "ALL-04.1",
            "Every answer to a write is given after the write is durable.",
        ),
        held(
            "ALL-04.2",
            "Every answer to a write carries its receipt {seq, hash}.",
        ),
        held(
            "ALL-04.3",
            "An acknowledged write is never lost by any number of processes on one store.",
        ),
        held(
            "ALL-04.4",
            "An acknowledged write is never lost by any number of threads in one process.",
        ),
        held(
            "ALL-04.5",
            "An acknowledged write is never lost by kill -9 of any process at any instant.",
        ),
    ),
    *section(
        "contract: Everything 5, retries",
        "foundation",
        held(
            "ALL-05.1",
            "An idempotency key may travel in `_meta` as hansard/idempotency-key.",
        ),
        held(
            "ALL-05.2",
            "An idempotency key may travel in HTTP's Idempotency-Key header.",
        ),
        held(
            "ALL-05.3",
            "An idempotency key may travel in the library's argument.",
        ),
        held(
            "ALL-05.4",
            "An idempotency key is not a tool parameter, and no input schema lists one.",
        ),
        held(
            "ALL-05.5",
            "A key is scoped to project, caller and operation: the same key elsewhere is another "
            "key.",
        ),
        held(
            "ALL-05.6",
            "The key is stored with the intent, in the same transaction.",
        ),
        held(
            "ALL-05.7",
            "A repeat with the same key and arguments returns the first answer and writes nothing.",
        ),
        held(
            "ALL-05.8",
            "The same key with other arguments is refused and writes nothing.",
        ),
        held(
            "ALL-05.9",
            "A repeat whose first outcome is open is settled, never run again.",
            milestone="recorder",
        ),
    ),
)
