"""undo and restore: what they are about, how files get there, what comes back."""
