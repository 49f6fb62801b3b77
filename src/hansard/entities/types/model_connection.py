"""modelConnection: how a model is reached. What is secret in it is in `data`."""

from typing import Literal

from hansard.entities.types.entity import AnyJson, CamelShape, Entity, EntityType
from hansard.kernel.text import Description, Id, Title

AccessFormat = Literal["gemini", "openai", "anthropic"]


class ModelConnectionDraft(CamelShape):
    """What a caller gives."""

    name: Title
    description: Description = ""
    access_format: AccessFormat
    provider_id: Id
    model_id: Id
    data: AnyJson = None


class ModelConnection(ModelConnectionDraft, Entity):
    """A connection to a model."""


MODEL_CONNECTION = EntityType(
    "modelConnection",
    ModelConnection,
    ModelConnectionDraft,
    where=("name", "accessFormat", "providerId", "modelId"),
    redacts=("data",),
    title="name",
    texts=("description",),
)
