"""Limits of threads."""

from hansard.kernel.limits import KIB, MIB

NAMESPACE_CHARS_MAX = 1_000
"""A path of subgraphs, each a name and a UUID: some twenty levels."""

NAME_CHARS_MAX = 1_000
"""Of a channel, a task or a task's path."""

INLINE_BYTES_MAX = 768
"""Packed content up to this size lies in the journal's entry: a blob of its own would cost more."""

VALUE_BYTES_MAX = 64 * MIB - KIB
"""One channel's value, written down, with room for what names its kind."""

VALUES_MAX = 10_000
"""Channels of a step, or writes of a task."""

STEPS_PAGE = 100

STEPS_MAX = 1_000_000
"""Steps of a thread that are taken away or copied at once."""

RECENT_BYTES_MAX = 32 * MIB
"""What is remembered unpacked of the latest values, so that the next need not unpack its base."""

LOOK_BYTES_MAX = 32 * MIB
"""Values that are read in one look: each look unpacks their line down to what stands alone."""

PLACES_REMEMBERED_MAX = 1_000
"""Threads' namespaces that a process remembers between writes."""

LOOK_EVERY = 500
"""The size of the whole store is added up once in this many writes: it need not be exact.
"""
