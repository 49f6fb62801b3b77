"""Decisions in Git: the repository that Hansard writes, and the history of the user's own."""
