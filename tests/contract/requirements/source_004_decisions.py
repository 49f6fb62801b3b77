"""Source 004, agent memory: its goals, tools, errors and guarantees."""

from tests.contract.requirements.requirement import held, section

REQUIREMENTS = (
    *section(
        "004: Industrial design goals",
        "decisions",
        held(
            "004-goal-1",
            "The API is defined by JSON Schemas that are committed, not by what the server "
            "happens to do.",
            milestone="foundation",
        ),
        held(
            "004-goal-2",
            "API version 1.0.0 is immutable; a breaking change makes version 2.",
            decided=(
                "contract overrides: schema/v1 is frozen at the first release and grows until "
                "then; afterwards only additions"
            ),
        ),
        held(
            "004-goal-3",
            "A client in another language works from the exported schema alone.",
            milestone="decisions",
        ),
        held(
            "004-schema-1",
            "The canonical JSON schema is a file of the repository.",
            milestone="foundation",
            decided="contract overrides: schema/v1 in place of mcp_api_v1.json",
        ),
        held(
            "004-schema-2",
            "The command export-schema prints it.",
            milestone="foundation",
        ),
    ),
    *section(
        "004: Tool definitions",
        "decisions",
        held(
            "004-record_decision-1",
            "record_decision records a rule or fact immutably.",
        ),
        held(
            "004-record_decision-2",
            "record_decision needs a rationale of at least 10 characters: 9 are refused, 10 "
            "accepted.",
        ),
        held(
            "004-record_decision-3",
            "record_decision makes one atomic Git commit and updates the vector index.",
            decided="contract overrides: the journal acknowledges; Git and vectors follow it",
        ),
        held(
            "004-supersede_decision-1",
            "supersede_decision replaces old active decisions by a new one.",
        ),
        held(
            "004-supersede_decision-2",
            "supersede_decision needs a rationale of at least 15 characters: 14 are refused, 15 "
            "accepted.",
        ),
        held(
            "004-supersede_decision-3",
            "supersede_decision must target at least one existing id.",
        ),
        held(
            "004-supersede_decision-4",
            "An agent cannot supersede a decision authored by a human.",
        ),
        held(
            "004-search_decisions-1",
            "search_decisions is hybrid: vectors and the graph of decisions.",
        ),
        held(
            "004-search_decisions-2",
            "Mode strict returns active decisions only.",
        ),
        held(
            "004-search_decisions-3",
            "Mode balanced puts active ones first, and gives one per target.",
        ),
        held(
            "004-search_decisions-4",
            "Mode audit gives the full history without filtering.",
        ),
        held(
            "004-accept_proposal-1",
            "accept_proposal promotes an agent's proposal to an active decision.",
        ),
        held(
            "004-accept_proposal-2",
            "accept_proposal needs the ADMIN role and AGENT_MEMORY_SECRET.",
        ),
        held(
            "004-accept_proposal-3",
            "accept_proposal is refused within the one-hour review window.",
        ),
    ),
    *section(
        "004: Error handling",
        "decisions",
        held(
            "004-errors-32602",
            "With --errors jsonrpc a validation error has code -32602.",
            milestone="foundation",
        ),
        held(
            "004-errors-32000",
            "With --errors jsonrpc an execution error (integrity violation or Git failure) has "
            "code -32000.",
            decided=(
                "contract overrides: a Git failure fails no call, since Git follows the journal"
            ),
        ),
        held(
            "004-errors-403",
            "With --errors jsonrpc a denied permission has code 403.",
            milestone="foundation",
        ),
    ),
    *section(
        "004: Search and ranking policy, guarantees",
        "decisions",
        held(
            "004-guarantee-0",
            "Vectors only choose candidates; the graph has the last word on what is returned.",
        ),
        held(
            "004-guarantee-1",
            "Recursive truth: a query that matches a superseded decision returns the active head "
            "of its chain, at any length.",
        ),
        held(
            "004-guarantee-2",
            "Strict isolation: in strict mode a decision that is not active is never returned, "
            "whatever its similarity.",
        ),
        held(
            "004-guarantee-3",
            "State-aware ranking: active decisions have +1.0 on their score and stand above any "
            "historical one.",
        ),
        held(
            "004-guarantee-4",
            "Deduplication: results hold one decision per target, the most relevant version.",
            decided="contract overrides: not in audit, which is unfiltered",
        ),
    ),
)
