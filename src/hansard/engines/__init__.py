"""Databases that can hold a store, each passing the suite in `hansard.testing`."""
