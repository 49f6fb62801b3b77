"""The terminal: what is written to it, read from it, and asked of whoever sits there."""
