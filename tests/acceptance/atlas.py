"""The acceptance tests that the agent-memory atlas asks of every memory, by their ids.

The atlas (github.com/neoneye/agent-memory-atlas, `.agents/protocol/tests.yaml`) describes each in
words: given, when, then. They are written here as Hansard's own tests, each under its id. Hansard
extracts nothing by itself and gives a model nothing it did not ask for; where a test is about that,
its docstring says what stands for it here.
"""

IDS = {
    *("scope.cross_tenant_absent", "scope.caller_cannot_widen"),
    "scope.background_respects_boundary",
    *("evidence.claim_resolves_to_source", "evidence.source_delete_reaches_derived"),
    "evidence.rebuild_from_retained",
    *("gateway.no_bypass_path", "gateway.model_cannot_claim_human_authority"),
    *("tombstone.laundering_sequence", "tombstone.survives_ttl_and_prune"),
    *("tombstone.key_normalization_attack", "tombstone.reextraction_stays_inactive"),
    "tombstone.no_second_memory_unit",
    *("deletion.absent_after_reindex_and_restart", "deletion.absent_from_shared_copies"),
    *("correction.survives_reindex", "correction.retraction_without_replacement"),
    "retrieval.k_is_an_upper_bound",
    *("prompt.recall_is_fenced_as_data", "prompt.model_ignores_embedded_instructions"),
}
