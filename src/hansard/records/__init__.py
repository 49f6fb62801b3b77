"""Reasoning that survives the chat: records in a tree, activated, changed, synced (source 000)."""
