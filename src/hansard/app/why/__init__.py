"""Why lines are there: which entry wrote them, and on what grounds."""
