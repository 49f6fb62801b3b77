"""The command line: a thin adapter, and the door through which clients start the stdio server."""
