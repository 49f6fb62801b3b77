"""settings: one set of keys and values per project. Keys that nobody declared are kept."""

from typing import Any

from pydantic import ConfigDict, model_validator
from pydantic.alias_generators import to_camel

from hansard.entities import limits
from hansard.entities.types.entity import AnyJson, CamelShape, Entity, EntityType
from hansard.kernel.text import Summary


class SettingsDraft(CamelShape):
    """What a caller gives: any keys at all."""

    model_config = ConfigDict(extra="allow", alias_generator=to_camel)
    __pydantic_extra__: dict[str, AnyJson]

    last_page: Summary = ""
    theme: Summary = ""

    @model_validator(mode="before")
    @classmethod
    def _few(cls, given: Any) -> Any:
        if isinstance(given, dict) and len(given) > limits.SETTINGS_KEYS_MAX:
            raise ValueError(f"at most {limits.SETTINGS_KEYS_MAX} keys, not {len(given)}")
        if isinstance(given, dict) and any("\0" in str(key) for key in given):
            raise ValueError("a key holds a NUL character, which stored text may not")
        if isinstance(given, dict) and (taken := {"id", "createdAt", "updatedAt"} & set(given)):
            raise ValueError(f"{', '.join(sorted(taken))} cannot be set")
        return given


class SettingsEntity(Entity):
    """The settings of a project."""

    model_config = ConfigDict(extra="allow", alias_generator=to_camel)

    last_page: Summary
    theme: Summary


SETTINGS = EntityType("settings", SettingsEntity, SettingsDraft)
