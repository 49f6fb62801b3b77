"""Ids of entities: their type, and letters and digits that nobody can guess."""

import secrets
import string

from hansard.entities import limits
from hansard.kernel.blob import digest_of

_ALPHANUMERICS = string.ascii_letters + string.digits
SEPARATOR = "::"


def new_id(type_name: str) -> str:
    """Make an id. Called before the transaction, which may run twice."""
    chosen = (secrets.choice(_ALPHANUMERICS) for _ in range(limits.ID_ALPHANUMERICS))
    return f"{type_name}{SEPARATOR}{''.join(chosen)}"


def settings_id(project: str) -> str:
    """Give the id of a project's settings, before they are made as after."""
    return f"settings{SEPARATOR}{digest_of(project.encode())[: limits.ID_ALPHANUMERICS]}"
