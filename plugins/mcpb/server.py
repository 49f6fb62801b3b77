"""Starts the server."""

from hansard.cli.main import main

main()
