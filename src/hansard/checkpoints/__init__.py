"""Checkpoints: a workflow's context, saved small, loaded exactly, compared, resumed with truth."""
