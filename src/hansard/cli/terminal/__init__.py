"""The terminal: what commands write to it, read from it, and ask of its user."""
