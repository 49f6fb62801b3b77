"""The agent's files: the only code that reads, writes, moves or removes them."""
