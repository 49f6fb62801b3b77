"""An FTS5 function for every connection: how often a word occurs."""

from array import array
from operator import mul

import apsw
import orjson

TIMES = "hansard_times"
"""The function that says how often a document has what is asked for."""


def add_functions(connection: apsw.Connection) -> None:
    """Register on a connection the function that searches use."""
    # This query comes first, since its error says why the database cannot be read, even if only for
    # a moment: FTS5 has to read as well, and would only say that it is missing.
    connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchall()
    connection.register_fts5_function(TIMES, _times)


def _times(api: apsw.FTS5ExtensionApi, *values: "apsw.SQLiteValue") -> bytes:
    """Say how often a document has each term, an occurrence counting its column's weight."""
    if api.aux_data is None:
        api.aux_data = orjson.loads(str(values[0]))
    weights, terms = api.aux_data
    times, number = array("d"), 0
    for forms in terms:
        had = 0.0
        for phrase in range(number, number + forms):
            # Most documents have few of the terms, and a look at the columns is cheap.
            if api.phrase_columns(phrase):
                places = api.phrase_locations(phrase)
                had += sum(map(mul, weights, map(len, places)))
        times.append(had)
        number += forms
    return times.tobytes()
