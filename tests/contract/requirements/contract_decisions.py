"""The contract page, Decisions."""

from tests.contract.requirements.requirement import held, section

REQUIREMENTS = (
    *section(
        "contract: Decisions, record and supersede",
        "decisions",
        held(
            "DEC-record-1",
            "record_decision {title, target, rationale, consequences?, cites?} gives "
            "{decision_id}.",
        ),
        held(
            "DEC-record-2",
            "One active decision per target and project: a second is TARGET_CONFLICT (409), "
            "naming the first.",
        ),
        held(
            "DEC-record-3",
            "TARGET_CONFLICT hints to supersede.",
        ),
        held(
            "DEC-record-4",
            "Of many callers recording on one target at once, exactly one succeeds.",
        ),
        held(
            "DEC-record-5",
            "Targets that look alike are one: case, spaces, unseen characters, NFKC, and letters "
            "of other scripts that look like Latin ones make no difference.",
        ),
        held(
            "DEC-supersede-1",
            "supersede_decision {old_decision_ids, title, target, rationale, consequences?, "
            "cites?} gives {decision_id}.",
        ),
        held(
            "DEC-supersede-2",
            "Each old id must exist, else DECISION_NOT_FOUND.",
        ),
        held(
            "DEC-supersede-3",
            "Each old decision must be active, else DECISION_NOT_ACTIVE.",
        ),
        held(
            "DEC-supersede-4",
            "Each old decision must have the same target as the new one.",
        ),
        held(
            "DEC-supersede-5",
            "supersede_decision is atomic: a refusal of one old id changes nothing.",
        ),
        held(
            "DEC-supersede-6",
            "An agent superseding a human's decision is ISOLATION_VIOLATION, whatever its "
            "arguments claim.",
        ),
        held(
            "DEC-supersede-7",
            "An empty old_decision_ids is INVALID_INPUT.",
        ),
    ),
    *section(
        "contract: Decisions, content and chains",
        "decisions",
        held(
            "DEC-chain-1",
            "A decision's content is immutable.",
        ),
        held(
            "DEC-chain-2",
            "Its status (active, superseded, proposed, accepted, rejected) is derived from the "
            "journal.",
        ),
        held(
            "DEC-chain-3",
            "A superseded decision never returns to active.",
        ),
        held(
            "DEC-chain-4",
            "Chains are acyclic and of any length.",
        ),
        held(
            "DEC-chain-5",
            "The head of a chain is found in O(1).",
        ),
        held(
            "DEC-chain-6",
            "get_decision gives the decision with its chain.",
        ),
    ),
    *section(
        "contract: Decisions, proposals",
        "decisions",
        held(
            "DEC-proposal-1",
            "propose_decision by an agent, with evidence, makes a draft that no search in strict "
            "mode returns.",
        ),
        held(
            "DEC-proposal-2",
            "accept_proposal by a role below ADMIN is PERMISSION_DENIED.",
        ),
        held(
            "DEC-proposal-3",
            "accept_proposal without the secret proved, or with a wrong one, is "
            "PERMISSION_DENIED; it is compared in constant time.",
        ),
        held(
            "DEC-proposal-4",
            "accept_proposal within one hour of the proposal's last edit is REVIEW_WINDOW.",
        ),
        held(
            "DEC-proposal-5",
            "Exactly 3600 s after the last edit accept_proposal passes.",
        ),
        held(
            "DEC-proposal-6",
            "The review window is configurable.",
        ),
        held(
            "DEC-proposal-7",
            "A clock going back cannot shorten the review window.",
        ),
        held(
            "DEC-proposal-8",
            "reject_proposal leaves a tombstone: the same proposal again is refused and cites it.",
        ),
        held(
            "DEC-proposal-9",
            "The proposal's id stays in the decision made of it.",
        ),
        held(
            "DEC-proposal-10",
            "A proposal onto an occupied target names what it supersedes.",
        ),
        held(
            "DEC-proposal-11",
            "Where a person rejected a proposal, agents neither record nor supersede until a "
            "person has decided the target: they are told which proposal it was, and propose.",
        ),
    ),
    *section(
        "contract: Decisions, Git",
        "decisions",
        held(
            "DEC-git-1",
            "Each decision is one commit in a bare repository per project.",
        ),
        held(
            "DEC-git-2",
            "A decision is one Markdown file with front matter, in sharded folders.",
        ),
        held(
            "DEC-git-3",
            "Author and message of a commit are structured.",
        ),
        held(
            "DEC-git-4",
            "The journal acknowledges; a follower writes objects, then the reference.",
        ),
        held(
            "DEC-git-5",
            "The repository can be deleted, and is made again with the same commit ids.",
        ),
        held(
            "DEC-git-6",
            "Hansard alone writes its branch, and people can log, blame, clone and push it "
            "elsewhere.",
        ),
        held(
            "DEC-git-7",
            "README.md in the repository says what holds, by target, with a link to each page.",
        ),
    ),
    *section(
        "contract: Decisions, search",
        "decisions",
        held(
            "DEC-search-1",
            "search_decisions takes query, mode (balanced by default) and limit (5 by default).",
        ),
        held(
            "DEC-search-2",
            "Each result has id, title, target, status, score, preview and matched_via.",
        ),
        held(
            "DEC-search-3",
            "The reply has index_lag and index, which says what index answered.",
        ),
        held(
            "DEC-search-4",
            "Full text and vectors are fused; then the graph decides.",
        ),
        held(
            "DEC-search-5",
            "strict and balanced resolve every hit to the active head of its chain.",
        ),
        held(
            "DEC-search-6",
            "matched_via says through which old ids a result was found.",
        ),
        held(
            "DEC-search-7",
            "strict and balanced give one per target, active first whatever the score.",
        ),
        held(
            "DEC-search-8",
            "strict returns active only, always.",
        ),
        held(
            "DEC-search-9",
            "balanced may add chains that have no active end, last.",
        ),
        held(
            "DEC-search-10",
            "audit gives all, unfiltered unless asked to, and unresolved.",
        ),
        held(
            "DEC-search-11",
            "The score reported has +1.0 for active in strict and balanced.",
        ),
        held(
            "DEC-search-12",
            "A stale, empty or missing vector index may miss, never resurrect.",
        ),
        held(
            "DEC-search-13",
            "audit is ranked by relevance alone, in the same order whatever the limit.",
        ),
        held(
            "DEC-cites-1",
            "A citation of what is not there, and a target that names no file, are said in the "
            "answer.",
        ),
        held(
            "DEC-secrets-1",
            "What the recorder takes for a secret is in no decision, neither in the store nor in "
            "Git, and the caller is told.",
        ),
        held(
            "DEC-search-14",
            "history tells all that was decided about a target, in order, each with a diff.",
        ),
    ),
    *section(
        "contract: Decisions, across",
        "decisions",
        held(
            "DEC-blast-1",
            "supersede_decision answers blast_radius: the records, files and checkpoints that "
            "cite the old decisions.",
        ),
        held(
            "DEC-blast-2",
            "get_decision answers blast_radius.",
        ),
        held(
            "DEC-governed-1",
            "A decision whose target is `path:GLOB` governs those files: file_op on them answers "
            "governed_by.",
        ),
        held(
            "DEC-governed-2",
            "file_op by an agent on a file governed with enforcement block is DECISION_BLOCKS, "
            "and the file is unchanged.",
        ),
        held(
            "DEC-governed-3",
            "A human's file_op on a file governed with enforcement block is done, and answers "
            "governed_by.",
        ),
        held(
            "DEC-governed-4",
            "A superseded decision governs nothing.",
        ),
        held(
            "DEC-schema-1",
            "export-schema prints the committed contract with its hash.",
            milestone="foundation",
        ),
        held(
            "DEC-schema-2",
            "schema/v1 is frozen at the first release; until then it grows; afterwards only "
            "additions.",
            milestone="reliability",
        ),
    ),
)
