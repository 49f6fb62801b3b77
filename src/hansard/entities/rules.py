"""Rules of entities. Pure: values in, values or a `Problem` out."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from pydantic import ValidationError

from hansard.entities import limits
from hansard.entities.contract import EntityConflict
from hansard.entities.types.agent_graph_execution import NEXT
from hansard.entities.types.entity import REDACTED, CamelShape, Entity, EntityType, Status
from hansard.kernel.blob import canonical_json
from hansard.kernel.clock import from_text, to_text
from hansard.kernel.problem import InvalidInput

Json = dict[str, Any]

_STEP = timedelta(microseconds=1)


def later(clock: str, previous: str | None) -> str:
    """Give the time of a change: the journal's clock, or just after the change before it."""
    if previous is None or clock > previous:
        return clock
    return to_text(from_text(previous) + _STEP)


def fit(
    declared: EntityType, given: Mapping[str, Any], draft: type[CamelShape] | None = None
) -> Json:
    """Give what a caller gave with what was left out filled in, or name the field that is wrong.

    `draft` is for what is given otherwise than most of its type.
    """
    shape = draft or declared.draft
    try:
        content = shape.model_validate(_without_empty(declared, given, shape)).plain()
    except ValidationError as error:
        told = error.errors(include_url=False, include_input=False)
        faults = [_fault(one, derived(declared)) for one in told]
        message = "; ".join(f"{path}: {why}" for path, why in faults[:5])
        details = [{"argument": path, "why": why} for path, why in faults[:20]]
        raise InvalidInput(message, arguments=details) from None
    for name in declared.where:
        if len(content.get(name) or "") > limits.WHERE_CHARS_MAX:
            raise InvalidInput(
                f"data.{name}: at most {limits.WHERE_CHARS_MAX} characters, white space included",
                argument=f"data.{name}",
            )
    for name in declared.redacts:
        if content.get(name) == REDACTED:
            raise InvalidInput(f"data.{name}: {REDACTED} is what hides it", argument=f"data.{name}")
    check_size("data", content)
    return content


def check_size(argument: str, content: object) -> None:
    """Refuse what is larger than one thing may be."""
    size = len(canonical_json(content))
    if size > limits.ENTITY_BYTES_MAX:
        raise InvalidInput(
            f"{argument}: at most {limits.ENTITY_BYTES_MAX} bytes, not {size}", argument=argument
        )


def derived(declared: EntityType) -> set[str | None]:
    """Name the fields that are read and not given: they are set here."""
    return _names(declared.model) - _names(declared.draft)


def _without_empty(declared: EntityType, given: Mapping[str, Any], draft: type[CamelShape]) -> Json:
    """Leave out what only says that something which is derived is not there yet."""
    left_out = _names(declared.model) - _names(draft) - _names(Entity)
    return {k: v for k, v in given.items() if k not in left_out or v not in (None, [], False)}


def _names(model: type[CamelShape]) -> set[str | None]:
    return {one.alias for one in model.model_fields.values()}


def given_only(declared: EntityType, given: Mapping[str, Any]) -> Json:
    """Leave out of a change what a reader sees and cannot know or set: it stays as it is."""
    hidden = {name for name in declared.redacts if given.get(name) == REDACTED}
    return {name: value for name, value in given.items() if name not in hidden}


def kept(declared: EntityType, given: Mapping[str, Any]) -> Json:
    """Leave out undeclared fields that are null: that is how one is taken away."""
    if not declared.is_open:
        return dict(given)
    names = _names(declared.draft)
    return {name: value for name, value in given.items() if name in names or value is not None}


def merged(declared: EntityType, before: Json, given: Mapping[str, Any]) -> Json:
    """Give what an entity holds after a change."""
    standing = {name: before[name] for name in before if name not in declared.parts}
    for part in declared.parts:
        standing[part] = [_untimed(one) for one in before[part]]
    changed = {
        name: [_untimed(one) for one in value]
        if name in declared.parts and isinstance(value, list)
        else value
        for name, value in given.items()
    }
    hidden = {name: before[name] for name in declared.redacts if name not in given}
    after = kept(declared, standing | changed)
    content = fit(declared, {k: v for k, v in after.items() if k not in hidden})
    content |= hidden
    declared.check_change(before, content)
    return content


def timed(declared: EntityType, before: Json | None, content: Json, now: str) -> Json:
    """Give the entities within an entity their times: what has not changed keeps its own."""
    stamped = {}
    for part in declared.parts:
        old = {one["id"]: one for one in (before or {}).get(part, ())}
        stamped[part] = [_stamped(one, old.get(one["id"]), now) for one in content[part]]
    return content | stamped


def check_expected(row: Mapping[str, Any], expected: str | None) -> None:
    """Refuse a change that was based on an outdated state."""
    if expected is not None and expected != row["updatedAt"]:
        raise EntityConflict(
            f"{row['id']} was changed at {row['updatedAt']}, after {expected}",
            id=row["id"],
            updated_at=row["updatedAt"],
        )


def check_status(identifier: str, before: Status, after: Status | None, *, happens: bool) -> None:
    """Refuse impossible transitions of a run; one that has ended stays as it ended."""
    if not NEXT[before]:
        raise EntityConflict(
            f"{identifier} has {before}; nothing of it changes any more", id=identifier
        )
    if after is not None and after not in NEXT[before]:
        raise EntityConflict(
            f"{identifier} is {before} and cannot become {after}",
            id=identifier,
            allowed=list(NEXT[before]),
        )
    if happens and before == "notStarted" and after is None:
        raise EntityConflict(
            f"{identifier} has not begun; nothing can happen in it",
            hint="Give status: inProgress with the first events",
            id=identifier,
        )


def _stamped(one: Json, old: Json | None, now: str) -> Json:
    if old is None:
        return one | {"createdAt": now, "updatedAt": now}
    times = {"createdAt": old["createdAt"], "updatedAt": old["updatedAt"]}
    return one | times | ({} if one | times == old else {"updatedAt": now})


def _untimed(one: Any) -> Any:
    if not isinstance(one, dict):
        return one
    return {name: value for name, value in one.items() if name not in ("createdAt", "updatedAt")}


def _fault(error: Mapping[str, Any], derived: set[str | None]) -> tuple[str, str]:
    path = ".".join(["data", *(str(part) for part in error["loc"])])[:200]
    if error["type"] == "extra_forbidden":
        is_derived = error["loc"][-1] in derived
        return path, "is set here" if is_derived else "there is no such field"
    if error["type"] == "missing":
        return path, "is required"
    return path, str(error["msg"]).removeprefix("Value error, ")
