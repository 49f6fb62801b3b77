"""Reads entities."""

from hansard.entities import contract, filters, rules
from hansard.entities.commands import make_settings
from hansard.entities.listing import Listed
from hansard.entities.metrics import raw
from hansard.entities.naming import place_of, settings_id
from hansard.entities.reading import OWN_SETTINGS, Look, find, show
from hansard.entities.tables import SETTINGS, TABLES
from hansard.entities.types import BY_NAME
from hansard.entities.types.metric import METRIC
from hansard.entities.types.settings import SETTINGS as SETTINGS_TYPE
from hansard.kernel.engine import ReadTx
from hansard.kernel.operation import Context
from hansard.kernel.problem import PermissionDenied
from hansard.kernel.store import UNMADE


def get(request: contract.EntityGet, context: Context) -> contract.EntityShownAnswer:
    """Give an entity, now or as it stood."""
    if request.reveal and not context.caller.actor.may("admin"):
        raise PermissionDenied("To reveal what is redacted needs the role admin")
    if _are_settings(request.id, context) and (shown := _first_settings(context)):
        return shown
    look = Look(request.limit, request.cursor, context.as_of, request.reveal)

    def work(tx: ReadTx) -> contract.EntityShownAnswer:
        if (sample := _sample(tx, request.id, context.as_of)) is not None:
            return sample
        entity, cursor = show(tx, *find(tx, request.id, as_of=context.as_of), look)
        return contract.EntityShownAnswer(entity=entity, nextCursor=cursor)

    return context.read(work)


def list_entities(request: contract.EntityList, context: Context) -> contract.EntityListAnswer:
    """List the entities of a type, newest first or in the order that is asked for."""
    declared = BY_NAME[request.type]
    filters.check_where(declared, request.where or {})
    listing = Listed(declared, request, filters.Order.read(request.order))
    if declared is SETTINGS_TYPE:
        made = _first_settings(context)
        settings = made or context.read(_settings)
        return listing.of_few([settings.entity])
    return context.read(listing.read)


def _sample(tx: ReadTx, identifier: str, as_of: int | None) -> contract.EntityShownAnswer | None:
    """Give a measurement that was recorded among others as the entity that it is."""
    place = place_of(identifier)
    if place is None or (as_of is not None and place[0] > as_of):
        return None
    found = raw.find(tx, identifier)
    if found is None or tx.get(TABLES[METRIC.name], identifier) is not None:
        return None
    return contract.EntityShownAnswer(entity=found.model_dump(exclude={"at"}))


def _settings(tx: ReadTx) -> contract.EntityShownAnswer:
    entity, _ = show(tx, *find(tx, OWN_SETTINGS))
    return contract.EntityShownAnswer(entity=entity)


def _are_settings(identifier: str, context: Context) -> bool:
    return context.as_of is None and identifier in (OWN_SETTINGS, settings_id(context.project))


def _first_settings(context: Context) -> contract.EntityShownAnswer | None:
    """Make the settings on first read; a caller who may not write sees what would be made."""
    if context.read(lambda tx: tx.scan(SETTINGS, limit=1)):
        return None
    if context.may_write:
        make_settings(context)
        return None
    now = context.stamp.at
    # What their id will be is known once their project is made.
    identifier = OWN_SETTINGS if context.project == UNMADE else settings_id(context.project)
    times = {"id": identifier, "createdAt": now, "updatedAt": now}
    return contract.EntityShownAnswer(entity=times | rules.fit(SETTINGS_TYPE, {}))
