"""LangGraph on Hansard's store: `HansardSaver` is a checkpointer. Needs `hansard[langgraph]`."""

from hansard.langgraph.saver import HansardSaver

__all__ = ["HansardSaver"]
