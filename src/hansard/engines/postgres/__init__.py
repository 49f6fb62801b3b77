"""The engine for servers: one PostgreSQL database, shared by many processes and machines."""

from hansard.engines.postgres.engine import PostgresEngine

__all__ = ["PostgresEngine"]
