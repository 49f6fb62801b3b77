"""Commands that look after a store: proved, mended, kept, moved."""
