"""A store in this process's memory: for tests, demonstrations and rebuilding views to compare."""

from hansard.engines.memory.engine import MemoryEngine, MemoryStore

__all__ = ["MemoryEngine", "MemoryStore"]
