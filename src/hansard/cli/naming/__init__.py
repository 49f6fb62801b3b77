"""What a person types where an operation wants an id, and what Tab offers."""
