"""Notes of basic-memory: Markdown with front matter, observations and relations."""

import re
from collections.abc import Iterator
from pathlib import Path

from hansard.foreign import limits, markdown
from hansard.foreign.items import ForeignFormat, ForeignRecord, Item, Skipped
from hansard.foreign.reading import beginning, moment, sources, whole
from hansard.foreign.wording import as_summary, as_title
from hansard.kernel.problem import InvalidInput

NAME = "basic-memory"

_OBSERVED = re.compile(r"^[ \t]*[-*][ \t]+\[([^\]\[()]{2,})\][ \t]+(\S.*)$")
"""A category in brackets and a text; a box with one mark is a task, and no observation."""

_RELATED = re.compile(r"^[ \t]*[-*][ \t]+(?:([^\[\]]+?)[ \t]+)?\[\[([^\]\[]+)\]\]")
_LINK = re.compile(r"\[\[([^\]\[|]+)(?:\|[^\]\[]*)?\]\]")
OWN = ("title", "type", "permalink", "created", "modified", "tags")
"""What of the front matter has a place of its own."""


def fits(path: Path) -> bool:
    """Whether this is a note, or a folder of them."""
    return any(
        b"permalink:" in start and start.lstrip(b"\xef\xbb\xbf").startswith(b"---")
        for one in sources(path, ".md")[:50]
        for start in (beginning(one),)
    )


def read(path: Path) -> Iterator[Item]:
    """Read the notes of a folder, related as their links say."""
    documents: dict[str, markdown.MarkdownDocument] = {}
    for one in sources(path, ".md"):
        name = one.relative_to(path).with_suffix("").as_posix() if path.is_dir() else one.stem
        try:
            text = whole(one, limits.NOTE_BYTES_MAX).decode()
        except (InvalidInput, UnicodeDecodeError) as problem:
            yield Skipped(one.name, str(problem)[:200])
            continue
        document = markdown.parse(text)
        documents[markdown.one(document.front.get("permalink")) or name] = document
    named = _names(documents)
    for key, document in documents.items():
        yield _record(key, document, named)


def _names(documents: dict[str, markdown.MarkdownDocument]) -> dict[str, str]:
    """Say which note a link means: by its title, its permalink, or the end of that."""
    named: dict[str, str] = {}
    for key, document in documents.items():
        title = markdown.one(document.front.get("title")) or document.title
        for name in (key.rpartition("/")[2], title, key):
            if name:
                named[name.casefold()] = key
    return named


def _record(key: str, document: markdown.MarkdownDocument, named: dict[str, str]) -> ForeignRecord:
    front = document.front
    title = markdown.one(front.get("title")) or document.title or key
    observed = [found for line in document.body.splitlines() if (found := _OBSERVED.match(line))]
    links = [one.strip().casefold() for one in _LINK.findall(document.body)]
    related = dict.fromkeys(named[one] for one in links if one in named)
    told = {name: value for name, value in front.items() if name not in OWN}
    return ForeignRecord(
        key,
        markdown.one(front.get("type")) or "note",
        as_title(title),
        as_summary(observed[0][2] if observed else _first_words(document)),
        document.body.strip(),
        related=tuple(one for one in related if one != key),
        metadata={
            **told,
            "tags": markdown.many(front.get("tags")),
            "observations": len(observed),
            "relations": sum(1 for line in document.body.splitlines() if _RELATED.match(line)),
        },
        at=moment(markdown.one(front.get("created")) or markdown.one(front.get("modified"))),
    )


def _first_words(document: markdown.MarkdownDocument) -> str:
    return next((one.text for one in document.sections if one.text), "").partition("\n\n")[0]


FORMAT = ForeignFormat(NAME, "notes of basic-memory", "~/basic-memory", fits, read)
