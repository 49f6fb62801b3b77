"""Records that are embedded over HTTP, brought up to date and asked for, in tests."""

from typing import Any

from hansard.app.application import Application
from hansard.embedders.meanings import FOLLOWER
from hansard.kernel.follow import Follower, catch_up
from tests.conftest import OpenApp
from tests.embedders.serving import EmbeddingServer
from tests.records.chats import Chat

TEXT = "zebras graze quietly"
QUERY = "zebras"


def vector_follower(app: Application) -> Follower:
    [follower] = [one for one in app.followers if one.name == FOLLOWER]
    return follower


def embed_all(app: Application, project: str | None = None) -> None:
    """Work off everything that is yet to be embedded."""
    while catch_up(app.store, vector_follower(app), project or app.default_project):
        pass


def over_http(open_app: OpenApp, server: EmbeddingServer, model: str = "one") -> Application:
    return open_app(embedder_url=server.url, embedder_model=model)


def create(app: Application, title: str = TEXT) -> str:
    made: str = Chat(app).create(title, summary="", body="")["id"]
    return made


def embedded(server: EmbeddingServer) -> list[str]:
    """List the texts that were embedded, and the queries."""
    return [text for asked in server.asked for text in asked["input"]]


def search(app: Application, query: str = QUERY) -> dict[str, Any]:
    return Chat(app).ask("search_records", query=query)


def nearest(app: Application, query: str = QUERY) -> list[str]:
    """Give what is found by meaning alone."""
    operation = app.catalog.find("search_records")
    finder = operation.run.keywords["meanings"]  # type: ignore[attr-defined]
    return [hit.key for hit in finder.nearest(app.default_project, "records", query, limit=10)]
