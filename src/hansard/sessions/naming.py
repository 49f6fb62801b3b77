"""Rules for project names. Pure."""

import re
import unicodedata
from collections.abc import Callable
from itertools import count

from hansard.kernel import limits

DEFAULT_PROJECT = "default"
"""The project when nothing names another: no setting, no file, no repository."""

FORM = (
    f"1 to {limits.PROJECT_ID_CHARS_MAX} ASCII letters, digits, - and _, "
    "beginning with a letter or digit"
)
SLUG_CHARS_MAX = 40
"""The length of a generated name: a suffix that makes it distinct must still fit."""


def is_project_id(text: str) -> bool:
    """Whether a project may have this name."""
    allowed = text.isascii() and text.replace("-", "").replace("_", "").isalnum()
    return allowed and text[0].isalnum() and len(text) <= limits.PROJECT_ID_CHARS_MAX


def slug(text: str) -> str:
    """Turn any text into a name: characters without a similar ASCII letter are left out."""
    plain = unicodedata.normalize("NFKD", text.casefold()).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9_]+", "-", plain).strip("-_")[:SLUG_CHARS_MAX].strip("-_") or "project"


def project_slug(text: str) -> str:
    """Turn a folder's name into a project's; never into the default project's."""
    name = slug(text)
    is_kept = name == DEFAULT_PROJECT or name.startswith(f"{DEFAULT_PROJECT}-")
    return f"repository-{name}" if is_kept else name


def free_name(name: str, is_taken: Callable[[str], bool]) -> str:
    """Give the name, or the first of `name-2`, `name-3`, … that nobody has."""
    if not is_taken(name):
        return name
    return next(one for n in count(2) if not is_taken(one := f"{name}-{n}"))
