"""The embedded engine: one SQLite file and a folder of large blobs, shared by many processes."""

from hansard.engines.sqlite.engine import SqliteEngine

__all__ = ["SqliteEngine"]
