"""A project as JSON Lines: its records, decisions and sessions as they stand, a line each."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from hansard.app.application import Application
from hansard.app.keeping.files import made_whole
from hansard.foreign.exports.writing import Export, write_lines
from hansard.foreign.project_reader import ProjectReader
from hansard.kernel.operation import Caller


def write(application: Application, caller: Caller, path: Path) -> dict[str, int]:
    """Write it into a new file."""
    counts: Counter[str] = Counter()
    with made_whole(path) as incoming:
        write_lines(incoming, _lines(ProjectReader(application, caller), counts))
    return dict(counts)


def _lines(reader: ProjectReader, counts: Counter[str]) -> Iterator[bytes]:
    for kind, told in _things(reader):
        counts[f"{kind}s"] += 1
        yield orjson.dumps({"kind": kind, "project": reader.project, **told})


def _things(reader: ProjectReader) -> Iterator[tuple[str, dict[str, Any]]]:
    for record in reader.records():
        yield "record", record.model_dump(mode="json", exclude_none=True)
    for decision in reader.decisions():
        yield "decision", decision.model_dump(mode="json", exclude_none=True)
    for session in reader.sessions():
        told = session.story.model_dump(mode="json", exclude_none=True)
        about = {"id": session.id, "started": session.started, "status": session.status}
        checkpoints = reader.checkpoints(session.id)
        yield "session", about | {"story": told, "checkpoints": checkpoints}


EXPORT = Export("jsonl", "records, decisions and sessions, a line of JSON each", write)
