"""What an entity is, and what the declaration of a type of entities says."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, ConfigDict, WithJsonSchema
from pydantic.alias_generators import to_camel

from hansard.entities import limits
from hansard.kernel.model import Model
from hansard.kernel.text import Id

Status = Literal["notStarted", "inProgress", "completed", "failed"]

Moment = Annotated[str, WithJsonSchema({"type": "string", "format": "date-time"})]
"""A time as text: UTC, to the microsecond."""

REDACTED = "[redacted]"
"""Stands for what only an admin sees, and only on demand."""


def _without_nul(value: Any) -> Any:
    if _holds_nul(value):
        raise ValueError("holds a NUL character, which stored text may not")
    return value


def _holds_nul(value: object) -> bool:
    if isinstance(value, dict):
        return any(_holds_nul(part) for pair in value.items() for part in pair)
    if isinstance(value, list):
        return any(map(_holds_nul, value))
    return isinstance(value, str) and "\0" in value


AnyJson = Annotated[Any, AfterValidator(_without_nul), WithJsonSchema({})]
"""Whatever JSON can say."""


def text_within(bytes_max: int, what: str) -> AfterValidator:
    """Refuse text that is longer, or that cannot be stored."""

    def check(text: str) -> str:
        _without_nul(text)
        size = len(text.encode())
        if size > bytes_max:
            raise ValueError(f"{what} has at most {bytes_max} bytes, not {size}")
        return text

    return AfterValidator(check)


Output = Annotated[str, text_within(limits.OUTPUT_BYTES_MAX, "one text")]


class CamelShape(Model):
    """A closed model, whose fields the wire spells in camelCase."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, alias_generator=to_camel)

    def plain(self) -> dict[str, Any]:
        """Give it as the wire spells it."""
        return self.model_dump(mode="json", by_alias=True)


class Entity(CamelShape):
    """What every entity has, and every turn, node and edge within one. All three are set here."""

    id: Id
    created_at: Moment
    updated_at: Moment


def _anything_goes(before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
    del before, after


@dataclass(frozen=True, slots=True)
class EntityType:
    """All that Hansard knows of one type."""

    name: str
    model: type[Entity]
    """As it is read: what the schemas are made from."""
    draft: type[CamelShape]
    """What a caller gives to make one, or some of it to change one."""
    is_immutable: bool = False
    instead: str | None = None
    """What to do instead of changing one that never changes."""
    where: tuple[str, ...] = ()
    """Short texts that a list can be filtered by."""
    linked: tuple[str, ...] = ()
    """Short texts that are derived or move, which a list can be filtered by as well; often null."""
    defaults: Mapping[str, Any] = field(default_factory=dict)
    """What fields are that an entity was made without."""
    grows: Mapping[str, str] = field(default_factory=dict)
    """Lists that grow, each with what counts it; a filter knows them empty or not."""
    references: Mapping[str, str] = field(default_factory=dict)
    """Fields that name an entity which must be there, each with the type it has."""
    parts: tuple[str, ...] = ()
    """Lists of entities within: each keeps its own times."""
    redacts: tuple[str, ...] = ()
    """Fields that only an admin sees."""
    title: str | None = None
    """The field that names it to people."""
    texts: tuple[str, ...] = ()
    """The fields that it is found by, besides its title."""
    check_change: Callable[[Mapping[str, Any], Mapping[str, Any]], None] = _anything_goes
    """Refuses a change that each state by itself would allow. Pure."""

    def redact(self, entity: dict[str, Any]) -> dict[str, Any]:
        """Hide what only an admin sees."""
        hidden = {name: REDACTED for name in self.redacts if entity.get(name) is not None}
        return entity | hidden

    @property
    def fields(self) -> tuple[str, ...]:
        """Name what it is read with, besides what every entity has."""
        base = {one.alias for one in Entity.model_fields.values()}
        names = (str(one.alias) for one in self.model.model_fields.values())
        return tuple(name for name in names if name not in base)

    @property
    def keyed(self) -> tuple[str, ...]:
        """Name the fields of any length and kind: a filter compares keys of their values."""
        known = {*self.where, *self.linked, *self.grows}
        return tuple(name for name in self.fields if name not in known)

    @property
    def is_open(self) -> bool:
        """Whether it takes fields that nobody declared."""
        return self.draft.model_config.get("extra") == "allow"

    def title_of(self, content: Mapping[str, Any]) -> str:
        """Name an entity to people."""
        return str(content.get(self.title, "")) if self.title else ""
