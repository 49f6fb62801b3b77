"""Decisions: what was decided stays decided, until it is superseded for everyone (source 004)."""
