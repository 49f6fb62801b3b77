"""What a hook prints: nothing, or context for the model."""

import json
import sys
from collections.abc import Mapping
from typing import Any

_WANTS_JSON = ("cursor",)
"""Hosts that take silence for a fault."""


def give(text: str, host: str, asked: Mapping[str, Any] | None = None) -> None:
    """Print an answer, in the form of the host; `asked` replaces a call's arguments."""
    if said := formed(text, host, asked):
        sys.stdout.write(said)
        sys.stdout.flush()


def formed(text: str, host: str, asked: Mapping[str, Any] | None = None) -> str:
    """Give a text in the form in which a host adds it to the context; else what it expects."""
    if host == "cline":
        said: dict[str, Any] = {"contextModification": text} if text else {}
        said |= {"overrideInput": asked} if asked else {}
        return json.dumps({"cancel": False, **said}) if said else ""
    if not text or host == "windsurf":
        return "{}" if host in _WANTS_JSON else ""
    if host == "opencode":
        return text
    specific = {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": text}}
    forms = {
        "cursor": {"additional_context": text},
        "copilot-cli": {"additionalContext": text, **specific},
    }
    return json.dumps(forms.get(host, specific))
