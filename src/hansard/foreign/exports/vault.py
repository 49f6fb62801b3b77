"""A project as a folder of Markdown with front matter and links, for people and note programs."""

import re
from collections import Counter
from pathlib import Path
from typing import Any

import orjson

from hansard.app.application import Application
from hansard.app.keeping.files import made_whole
from hansard.decisions.answers import DecisionInContextAnswer
from hansard.foreign.exports.writing import Export
from hansard.foreign.project_reader import ProjectReader, SessionStory
from hansard.kernel.hidden_characters import escape
from hansard.kernel.operation import Caller
from hansard.kernel.private_files import make_folder, open_new
from hansard.records.shapes import Record

NAME_CHARS_MAX = 60
_OTHER = re.compile(r"[^\w.-]+")


class _Vault:
    """Writes notes, and knows what it wrote."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.counts: Counter[str] = Counter()
        self.index: dict[str, list[str]] = {}

    def note(self, kind: str, name: str, title: str, front: dict[str, Any], body: str) -> None:
        """Write a note, and list it."""
        make_folder(self._folder / kind)
        self.counts[kind] += 1
        self.index.setdefault(kind, []).append(f"- [[{kind}/{name}|{_plain(title)}]]")
        self.file(f"{kind}/{name}.md", _front({"title": title} | front) + f"\n{body.rstrip()}\n")

    def file(self, name: str, text: str) -> None:
        """Write a file; what would act on a terminal or hide is written by its number."""
        make_folder(self._folder)
        with open_new(self._folder / name) as file:
            file.write(escape(text).encode())


def write(application: Application, caller: Caller, path: Path) -> dict[str, int]:
    """Write the folder."""
    reader = ProjectReader(application, caller)
    with made_whole(path) as incoming:
        vault = _Vault(incoming)
        for record in reader.records():
            _record(vault, record)
        for decision in reader.decisions():
            _decision(vault, decision)
        for session in reader.sessions():
            _session(vault, reader, session)
        sections = [
            f"## {kind.capitalize()}\n\n" + "\n".join(vault.index[kind]) for kind in vault.index
        ]
        vault.file("README.md", f"# {reader.project}\n\n" + "\n\n".join(sections) + "\n")
    return dict(vault.counts)


def _record(vault: _Vault, record: Record) -> None:
    front = {
        "id": record.id,
        "type": record.type,
        "state": record.state,
        "author": record.author,
        "created": record.created,
        "modified": record.modified,
        "reason": record.reason,
    }
    links = [f"- parent [[records/{record.parent_id}]]"] if record.parent_id else []
    links += [f"- related [[records/{one}]]" for one in record.related or ()]
    links += [f"- resolved by [[records/{record.resolved_by}]]"] if record.resolved_by else []
    body = "\n\n".join(filter(None, [f"*{record.summary}*" if record.summary else "", record.body]))
    vault.note("records", record.id, record.title, front, "\n\n".join([body, "\n".join(links)]))


def _decision(vault: _Vault, told: DecisionInContextAnswer) -> None:
    shown = told.decision.model_dump(mode="json", exclude_none=True)
    kept = ("id", "target", "status", "author", "at", "superseded_by", "enforcement")
    front = {name: shown[name] for name in kept if name in shown}
    parts = [str(shown.get("rationale", ""))]
    if consequences := shown.get("consequences"):
        parts.append("## Consequences\n\n" + "\n".join(f"- {one}" for one in consequences))
    chain = [one for one in told.chain if one.id != shown["id"]]
    if chain:
        links = (f"- [[decisions/{one.id}|{_plain(one.title)}]] ({one.status})" for one in chain)
        parts.append("## Before and after it\n\n" + "\n".join(links))
    vault.note("decisions", str(shown["id"]), str(shown["title"]), front, "\n\n".join(parts))


def _session(vault: _Vault, reader: ProjectReader, session: SessionStory) -> None:
    number = vault.counts["sessions"] + 1
    title = session.story.title or session.id
    name = f"{number:04d}-{_file_name(title)}"
    front = {"id": session.id, "started": session.started, "status": session.status}
    checkpoints = reader.checkpoints(session.id)
    body = session.story.markdown()
    if checkpoints:
        lines = (f"- {one['checkpointId']} {one['createdAt'][:19]}" for one in checkpoints)
        body += "\n\n## Checkpoints\n\n" + "\n".join(lines)
        vault.counts["checkpoints"] += len(checkpoints)
    vault.note("sessions", name, title, front, body)


def _front(told: dict[str, Any]) -> str:
    """Write front matter; a text is quoted as JSON does, which YAML reads as the same text."""
    lines = [f"{name}: {orjson.dumps(value).decode()}" for name, value in told.items() if value]
    return "\n".join(["---", *lines, "---", ""])


def _file_name(text: str) -> str:
    return _OTHER.sub("-", text).strip("-.").casefold()[:NAME_CHARS_MAX] or "session"


def _plain(text: str) -> str:
    """Write a title where it can end neither a link nor a line."""
    return " ".join(text.translate({ord(char): " " for char in "[]|"}).split())


EXPORT = Export("vault", "a folder of Markdown with front matter and links", write)
