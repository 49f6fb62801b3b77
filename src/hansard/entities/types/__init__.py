"""The types of entities. A new one is a file beside this one, and a line here."""

from hansard.entities.types.agent_graph import AGENT_GRAPH
from hansard.entities.types.agent_graph_execution import AGENT_GRAPH_EXECUTION
from hansard.entities.types.chat_thread import CHAT_THREAD
from hansard.entities.types.entity import EntityType
from hansard.entities.types.message_thread import MESSAGE_THREAD
from hansard.entities.types.metric import METRIC
from hansard.entities.types.model_connection import MODEL_CONNECTION
from hansard.entities.types.settings import SETTINGS
from hansard.entities.types.text_document import TEXT_DOCUMENT

TYPES: tuple[EntityType, ...] = (
    TEXT_DOCUMENT,
    MODEL_CONNECTION,
    MESSAGE_THREAD,
    CHAT_THREAD,
    AGENT_GRAPH,
    AGENT_GRAPH_EXECUTION,
    METRIC,
    SETTINGS,
)

BY_NAME = {one.name: one for one in TYPES}
