"""Metrics: measurements by the thousand in one journal entry, and what they come to."""
