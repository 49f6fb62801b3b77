"""The sessions of a project: making their ids, and finding them.

An id that a caller chose belongs to the project of the call, and another project may have the same.
An id that Hansard made says of which project it is, and leads there; none of that form can be
chosen.
"""

import hashlib
import re
import secrets
from collections.abc import Iterator
from itertools import count
from urllib.parse import quote

from hansard.kernel.engine import ReadTx, Row
from hansard.kernel.limits import ID_CHARS_MAX
from hansard.kernel.store import Store
from hansard.kernel.text import one_line
from hansard.sessions.naming import is_project_id
from hansard.sessions.views import ACTIVE, ACTIVE_RECORDS_MAX, OWN_TICKS, SESSIONS

TOKEN_BYTES = 5
"""40 random bits within one project: short enough for a model to repeat, and never repeated by
chance."""

SEPARATOR = "."
"""Between the project and the token of a session id that Hansard made; no project id holds it."""

CUT_DIGITS = 16
"""How many digits of a digest stand for what was cut from an id."""

_TOKEN = re.compile(f"[0-9a-f]{{{2 * TOKEN_BYTES}}}")


def new_session_id(project: str) -> str:
    """Make an id that says where the session lives, so that it is found by nothing else."""
    token = secrets.token_hex(TOKEN_BYTES)
    return f"{project}{SEPARATOR}{token}"


def project_of(session: str) -> str | None:
    """Name the project that an id leads to; `None` for an id that Hansard cannot have made."""
    project, _, token = session.rpartition(SEPARATOR)
    return project if is_project_id(project) and _TOKEN.fullmatch(token) else None


def chosen_id(text: str) -> str:
    """Name a session as another program does, on one line.

    Anything that could lead to another project, or pass for our own words, is escaped; then it is
    cut if too long for an id.
    """
    if project_of(text) is None:
        name = "".join(one if one_line(one) == one else quote(one) for one in text)
    else:
        name = quote(text, safe=" ").replace(SEPARATOR, "%2E")
    if name == text or len(name) <= ID_CHARS_MAX:
        return name
    told_apart = hashlib.sha256(text.encode()).hexdigest()[:CUT_DIGITS]
    return f"{name[: ID_CHARS_MAX - CUT_DIGITS]}{told_apart}"


def parts(chat: str) -> Iterator[str]:
    """Name the sessions of a host's chat: one, and another each time it continues after its end."""
    first = chosen_id(chat)
    yield first
    yield from (f"{first}{SEPARATOR}{number}" for number in count(2))


def find_session(store: Store, session: str, project: str) -> Row | None:
    """Read a session of a project."""
    return store.read(project, lambda tx: tx.get(SESSIONS, session))


def session_row(tx: ReadTx, session: str) -> Row:
    """Read a session that is known to have begun."""
    row = tx.get(SESSIONS, session)
    assert row is not None, f"the session {session} was resolved but is not there"
    return row


def active_records(
    tx: ReadTx, session: str, *, limit: int = ACTIVE_RECORDS_MAX, as_of: int | None = None
) -> list[str]:
    """List what is active in a session, in the order of activation."""
    found = tx.scan(ACTIVE, {"session": session}, order="since", limit=limit, as_of=as_of)
    return [one.row["record"] for one in found]


def last_activity(tx: ReadTx, row: Row, *, as_of: int | None = None) -> str:
    """Say when a session last did something that was recorded."""
    before = None if as_of is None else as_of + 1
    newest = tx.entries(session=row["id"], before=before, descending=True, limit=1)
    return newest[0].at if newest else str(row["created"])


def ticks_synced(tx: ReadTx, row: Row, *, as_of: int | None = None) -> int:
    """Give the tick up to which a session is up to date: its own writes are no news to it."""
    own = tx.get(OWN_TICKS, row["id"], as_of=as_of)
    return int(row["last_sync_tick"]) + (own["ticks"] if own else 0)
