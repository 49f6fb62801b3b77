"""Checkpoints: a workflow's context, saved small, loaded exactly, compared and resumed."""
