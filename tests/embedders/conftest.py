"""A server that embeds, for the tests of what asks it."""

from collections.abc import Iterator

import pytest

from tests.embedders.serving import EmbeddingServer, serving


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with serving() as server:
        yield server
