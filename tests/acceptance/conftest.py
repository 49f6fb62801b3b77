"""A Hansard with a secret, an agent, a person, an admin: as the tests of decisions have them."""

from tests.decisions.conftest import admin, app, bot, open_with, person

__all__ = ["admin", "app", "bot", "open_with", "person"]
