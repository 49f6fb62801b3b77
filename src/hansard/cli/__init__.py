"""The command line: a thin adapter, and the entry through which clients start the stdio server."""
