"""What a hook prints: nothing, or what its host takes into the context of the model."""

import json
import sys

_WANTS_JSON = ("cursor",)
"""Hosts that take silence for a fault."""


def give(text: str, host: str) -> None:
    """Print an answer, in the form of the host."""
    if said := formed(text, host):
        sys.stdout.write(said)
        sys.stdout.flush()


def formed(text: str, host: str) -> str:
    """Put a text into the form in which a host takes it into the context; else what it expects."""
    if not text or host == "windsurf":
        return "{}" if host in _WANTS_JSON else ""
    if host == "opencode":
        return text
    specific = {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": text}}
    forms = {
        "cursor": {"additional_context": text},
        "copilot-cli": {"additionalContext": text, **specific},
        "cline": {"cancel": False, "contextModification": text},
    }
    return json.dumps(forms.get(host, specific))
