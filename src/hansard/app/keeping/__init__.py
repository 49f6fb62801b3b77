"""Keeping and moving stores: backups, bundles, gathering up what is left, redaction, repair."""
