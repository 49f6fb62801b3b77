"""Commands that maintain a store: verify, repair, back up, move."""
