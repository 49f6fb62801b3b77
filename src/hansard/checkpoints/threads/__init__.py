"""Threads: the histories of graph frameworks, kept for libraries that run in this process.

The events and views are part of the checkpoints capability, so every Hansard can read them. The
operations are in a catalog of their own: bytes that only a framework understands make no tools.
"""
