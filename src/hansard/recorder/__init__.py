"""The recorder: a gateway to the agent's files that records first, then acts."""

from pathlib import Path

from hansard.kernel.operation import Capability
from hansard.recorder.events import EVENTS
from hansard.recorder.gateway import Gateway
from hansard.recorder.governing import Governed, nothing_governs
from hansard.recorder.operations import operations
from hansard.recorder.views import VIEW


def capability(
    workspace: Path,
    *,
    store: Path | None = None,
    redact: bool = True,
    governed: Governed = nothing_governs,
    key_file: Path | None = None,
) -> Capability:
    """Make the capability for one workspace, whose folder is opened on first use.

    `store` is the folder of the record itself, which no agent may write to. Which decisions govern
    a file is known only above this layer. `key_file` holds the key under which contents with
    secrets are kept; without it they are not.
    """
    gateway = Gateway(workspace, store=store, redact=redact, governed=governed, key_file=key_file)
    return Capability(
        "recorder",
        operations(gateway),
        EVENTS,
        (VIEW,),
        recover=gateway.recover,
        close=gateway.close,
    )
