"""What "durable" means here. No SQL, no files, no network."""
