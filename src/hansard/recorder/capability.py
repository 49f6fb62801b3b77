"""The capability of the recorder: its operations, events and view."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from hansard.kernel.operation import Capability
from hansard.recorder.events import EVENTS
from hansard.recorder.file_decisions import AskAbout, Governed, ask_nothing, nothing_governs
from hansard.recorder.gateway import Gateway
from hansard.recorder.history.copies import unmarked
from hansard.recorder.operations import operations
from hansard.recorder.settling import recover
from hansard.recorder.views import VIEW
from hansard.sessions.presence import Presence
from hansard.sessions.rules import Staleness


def capability(
    workspace: Path,
    *,
    store: Path | None = None,
    redact: bool = True,
    governed: Governed = nothing_governs,
    ask_about: AskAbout = ask_nothing,
    presence: Presence | None = None,
    staleness: Staleness | None = None,
    key_file: Path | None = None,
    mark: Callable[[], str | None] = unmarked,
) -> Capability:
    """Make the capability for one workspace, whose folder is opened on first use.

    `store` is the folder of the record itself, which no agent may write to. The layer above knows
    which decisions govern a file, what else depends on it, who is present, and when a session
    counts as stale. `key_file` holds the key under which contents with secrets are kept; without it
    they are not.
    """
    gateway = Gateway(
        workspace,
        store=store,
        redact=redact,
        governed=governed,
        ask_about=ask_about,
        key_file=key_file,
        mark=mark,
    )
    return Capability(
        "recorder",
        operations(gateway, presence or Presence(), staleness or Staleness()),
        EVENTS,
        (VIEW,),
        recover=partial(recover, gateway),
        close=gateway.close,
    )
