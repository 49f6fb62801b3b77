"""What the recorder promises beyond the contract page: plans, story, histories, whose line."""

from tests.contract.requirements.requirement import held, section

REQUIREMENTS = (
    *section(
        "contract: Recorder, plans that link by themselves",
        "recorder",
        held("FIL-plan-4", "After record_plan the first step is current."),
        held("FIL-plan-5", "record_plan_step makes its step current."),
        held(
            "FIL-plan-6",
            "record_step with a status ends a step, once; the next that is planned begins.",
        ),
        held("FIL-plan-7", "The end of a session ends its current step."),
        held(
            "FIL-plan-8",
            "A new plan goes on with the step in progress; what was over is not begun again.",
        ),
        held("FIL-plan-9", "Plans and steps that several record at once never mix."),
    ),
    *section(
        "contract: Recorder, story and timeline",
        "recorder",
        held(
            "FIL-story-3",
            "What was taken back reads as undone, and by which entry; in part, how much of it.",
        ),
        held("FIL-story-4", "What a restore changes is not counted as the step's work."),
        held("FIL-story-5", "A restore is told in words of what was asked."),
        held(
            "FIL-story-6",
            "A change from outside says whether the file was created, edited, deleted or moved.",
        ),
        held("FIL-story-7", "Many files are told by folder."),
        held(
            "FIL-timeline-1",
            "The timeline of a project shows what all its sessions did to files, folded.",
        ),
        held("FIL-timeline-2", "The user's message is on the timeline."),
        held("FIL-timeline-3", "A revision is a file's; that of a plan is called plan_revision."),
        held(
            "FIL-timeline-4",
            "hansard://session/current/... is the caller's session; without one, "
            "SESSION_NOT_FOUND.",
        ),
    ),
    *section(
        "contract: Recorder, history follows the file",
        "recorder",
        held("FIL-history-1", "A moved file keeps its revisions, and their numbers go on."),
        held("FIL-history-2", "The old name of a file leads to the file."),
        held("FIL-history-3", "A new file at an old name has a history of its own."),
        held("FIL-history-4", "A move made past Hansard is found by content; a copy is no move."),
    ),
    *section(
        "contract: Recorder, why a line is there",
        "recorder",
        held(
            "FIL-why-1",
            "why names the entry that wrote a line, its session, step, prompt, records and "
            "decisions.",
        ),
        held("FIL-why-2", "A line is followed through moves, restores and undos."),
        held("FIL-why-3", "why can be asked of any revision, as a film shows it."),
        held("FIL-why-4", "What is not known of a line is said."),
        held("FIL-why-5", "Blame is that of a model in which each line is tagged by its writer."),
        held("FIL-why-6", "Where someone outside wrote a line, Git's blame goes on."),
    ),
    *section(
        "contract: Recorder, copies of a workspace",
        "recorder",
        held("FIL-copy-1", "A copy of a repository goes on with the history of its files."),
        held("FIL-copy-2", "Two copies in use are told apart, and not restored into each other."),
        held("FIL-copy-3", "A plain folder is joined by command, and is told so."),
        held("FIL-copy-4", "In a copy, what was done before there was one is undone and restored."),
        held("FIL-copy-5", "A look and a refusal leave nothing in a copy."),
    ),
)
