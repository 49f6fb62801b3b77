"""A program that tells all that it was started with, or ends in a way of its own."""

import atexit
import json
import os
import resource
import signal
import stat
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path
from typing import Any


def found() -> dict[str, Any]:
    """Tell what this process finds."""
    return {
        "is_forked": b"tests.launcher.process" in Path("/proc/self/cmdline").read_bytes(),
        "argv": sys.argv,
        "orig_argv": sys.orig_argv,
        "path": sys.path,
        "flags": str(sys.flags),
        "warnings": [str(one) for one in warnings.filters],
        "bytecode": sys.dont_write_bytecode,
        "name": __name__,
        "is_main": sys.modules["__main__"].__dict__ is globals(),
        "environment": dict(os.environ),
        "environment_of_children": subprocess.check_output(["env", "-0"], text=True),
        "folder": str(Path.cwd()),
        "umask": os.umask(0),
        "streams": [stream(one) for one in (sys.stdin, sys.stdout, sys.stderr)],
        "files": files(),
        "signals": {n: str(signal.getsignal(n)) for n in sorted(signal.valid_signals())},
        "blocked": sorted(signal.pthread_sigmask(signal.SIG_BLOCK, ())),
        "session": [os.getsid(0) == os.getpid(), os.getpgid(0) == os.getpgid(os.getppid())],
        "parent": os.getppid(),
        "limits": [resource.getrlimit(n) for n in range(16)],
        "niceness": os.nice(0),
        "zone": [time.tzname, time.timezone],
        "threads": [threading.active_count(), threading.current_thread().name],
        "encoding": [sys.getdefaultencoding(), sys.getfilesystemencoding()],
    }


def stream(one: Any) -> list[Any]:
    kind = stat.S_IFMT(os.fstat(one.fileno()).st_mode)
    is_raw = [type(one.buffer).__name__, one.name, one.mode, one.isatty(), kind]
    return [*is_raw, one.encoding, one.errors, one.newlines, one.line_buffering, one.write_through]


def files() -> list[str]:
    """List what is open, but for what lists it."""
    return [link.name for link in sorted(Path("/proc/self/fd").iterdir()) if link.exists()]


def end(how: str) -> None:
    """End in one of the ways there are."""
    atexit.register(sys.stdout.write, "last words\n")
    sys.stdout.write("unflushed ")
    match how:
        case "with a code":
            sys.exit(3)
        case "with a code too large":
            sys.exit(256 + 7)
        case "with words":
            sys.exit("that was it")
        case "by an error":
            raise RuntimeError("broken")
        case "by Ctrl-C":
            signal.raise_signal(signal.SIGINT)
        case "by a signal":
            signal.raise_signal(signal.SIGTERM)
        case "at once":
            os._exit(9)
        case "in a thread":
            threading.Timer(0.05, sys.stdout.write, ["and later "]).start()
        case "with nobody to read":
            os.close(1)
            os.close(0)


if __name__ == "__main__":
    if sys.argv[1:2] == ["end"]:
        end(sys.argv[2])
    else:
        Path(sys.argv[1]).write_text(json.dumps(found()))
