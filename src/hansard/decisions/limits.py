"""Limits of decisions by name. Units come last."""

RATIONALE_CHARS_MIN = 10
"""A decision without a reason is an order."""

SUPERSEDING_RATIONALE_CHARS_MIN = 15
"""A replacement also says why the old decision no longer holds."""

CONSEQUENCES_MAX = 100
CITES_MAX = 100

SUPERSEDED_MAX = 100
"""Decisions that one decision may replace at once."""

REVIEW_WINDOW_S = 3_600
"""How long a proposal must have stood unchanged before it can be accepted."""

SEARCH_LIMIT_DEFAULT = 5

HITS_FIRST = 100
"""How many matches are read first; ten times as many whenever these lead to too few decisions."""

HITS_MAX = 100_000
"""Past this many matches of one query, what they lead to is all that is shown."""

MEANINGS_MAX = 100
"""How many of the nearest by meaning are considered."""

VIA_SHOWN_MAX = 20
"""Old ids by which a result was found that are named; the best matches come first."""

PREVIEW_CHARS = 200
PREVIEW_TEXT_CHARS_MAX = 100_000
"""How far into a decision its preview is searched for."""

CHAIN_SHOWN_MAX = 50
"""Decisions before and after the one asked for that get_decision shows of its chain."""

DIFF_CHARS_MAX = 200_000
"""Texts of more characters than this, old and new together, are not compared line by line."""

PATHS_PAGE = 1_000
"""Decisions about paths that are read at a time."""

CHAINS_PAGE = 1_000
"""Chains that are read at a time while a merge joins them."""

SECRET_TRIES_MAX = 5
SECRET_PAUSE_S = 60.0
"""After this many wrong secrets in a row none is checked for this long."""
