"""Programs that tests start as processes: the real servers, with the toy's notes on board.

`stdio` and `http` are what the command line starts; with ONLY_SDK set, the SDK answers all that is
said. A call with the text `wait` says so
on stderr and goes on when there is something to read from the pipe named by WAIT_FOR. They wait as
long as the tests do, unless OWN_LIMITS is set.
"""

import importlib
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hansard.app.application import Application
from hansard.app.catalog import Catalog
from hansard.app.settings import load
from hansard.app.start import catalog, start
from hansard.kernel.operation import Caller, Result
from hansard.mcp import http_dispatch
from hansard.mcp.handshake import StdioHandshake
from tests import toy
from tests.patience import lengthen

ONLY_SDK = "ONLY_SDK"


def hold_back(application: Application) -> None:
    """Make the call that waits."""
    call = application.call

    def waiting(name: str, arguments: Mapping[str, Any], caller: Caller) -> Result:
        if arguments.get("text") == "wait":
            sys.stderr.write("waiting\n")
            sys.stderr.flush()
            Path(os.environ["WAIT_FOR"]).read_bytes()
        if arguments.get("text") == "break":
            raise RuntimeError("a bug that knows the secret hunter2")
        if arguments.get("text") == "print":
            print("a stray line", flush=True)  # noqa: T201 - it must not reach the wire
        return call(name, arguments, caller)

    application.call = waiting  # type: ignore[method-assign]


def main() -> int:
    """Serve as the first argument says."""
    settings = load({})
    application = start(settings, known=Catalog([*catalog(settings).capabilities, toy.CAPABILITY]))
    hold_back(application)
    module = "hansard.http.server" if sys.argv[1] == "http" else "hansard.mcp.stdio"
    server = importlib.import_module(module)
    if "OWN_LIMITS" not in os.environ:
        lengthen()
    given = {}
    if ONLY_SDK in os.environ:
        vars(http_dispatch)["plain_call"] = lambda _: None
    elif sys.argv[1] == "stdio":
        given["front"] = StdioHandshake(settings, has_secret=False)
    code: int = server.serve(application, settings, **given)
    return code


if __name__ == "__main__":
    sys.exit(main())
