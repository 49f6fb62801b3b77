"""Since when the database has answered without a pause, by its own clock.

That the time of a lease has passed says that its process is dead only if that could have put the
end off. It could not while the server was gone, and what one server's clock said is not what the
next one's says. So who renews leases, and who finds one over, notes that the server answers. If
it was not noted for a while, or the clock leapt, the time is counted anew from there.
"""

from hansard.engines.postgres.schema import Names

PAUSE_S = 7.5
"""How long nobody may have been answered, and how far the clock may leap. A process finds the
server again within a second of its return, and has renewed its leases up to a beat before."""


def noting(names: Names) -> str:
    """Note that the server answers; tells whether it has for a whole term.

    Takes how long a pause may be and how long a term is, in seconds.
    """
    since_last = "clock_timestamp() - seen.last"
    return (
        f"INSERT INTO {names.lease_service} AS seen (one, since, last) "
        "VALUES (true, clock_timestamp(), clock_timestamp()) ON CONFLICT (one) DO UPDATE SET "
        f"since = CASE WHEN {since_last} BETWEEN interval '0' AND %s * interval '1 s' "
        "THEN seen.since ELSE clock_timestamp() END, last = clock_timestamp() "
        "RETURNING since < clock_timestamp() - %s * interval '1 s'"
    )
