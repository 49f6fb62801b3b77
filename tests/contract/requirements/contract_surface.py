"""The contract page, Everything 7-13: input, output, as_of, author, citing, settings, tools."""

from tests.contract.requirements.requirement import held, section

REQUIREMENTS = (
    *section(
        "contract: Everything 7, input",
        "foundation",
        held(
            "ALL-07.1",
            "Every input is a closed model: an unknown field is refused with INVALID_INPUT that "
            "names it.",
        ),
        held(
            "ALL-07.2",
            "Every inputSchema says additionalProperties false at each level that has named "
            "fields.",
        ),
        held(
            "ALL-07.3",
            "Lengths are counted in code points after trimming.",
        ),
        held(
            "ALL-07.4",
            "Text is stored as given: trimming is only for counting.",
        ),
        held(
            "ALL-07.5",
            "Every string, list, depth and number has a named limit in limits.py.",
        ),
        held(
            "ALL-07.6",
            "The error about a limit says the limit, and the value at the limit is accepted.",
        ),
        held(
            "ALL-07.7",
            "Stored text holds no NUL: a NUL in it is INVALID_INPUT.",
        ),
        held(
            "ALL-07.8",
            "Queries may hold any character, NUL included, and are never an error for it.",
            milestone="records",
        ),
        held(
            "ALL-07.9",
            "An operation refused for its input has written nothing.",
        ),
        held(
            "ALL-07.10",
            "Text with hidden characters (control, bidi, zero-width, tags and the like) is stored "
            "as given; who writes it, and who activates it, is told how many of which kind.",
        ),
        held(
            "ALL-07.11",
            "A secret of a known shape is masked in what is said with any tool, or kept and told "
            "of where text comes back byte for byte; none reaches Git.",
        ),
    ),
    *section(
        "contract: Everything 8, output",
        "foundation",
        held(
            "ALL-08.1",
            "The structured content of each answer alone suffices.",
        ),
        held(
            "ALL-08.2",
            "The text of each answer alone suffices: it names every id and state a caller needs "
            "to go on.",
        ),
        held(
            "ALL-08.3",
            "The text is a short rendering such as `[R007] (OPEN, 2 open children) Title`, not "
            "the JSON again.",
        ),
        held(
            "ALL-08.4",
            "Bare arrays of the sources are wrapped under a name (projects, records, history, "
            "sessions, activity, checkpoints) with total and nextCursor.",
            milestone="checkpoints",
        ),
        held(
            "ALL-08.5",
            "Lists take limit and cursor, and following nextCursor to the end gives each item "
            "once.",
        ),
        held(
            "ALL-08.6",
            "budget_tokens on activate bounds the reply, and it says what it left out and how to "
            "get it.",
            milestone="records",
        ),
        held(
            "ALL-08.7",
            "budget_tokens on get_project_overview bounds the reply, and it says what it left out "
            "and how to get it.",
            milestone="records",
        ),
        held(
            "ALL-08.8",
            "budget_tokens on workflow_checkpoint_load bounds the reply, and it says what it left "
            "out and how to get it.",
            milestone="checkpoints",
        ),
        held(
            "ALL-08.9",
            "budget_tokens on get_timeline bounds the reply, and it says what it left out and how "
            "to get it.",
            milestone="recorder",
        ),
        held(
            "ALL-08.10",
            "budget_tokens on get_story bounds the reply, and it says what it left out and how to "
            "get it.",
            milestone="recorder",
        ),
        held(
            "ALL-08.11",
            "Every structured answer fits the published output schema of its tool, byte for byte.",
        ),
        held(
            "ALL-08.12",
            "A cursor opens the list that gave it; one that is made up, or of another operation, "
            "project, session or query, is INVALID_INPUT.",
        ),
    ),
    *section(
        "contract: Everything 9, time travel",
        "foundation",
        held(
            "ALL-09.1",
            "as_of `t:12` means the last seq at tick 12.",
        ),
        held(
            "ALL-09.2",
            "as_of `s:340` means seq 340.",
        ),
        held(
            "ALL-09.3",
            "as_of an ISO time means the last entry by the running maximum of entry times, so a "
            "clock set back hides nothing.",
        ),
        held(
            "ALL-09.4",
            "get_project_overview takes as_of and answers as it would have then.",
            milestone="records",
        ),
        held(
            "ALL-09.5",
            "list_records takes as_of and answers as it would have then.",
            milestone="records",
        ),
        held(
            "ALL-09.6",
            "get_record_ref takes as_of and answers as it would have then.",
            milestone="records",
        ),
        held(
            "ALL-09.7",
            "activate with as_of is read-only: it begins no session, activates nothing and logs "
            "nothing.",
            milestone="records",
        ),
        held(
            "ALL-09.8",
            "get_decision takes as_of and answers as it would have then.",
            milestone="decisions",
        ),
        held(
            "ALL-09.9",
            "entity_get takes as_of and answers as it would have then.",
            milestone="entities",
        ),
        held(
            "ALL-09.10",
            "get_evolution takes as_of and answers as it would have then.",
            milestone="recorder",
        ),
        held(
            "ALL-09.11",
            "search_records refuses as_of by name.",
            milestone="records",
        ),
        held(
            "ALL-09.12",
            "search_decisions and search refuse as_of by name.",
            milestone="decisions",
        ),
        held(
            "ALL-09.13",
            "metric_query refuses as_of by name.",
            milestone="entities",
        ),
    ),
    *section(
        "contract: Everything 10, author",
        "foundation",
        held(
            "ALL-10.1",
            "Every entry carries actor {kind: human|agent|system, id, role}.",
        ),
        held(
            "ALL-10.2",
            "The actor is taken from the connection, never from an argument or a text marker.",
        ),
        held(
            "ALL-10.3",
            "Roles are ordered viewer < agent < admin, and each operation states the least role "
            "it needs.",
        ),
        held(
            "ALL-10.4",
            "A caller over stdio is an agent.",
        ),
        held(
            "ALL-10.5",
            "The page's user is a human.",
            milestone="page",
        ),
        held(
            "ALL-10.6",
            "The CLI on a terminal is a human.",
        ),
        held(
            "ALL-10.7",
            "The CLI without a terminal is an agent.",
        ),
        held(
            "ALL-10.8",
            "The secret comes from HANSARD_SECRET, its alias AGENT_MEMORY_SECRET, or a file of "
            "mode 0600; never from a flag.",
            milestone="decisions",
        ),
        held(
            "ALL-10.9",
            "A caller proves the secret in `_meta` as hansard/secret.",
            milestone="decisions",
        ),
        held(
            "ALL-10.10",
            "A caller over HTTP proves it with an admin token.",
            milestone="reliability",
        ),
        held(
            "ALL-10.11",
            "A person at the CLI proves it by typing it at the prompt.",
            milestone="decisions",
        ),
        held(
            "ALL-10.12",
            "The secret is never a tool parameter, and a secret in the server's environment alone "
            "proves nothing.",
            milestone="decisions",
        ),
        held(
            "ALL-10.13",
            "Over HTTP the actor and its role come from the bearer token.",
            milestone="reliability",
        ),
        held(
            "ALL-10.14",
            "The author is the client's own name (`agent:claude-code`), a token's name or the "
            "person's; two hosts are told apart.",
        ),
        held(
            "ALL-10.15",
            "Whatever a client calls itself, its kind and role are those of its connection.",
        ),
        held(
            "ALL-10.16",
            "Where a secret is set, nobody is a person who has not proved it: on a terminal, on "
            "the page, from any process.",
        ),
        held(
            "ALL-10.17",
            "Where none is set, the entry of what a person does says that it is unproved.",
        ),
        held(
            "ALL-10.18",
            "A secret that is too short is refused, not ignored.",
        ),
        held(
            "ALL-10.19",
            "A store learns its secret by a person's typing it and in no other way; one that only "
            "a process was started with proves nobody a person.",
        ),
        held(
            "ALL-10.20",
            "A lost secret is replaced after a waiting time, in which everybody is told and "
            "whoever knows the secret cancels it.",
        ),
    ),
    *section(
        "contract: Everything 11, citing",
        "decisions",
        held(
            "ALL-11.1",
            "create_record and update_record take cites.",
        ),
        held(
            "ALL-11.2",
            "file_op and audit_event take cites.",
        ),
        held(
            "ALL-11.3",
            "workflow_checkpoint_save takes cites.",
        ),
        held(
            "ALL-11.4",
            "record_decision, supersede_decision and propose_decision take cites.",
        ),
        held(
            "ALL-11.5",
            "A citation names a record, a decision, a checkpoint, a journal entry (`s:340`) or a "
            "file (`path:src/a.py`).",
        ),
        held(
            "ALL-11.6",
            "Answers that cross capabilities (resume with truth, blast radius, governed files, "
            "search) live in app/, over views of citations and the session.",
        ),
        held(
            "ALL-11.7",
            "No capability imports another.",
            milestone="foundation",
        ),
    ),
    *section(
        "contract: Everything 12, settings",
        "foundation",
        held(
            "ALL-12.1",
            "Every setting has a flag and a HANSARD_ twin, secrets excepted.",
        ),
        held(
            "ALL-12.2",
            "HANSARD_STORE is a folder or a postgresql:// URL, by default the user's data folder.",
        ),
        held(
            "ALL-12.3",
            "HANSARD_PROJECT names the project used when none is given.",
        ),
        held(
            "ALL-12.4",
            "HANSARD_WORKSPACE is the workspace root, by default the current folder.",
            milestone="recorder",
        ),
        held(
            "ALL-12.5",
            "HANSARD_SESSION names the session used when none is given.",
        ),
        held(
            "ALL-12.6",
            "HANSARD_TOOLSETS is `default`, `core`, `all`, or capability names.",
        ),
        held(
            "ALL-12.7",
            "After make setup, which every other target calls, the program is .venv/bin/hansard.",
        ),
    ),
    *section(
        "contract: Everything 13, tool list budget",
        "foundation",
        held(
            "ALL-13.1",
            "The tool list costs its characters/4, counted on the compact JSON of name, "
            "description and inputSchema.",
        ),
        held(
            "ALL-13.2",
            "Toolset `all` costs at most 9,000.",
        ),
        held(
            "ALL-13.3",
            "Toolset `default` costs at most 4,200.",
        ),
        held(
            "ALL-13.4",
            "Toolset `core` costs at most 1,500.",
        ),
        held(
            "ALL-13.5",
            "`default` is records, file_op and the session tools of the recorder, checkpoint save "
            "and load, decisions record/supersede/search, and search.",
            milestone="decisions",
            decided="0031: without what is seldom used of records, with what agents are sent to",
        ),
        held(
            "ALL-13.6",
            "`core` is get_project_overview, activate, create_record, update_record, "
            "record_decision, search_decisions and search.",
            milestone="decisions",
        ),
        held(
            "ALL-13.7",
            "The only common parameters listed are session_id, and project_id where projects "
            "matter.",
        ),
        held(
            "ALL-13.8",
            "Common parameters that are not listed are answered all the same.",
        ),
        held(
            "ALL-13.9",
            "Aliases are answered always, and listed only on demand.",
            milestone="recorder",
        ),
    ),
)
