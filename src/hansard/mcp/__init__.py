"""Hansard over the Model Context Protocol: one server object, on stdio and Streamable HTTP."""
