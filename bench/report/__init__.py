"""The report: ours beside its floors and its peers, in one JSON, one page and its charts."""
