"""The recorder: a gateway to the agent's files that records first, then acts."""
