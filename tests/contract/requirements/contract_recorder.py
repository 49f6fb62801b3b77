"""The contract page, Recorder."""

from tests.contract.requirements.requirement import held, section

REQUIREMENTS = (
    *section(
        "contract: Recorder, intent, world, outcome",
        "recorder",
        held(
            "FIL-effect-1",
            "The path is resolved without following links.",
        ),
        held(
            "FIL-effect-2",
            "The before-state is read and the intent is durable with both contents before the "
            "file is touched.",
        ),
        held(
            "FIL-effect-3",
            "The change is atomic: a temporary file beside it, fsync, rename, fsync of the "
            "directory.",
        ),
        held(
            "FIL-effect-4",
            "The outcome is durable before the answer.",
        ),
        held(
            "FIL-effect-5",
            "On start, a dead owner's unsettled intents are settled against the bytes on disk.",
        ),
        held(
            "FIL-effect-6",
            "Before a later operation on the same path, a dead owner's unsettled intents on it "
            "are settled.",
        ),
        held(
            "FIL-effect-7",
            "A living owner's intent is never settled by another.",
        ),
        held(
            "FIL-effect-8",
            "A crash at any instant leaves the file wholly before or wholly after.",
        ),
        held(
            "FIL-effect-9",
            "After a crash the timeline says whether the operation happened.",
        ),
    ),
    *section(
        "contract: Recorder, files and workspaces",
        "recorder",
        held(
            "FIL-workspace-1",
            "A file is (workspace id, path): README.md of two repositories in one store are two "
            "files.",
        ),
        held(
            "FIL-workspace-2",
            "Only that workspace, on that host, settles or restores a file.",
        ),
    ),
    *section(
        "contract: Recorder, file operations",
        "recorder",
        held(
            "FIL-op-1",
            "create on an existing file is FILE_EXISTS, and the file is unchanged.",
        ),
        held(
            "FIL-op-2",
            "create with overwrite true on an existing file is recorded as an edit.",
        ),
        held(
            "FIL-op-3",
            "create makes missing parent folders.",
        ),
        held(
            "FIL-op-4",
            "edit of a missing file is FILE_NOT_FOUND.",
        ),
        held(
            "FIL-op-5",
            "delete of a missing file is FILE_NOT_FOUND.",
        ),
        held(
            "FIL-op-6",
            "Failures and refusals are on the timeline, without content.",
        ),
        held(
            "FIL-op-7",
            "file_read {path} gives content and sha256.",
        ),
        held(
            "FIL-op-8",
            "expected_sha256 on file_op refuses with FILE_CHANGED if the file is not what the "
            "caller read.",
        ),
        held(
            "FIL-op-9",
            "A before-state unlike the last recorded after-state is first recorded as "
            "external_change, with its content.",
        ),
        held(
            "FIL-op-10",
            "edit takes edits: [{old, new}] instead of content.",
        ),
        held(
            "FIL-op-11",
            "Each `old` must match exactly once; otherwise the edit is refused and the file "
            "unchanged.",
        ),
        held(
            "FIL-op-12",
            "action move with `to` moves a file, recorded before and after.",
        ),
        held(
            "FIL-op-13",
            "ops: [...] does a batch, each operation atomic and reported.",
        ),
        held(
            "FIL-op-14",
            "encoding base64 carries binary content exactly, in and out.",
        ),
        held(
            "FIL-op-15",
            "Mode bits are kept.",
        ),
        held(
            "FIL-op-16",
            "A file is at most 10 MiB; one byte more is refused and says the limit.",
        ),
    ),
    *section(
        "contract: Recorder, the path rule: form",
        "recorder",
        held(
            "FIL-path-1",
            "A path is relative to the root, or absolute within it.",
        ),
        held(
            "FIL-path-2",
            "A path that is not valid UTF-8 in NFC is PATH_INVALID.",
        ),
        held(
            "FIL-path-3",
            "A path with control, bidi or zero-width characters is PATH_INVALID.",
        ),
        held(
            "FIL-path-4",
            "A path with a backslash or a colon is PATH_INVALID.",
        ),
        held(
            "FIL-path-5",
            "A component that is only dots (`.` and `..` apart), or ends in a dot or space, is "
            "PATH_INVALID.",
        ),
        held(
            "FIL-path-6",
            "A component of more than 255 bytes is PATH_INVALID.",
        ),
        held(
            "FIL-path-7",
            "A path of more than 64 levels is PATH_INVALID.",
        ),
    ),
    *section(
        "contract: Recorder, the path rule: place and kind",
        "recorder",
        held(
            "FIL-path-10",
            "A `..` component is PATH_OUTSIDE_WORKSPACE, also where the path would end inside the "
            "root.",
        ),
        held(
            "FIL-path-18",
            "An absolute path outside the root, or in a sibling whose name begins like the "
            "root's, is PATH_OUTSIDE_WORKSPACE.",
        ),
        held(
            "FIL-path-11",
            "A symbolic link at any component is PATH_OUTSIDE_WORKSPACE, and links are not "
            "written through.",
        ),
        held(
            "FIL-path-12",
            "A link put in place while the operation runs escapes no more than one that was there "
            "before.",
        ),
        held(
            "FIL-path-13",
            "Devices, FIFOs and sockets are PATH_NOT_REGULAR.",
        ),
        held(
            "FIL-path-14",
            "Folders are PATH_NOT_REGULAR.",
        ),
        held(
            "FIL-path-15",
            "Files with more than one hard link are PATH_NOT_REGULAR.",
        ),
        held(
            "FIL-path-16",
            "Set-uid files are PATH_NOT_REGULAR.",
        ),
        held(
            "FIL-path-17",
            "Files on other mounts are PATH_NOT_REGULAR.",
        ),
    ),
    *section(
        "contract: Recorder, the path rule: protection",
        "recorder",
        held(
            "FIL-path-20",
            "The store is PATH_PROTECTED for agents.",
        ),
        held(
            "FIL-path-21",
            "Our own temporaries are PATH_PROTECTED for agents.",
        ),
        held(
            "FIL-path-22",
            ".git in any case or Unicode folding (NFKC) is PATH_PROTECTED for agents.",
        ),
        held(
            "FIL-path-23",
            "The hosts' own configuration that could run code (.mcp.json, .vscode/, .cursor/, "
            ".claude/ settings and the like) is PATH_PROTECTED for agents.",
        ),
        held(
            "FIL-path-24",
            "The protected names are a table of data.",
        ),
    ),
    *section(
        "contract: Recorder, secrets",
        "recorder",
        held(
            "FIL-secret-1",
            "Contents that match a secret pattern are recorded redacted by default.",
        ),
        held(
            "FIL-secret-2",
            "--redact off records them whole, --redact on redacts.",
        ),
        held(
            "FIL-secret-3",
            "Hash, length and rule name of a redacted content are kept.",
        ),
        held(
            "FIL-secret-4",
            "The redacted bytes reach neither journal, blob, Git, search nor log.",
        ),
        held(
            "FIL-secret-5",
            "restore skips a redacted revision and says so.",
        ),
        held(
            "FIL-secret-6",
            "The file on disk is untouched by redaction.",
        ),
        held(
            "FIL-secret-7",
            "What could not be brought back goes only with irreversible, and that is told.",
        ),
    ),
    *section(
        "contract: Recorder, plan, reports and hooks",
        "recorder",
        held(
            "FIL-plan-1",
            "record_plan a second time makes plan revision 2.",
        ),
        held(
            "FIL-plan-2",
            "The current step is the one last begun by record_step.",
        ),
        held(
            "FIL-plan-3",
            "`step` on an operation goes before the current step.",
        ),
        held(
            "FIL-report-1",
            "record_* without execution are marked as reported, not executed.",
        ),
        held(
            "FIL-report-3",
            "An edit whose before-state is unknown is never undone into a deletion.",
        ),
        held(
            "FIL-report-2",
            "`hansard hook` records the native edits of hosts that offer hooks.",
        ),
    ),
    *section(
        "contract: Recorder, restore",
        "recorder",
        held(
            "FIL-restore-1",
            "restore takes a file, a step, a plan step or a whole session.",
        ),
        held(
            "FIL-restore-2",
            "restore goes to before or after any point.",
        ),
        held(
            "FIL-restore-3",
            "restore can be previewed, and a preview changes nothing.",
        ),
        held(
            "FIL-restore-4",
            "restore is atomic per file.",
        ),
        held(
            "FIL-restore-5",
            "restore is itself recorded, and so can be undone.",
        ),
        held(
            "FIL-restore-6",
            "restore never touches git.",
        ),
        held(
            "FIL-restore-7",
            "What a restore replaces and the record does not have is recorded before it begins.",
        ),
        held(
            "FIL-restore-8",
            "A restore names every change of others it takes away; keep_others merges instead.",
        ),
        held(
            "FIL-restore-9",
            "restore {step} is the moment before the step began; only_step its own changes.",
        ),
        held(
            "FIL-restore-10",
            "An unknown path, step or point is refused; a preview is whole, in pages.",
        ),
        held(
            "FIL-undo-1",
            "undo takes back an entry, batch, restore, step or session; later work stays.",
        ),
        held(
            "FIL-undo-2",
            "A clash changes nothing in the file and is shown as hunks; take decides.",
        ),
        held(
            "FIL-undo-3",
            "An undo can be undone; what is undone already is said to be.",
        ),
        held(
            "FIL-undo-4",
            "Bytes and modes come back, moves and folders made on the way too.",
        ),
        held(
            "FIL-large-1",
            "A file over the limit can be moved and deleted, or is refused by name.",
        ),
    ),
    *section(
        "contract: Recorder, resources and story",
        "recorder",
        held(
            "FIL-resource-1",
            "hansard://sessions lists the sessions, in pages.",
        ),
        held(
            "FIL-resource-2",
            "hansard://session/{id}/timeline gives the timeline, in pages.",
        ),
        held(
            "FIL-resource-3",
            "hansard://session/{id}/story gives the story, in pages.",
        ),
        held(
            "FIL-resource-4",
            "hansard://session/{id}/evolution and .../evolution/{path} give the revisions, in "
            "pages.",
        ),
        held(
            "FIL-resource-5",
            "A subscriber is notified when a resource changes, in both protocol eras.",
        ),
        held(
            "FIL-resource-6",
            "get_timeline, get_story and get_evolution give the same as the resources.",
        ),
        held(
            "FIL-story-1",
            "The story groups edits by plan step, then by file and pause, folding micro-edits.",
        ),
        held(
            "FIL-story-2",
            "The story is made by rule, with no model: the same session gives the same story.",
        ),
        held(
            "FIL-durable-1",
            "Everything of a session is durable event by event; record_session_end has nothing to "
            "flush.",
        ),
    ),
)
