"""Maintaining and moving stores: backups, bundles, garbage collection, redaction, repair."""
