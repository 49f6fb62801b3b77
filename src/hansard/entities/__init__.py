"""Entities: the durable objects of agent applications, each of a declared type (source 002)."""
