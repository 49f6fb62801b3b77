"""What files have been: revisions, names, copies, and which changes still stand."""
