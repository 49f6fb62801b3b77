"""What happened in a session: the timeline, and the story with its chapters."""
