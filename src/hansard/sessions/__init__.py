"""Projects and sessions: shared by all capabilities, so they lie beneath them."""
