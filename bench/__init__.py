"""Measurements. `python -m bench` runs them; nothing here is asserted."""
