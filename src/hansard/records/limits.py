"""Limits of records by name. Units come last."""

from hansard.kernel.limits import KIB

CHARS_PER_TOKEN = 4
"""How budgets are counted: near enough for prose in English, and the same for every model."""

OVERVIEW_BUDGET_TOKENS = 4_000
"""What a new chat can afford to read before it knows its task."""

ACTIVATE_BUDGET_TOKENS = 8_000
"""The record to reason with, and its surroundings."""

BODY_PAGE_CHARS = 20_000
"""Characters of a body that a caller with little room reads at a time, unless it says otherwise."""

BUDGET_TOKENS_MIN = 1_000
"""Below this not even the names of things would fit."""

BUDGET_TOKENS_MAX = 1_000_000

DEPTH_WARNED = 5
"""A root has depth 1. Deeper than this a record is written with a warning."""

DEPTH_MAX = 10

LISTED_DEPTH_MAX = 64
"""Levels that a list may be asked for: more than can exist, so any large number means all."""

CHILDREN_MAX = 200
"""Children in a context bundle; list_records pages through the rest."""

GRANDCHILDREN_MAX = 200

CASCADE_SHOWN_MAX = 20
"""Open children that a transition's warning names; it counts all of them."""

OTHER_SESSIONS_MAX = 20
"""Sessions that are read to find who else works on a record."""

SESSIONS_SHOWN_MAX = 100
ACTIVITY_SHOWN_MAX = 10
"""Sessions that are not over, and the latest events, in an overview."""

SYNC_BUDGET_TOKENS = 8_000
"""What others did meanwhile, coalesced: what happened to each record, and how it reads now."""

SYNC_RECORDS_MAX = 200
"""Records that one sync reports; the next one continues from there."""

SYNC_ENTRIES_MAX = 10_000
"""Entries of the journal that one sync reads."""

VALUE_SHOWN_CHARS_MAX = 4_000
"""A longer changed value is replaced by the call that gets it, as a body may be."""

RELATED_MAX = 100
CITES_MAX = 100
TYPES_MAX = 100
METADATA_BYTES_MAX = 64 * KIB

SEARCH_LIMIT_DEFAULT = 20
SEARCH_HITS_MAX = 200
"""Matches that are counted and can be paged through; past this a query is too vague to page."""

SEARCH_FEW_HITS = 5
"""With fewer matches than this, words that begin like those asked for count too."""

SEARCH_MEANINGS_MAX = 200
"""Matches by meaning that are considered, before the filters: past this they are far-fetched."""

SNIPPET_CHARS = 160
SNIPPET_TEXT_CHARS_MAX = 100_000
"""How far into a record its snippet is searched for."""

DIFF_LINES_MAX = 40_000
"""Lines of both texts up to which they are compared; above, a diff could take seconds."""

DIFF_SHOWN_CHARS_MAX = 8_000
"""A diff within another answer is cut here; get_record_diff gives all of it."""

HUNKS_SHOWN_MAX = 1_000
"""Parts of a merge of two bodies that a conflict lists; with more of them it lists none."""

REPLACED_SHOWN_MAX = 50
"""Versions that an answer names as written over or merged with; it counts the others."""

HISTORY_DIFF_CHARS_MAX = 40_000
"""What the diffs of one page of a history may take together."""

VERSION_MAX = 2**53 - 1
"""The greatest whole number that every JSON reader reads as it is written."""
