"""What contents say: compared, merged, searched for secrets, kept and given back."""
