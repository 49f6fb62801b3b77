"""Limits of metrics. Units come last."""

SAMPLES_MAX = 10_000
"""Samples in one call, and so in one journal entry."""

METRICS_MAX = 10_000
"""Names of metrics in a project."""

SERIES_MAX = 1_000
"""Distinct sets of dimensions under one name. An id as a dimension would have no end of them."""

TIME_MS_MAX = 253_402_300_799_999
"""The last millisecond of the year 9999; the first is that of 1970."""

GROUPS_MAX = 10_000
"""Groups in one page of an answer."""

BINS_MAX = 2_048
"""Bins of one sketch: at its precision, room for values over seventeen decades."""

ROLLUPS_READ_MAX = 50_000
"""Rows of roll-ups that one query may read of one level."""

BATCHES_READ_MAX = 10_000
SAMPLES_READ_MAX = 1_000_000
"""Batches and samples that one query may read where time is cut finer than into hours."""
