"""textDocument: Markdown, whose versions are linked to one another."""

from typing import Literal

from hansard.entities.types.entity import CamelShape, Entity, EntityType
from hansard.kernel.text import Body, Title


class TextDocumentDraft(CamelShape):
    """What a caller gives. The links are made by revising."""

    title: Title
    type: Literal["markdown"] = "markdown"
    content: Body


class TextDocument(TextDocumentDraft, Entity):
    """A document, with the version before it and the one after it."""

    previous_id: str | None
    next_id: str | None


TEXT_DOCUMENT = EntityType(
    "textDocument",
    TextDocument,
    TextDocumentDraft,
    where=("title",),
    linked=("previousId", "nextId"),
    title="title",
    texts=("content",),
)
