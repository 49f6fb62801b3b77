"""The knowledge graph of MCP's reference memory server: entities and relations, a line each."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from hansard.foreign.items import ForeignFormat, ForeignRecord, Item, Skipped
from hansard.foreign.reading import Row, first_objects, json_lines, text
from hansard.foreign.wording import as_label, as_summary, as_title

NAME = "server-memory"
FROM, TO, VERB = ("from", "from_id"), ("to", "to_id"), ("relationType", "relation_type")


@dataclass(slots=True)
class _Entity:
    name: str
    type: str = "entity"
    observations: list[str] = field(default_factory=list)
    relations: list[tuple[str, str]] = field(default_factory=list)


def fits(path: Path) -> bool:
    """Whether this is such a file."""
    if path.is_dir():
        return False
    found = first_objects(path)
    return bool(found) and all(
        row.get("type") in ("entity", "relation")
        and (text(row, "name", "entityName") or text(row, *FROM))
        for row in found
    )


def read(path: Path) -> Iterator[Item]:
    """Read the graph; what it names and does not describe is an entity too."""
    entities: dict[str, _Entity] = {}
    for number, row in json_lines(path):
        if isinstance(row, Skipped):
            yield row
        elif not _take(entities, row):
            yield Skipped(f"{path.name}:{number}", "a line is neither an entity nor a relation")
    for entity in entities.values():
        yield _record(entity)


def _take(entities: dict[str, _Entity], row: Row) -> bool:
    name, kind = text(row, "name", "entityName"), row.get("type")
    if kind == "entity" and name:
        entity = entities.setdefault(name, _Entity(name))
        entity.type = text(row, "entityType", "entity_type") or entity.type
        listed = row.get("observations")
        told = listed if isinstance(listed, list) else []
        new = [one.replace("\0", "") for one in told if isinstance(one, str) and one.strip()]
        entity.observations += [one for one in new if one not in entity.observations]
        return True
    begins, ends, verb = text(row, *FROM), text(row, *TO), text(row, *VERB)
    if kind == "relation" and begins and ends:
        entities.setdefault(ends, _Entity(ends))
        related = entities.setdefault(begins, _Entity(begins)).relations
        if (pair := (verb or "relates to", ends)) not in related:
            related.append(pair)
        return True
    return False


def _record(entity: _Entity) -> ForeignRecord:
    lines = [f"- {one}" for one in entity.observations]
    if entity.relations:
        lines += ["", *(f"- {verb}: {other}" for verb, other in entity.relations)]
    return ForeignRecord(
        entity.name,
        as_label(entity.type),
        as_title(entity.name),
        as_summary(entity.observations[0] if entity.observations else entity.name),
        "\n".join(lines).strip(),
        related=tuple(dict.fromkeys(other for _, other in entity.relations)),
    )


FORMAT = ForeignFormat(
    NAME, "the knowledge graph of MCP's reference memory server", "memory.jsonl", fits, read
)
