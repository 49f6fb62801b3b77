"""The program's catalog, with the decisions in it whether or not it lists them yet."""

import os
from typing import Any

from hansard.app import start
from hansard.app.catalog import Catalog
from hansard.app.settings import Settings
from hansard.decisions import capability as decisions
from hansard.decisions.secret import KeptSecret

SECRET = "gr\u00fcn \u2603 42 and more than enough"

_own_catalog = start.catalog


def known(settings: Settings | None = None, written: Any = None, **given: Any) -> Catalog:
    """List what Hansard can do; decisions are set up as given, or by the environment's secret."""
    listed = _own_catalog(settings, written).capabilities
    others = [one for one in listed if one.name != "decisions"]
    given = {"secret": os.environ.get("HANSARD_SECRET")} | given
    given["secret"] = KeptSecret(given["secret"])
    return Catalog([*others, decisions.capability(**given)])


def ensure() -> None:
    """Have this process know decisions, for programs that tests start."""
    start.catalog = known
