"""Commands about what a store holds: projects, records, decisions, checkpoints, entities."""
