"""What hosts report about a chat, and how it gets into the store: read, gathered, spooled.

A host waits for its hooks, so this folder imports the standard library and nothing else of ours.
"""
