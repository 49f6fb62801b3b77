"""Hansard: the official record of what your agents thought, decided and did."""

__version__ = "0.1.0"
