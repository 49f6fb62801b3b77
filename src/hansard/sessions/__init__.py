"""Projects and sessions: shared by all capabilities, so they are a layer below them."""
