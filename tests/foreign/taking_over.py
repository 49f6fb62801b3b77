"""Taking sources over in tests, and the samples that real programs made."""

import json
import sqlite3
from pathlib import Path, PurePosixPath

from hansard.app.application import Application
from hansard.checkpoints.limits import CheckpointQuotas
from hansard.foreign.formats import detected, named
from hansard.foreign.import_run import ImportReport, ImportRun, Source, actor
from hansard.foreign.importing import label_of, take_over
from hansard.kernel.operation import Caller, Seat

SAMPLES = Path(__file__).parent / "samples"
FOLDER = "/home/dev/project"
"""The folder that the hosts of the samples worked in."""


def take(
    app: Application,
    path: Path,
    name: str | None = None,
    *,
    folder: str = FOLDER,
    is_dry: bool = False,
) -> ImportReport:
    """Take a source over as the command does."""
    found = named(name) if name else detected(path)
    caller = Caller(actor(found.name), seat=Seat())
    source = Source(found.name, label_of(path), PurePosixPath(folder))
    taking = ImportRun(app, caller, source, is_dry=is_dry)
    return take_over(taking, found, path, CheckpointQuotas())


def seq(app: Application) -> int:
    """Say how far the project's journal goes."""
    heads = app.store.engine.heads()
    return heads[app.own_project()].seq if app.own_project() in heads else 0


def sample(name: str, folder: Path) -> Path:
    """Give a sample by the name of its format; a database is made of its rows."""
    if name != "opencode":
        return next(SAMPLES.glob(f"{name}.jsonl"))
    path = folder / "opencode.db"
    tables = json.loads((SAMPLES / "opencode.json").read_text())
    database = sqlite3.connect(path)
    for table, rows in tables.items():
        names = list(rows[0])
        database.execute(f"create table {table} ({', '.join(names)})")
        places = ", ".join("?" * len(names))
        values = [[row[one] for one in names] for row in rows]
        database.executemany(f"insert into {table} values ({places})", values)
    database.commit()
    database.close()
    return path
