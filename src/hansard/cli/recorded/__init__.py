"""Commands about sessions and what was done in them."""
