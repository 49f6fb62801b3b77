"""Contexts to save, a library to save them with, and what of the store one can count."""

import os
import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw

from hansard.app import insight, start
from hansard.app.catalog import Catalog
from hansard.app.settings import Settings
from hansard.checkpoints import capability as checkpoints
from hansard.checkpoints.limits import CheckpointQuotas, Retention
from hansard.sdk import Hansard

WORDS = "agent plan step tool result error file path module function value state the of to".split()


def near_identical(count: int, *, keys: int = 100, seed: int = 1) -> Iterator[dict[str, Any]]:
    """Make contexts of 1 KB a key, each with one value other than in the one before."""
    chance = random.Random(seed)
    context: dict[str, Any] = {f"key {number}": _text(chance) for number in range(keys)}
    for number in range(count):
        context = context | {f"key {chance.randrange(keys)}": _text(chance), "step": number}
        yield context


def hardly_packed(size: int, *, seed: int = 1) -> str:
    """Make text that packs to half its size."""
    return random.Random(seed).randbytes(size // 2).hex()


@contextmanager
def library(
    store: Path, *, quotas: CheckpointQuotas | None = None, retention: Retention | None = None
) -> Iterator[Hansard]:
    """Open a store whose operator has set these limits."""
    settings = Settings(store=str(store))
    own = checkpoints.capability(quotas=quotas, retention=retention, since=insight.since)
    others = [one for one in start.catalog(settings).capabilities if one.name != own.name]
    application = start.start(settings, known=Catalog([*others, own]))
    try:
        yield Hansard(application=application)
    finally:
        application.close()


def blob_files(store: Path) -> dict[str, int]:
    """Give the files of blobs with their sizes."""
    files = (store / "blobs").rglob("*")
    return {path.name: path.stat().st_size for path in files if path.is_file()}


def sql(store: Path, statement: str, *values: Any) -> list[tuple[Any, ...]]:
    """Do something to the database behind Hansard's back."""
    connection = apsw.Connection(os.fspath(store / "hansard.db"))
    try:
        return connection.execute(statement, values).fetchall()
    finally:
        connection.close()


def _text(chance: random.Random) -> str:
    return " ".join(chance.choices(WORDS, k=1_000))[:1_000]
