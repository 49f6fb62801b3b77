"""The launcher: a process that has imported Hansard, and forks for each program it is asked for.

`tests.launcher.programs` starts it, with the number of a socket as its argument. It opens no
store, reads no settings and has one thread, so that what it forks begins where a new interpreter
would: only the imports are done.
"""

import atexit
import gc
import importlib
import os
import runpy
import signal
import socket
import sys
import threading
from io import TextIOWrapper
from pathlib import Path
from typing import Any

import hansard
from hansard.kernel.model import Model
from tests.launcher.order import Order, Ready, Started, receive, send
from tests.patience import lengthen

LEFT_OUT = ("hansard.testing", "hansard.langgraph", "hansard.embedders.", "hansard.decisions.git")
"""What is imported by whoever needs it: what would start threads, and libgit2, which keeps the
home folder that it finds when it is imported."""

ALSO = (
    "anyio._backends._asyncio",
    "concurrent.futures.thread",
    "encodings.idna",
    "importlib.resources.readers",
    "mcp.server.streamable_http",
    "pytest",
    "tests.crash.scenes",
    "tests.crash.stage",
    "typer._click.decorators",
    "uvicorn.lifespan.on",
    "uvicorn.loops.asyncio",
    "uvicorn.loops.auto",
    "uvicorn.protocols.http.auto",
)
"""What else many programs import."""

STDERR = 2

_DIGITS = 4


def main() -> None:
    """Serve until nobody asks any more; in a fork, be the program that was asked for."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    channel = socket.socket(fileno=int(sys.argv[1]))
    read = preload()
    build(Model)
    lengthen()
    assert len(list(Path("/proc/self/task").iterdir())) == 1, "a fork would lose the other threads"
    # What is here stays as it is, so that no fork has to copy it in order to look at it.
    gc.collect()
    gc.freeze()
    send(channel, Ready(read))
    order = serve(channel)
    if order is not None:
        leave(play(order))


def build(model: type[Model]) -> None:
    """Build all models that are below one, which each fork would else do for itself."""
    for one in model.__subclasses__():
        one.model_rebuild()
        build(one)


def play(order: Order) -> int:
    """Be the program; gives how it wants to end. What else it raises is Python's to deal with."""
    try:
        if order.is_module:
            runpy.run_module(order.program, run_name="__main__", alter_sys=True)
        else:
            runpy.run_path(order.program, run_name="__main__")
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        raise
    return 0


def leave(code: int) -> None:
    """End as Python does, but for taking all modules apart, which takes longer than the rest."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):
        sys.exit(code)
    os._exit(code & 0xFF)


def preload() -> frozenset[str]:
    """Import what programs import; gives the variables that were read on the way."""
    read: set[str] = set()
    mapping = type(os.environ)
    look_up = mapping.__getitem__

    def noting(self: "os._Environ[str]", name: str) -> str:
        read.add(name)
        return look_up(self, name)

    mapping.__getitem__ = noting  # type: ignore[method-assign]
    try:
        for name in (*own_modules(), *ALSO):
            importlib.import_module(name)
    finally:
        mapping.__getitem__ = look_up  # type: ignore[method-assign]
    return frozenset(read)


def own_modules() -> list[str]:
    """Name our modules, but for those left out."""
    source = Path(hansard.__file__).parent
    paths = sorted(path.relative_to(source.parent) for path in source.rglob("*.py"))
    names = [".".join(path.with_suffix("").parts).removesuffix(".__init__") for path in paths]
    return [name for name in names if not name.startswith(LEFT_OUT)]


def serve(channel: socket.socket) -> Order | None:
    """Fork for each order. Gives `None` when nobody will ask again; in a fork, its order."""
    while True:
        order, streams = receive(channel)
        if not isinstance(order, Order):
            return None
        if has_forked(channel, order, streams):
            return order
        for stream in streams:
            os.close(stream)


def has_forked(channel: socket.socket, order: Order, streams: list[int]) -> bool:
    """Fork, and say so to who asked once the fork is set up; in the fork, gives true.

    It is forked twice. What is between ends at once, and its child goes to the nearest ancestor
    that takes orphans in, which for the moment is the process that asked: so it is its child.
    """
    ours, theirs = socket.socketpair()
    between = os.fork()
    if not between:
        if os.fork():
            os._exit(0)
        # Their numbers may soon be those of files of the program.
        channel.detach()
        ours.detach()
        become(order, streams, keep=theirs.fileno())
        theirs.send(os.getpid().to_bytes(_DIGITS))
        if not theirs.recv(1):
            os._exit(1)
        theirs.close()
        return True
    theirs.close()
    os.waitpid(between, 0)
    with ours:
        pid = int.from_bytes(ours.recv(_DIGITS))
        # From here on it has its parent.
        ours.send(b"\n")
    send(channel, Started(pid))
    return False


def become(order: Order, streams: list[int], *, keep: int) -> None:
    """Make this fork what the interpreter would be that was started for an order."""
    if order.leads_session:
        os.setsid()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    os.closerange(len(streams), keep)
    os.closerange(keep + 1, os.sysconf("SC_OPEN_MAX"))
    os.chdir(order.folder)
    os.umask(order.umask)
    os.environ.clear()
    os.environ.update(order.environment)
    sys.dont_write_bytecode = bool(order.environment.get("PYTHONDONTWRITEBYTECODE"))
    begin(order)
    open_streams()
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        if signal.getsignal(number) not in (signal.SIG_DFL, None):
            signal.signal(number, signal.SIG_DFL)
    # Python's own exceptions from that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


def begin(order: Order) -> None:
    """Find what a new interpreter would find, and have imported none of the program itself."""
    sys.argv = [order.program, *order.arguments]
    sys.orig_argv = [sys.executable, *(["-m"] if order.is_module else []), *sys.argv]
    sys.path[0] = order.folder if order.is_module else str(Path(order.program).resolve().parent)
    if not order.program.startswith("tests."):
        for name in [name for name in sys.modules if name.partition(".")[0] == "tests"]:
            del sys.modules[name]
    sys.modules.pop(order.program, None)


def open_streams() -> None:
    """Open the standard streams as the interpreter does when it starts."""
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        stream = open_stream(number, mode, getattr(sys, name))
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def open_stream(number: int, mode: str, like: TextIOWrapper) -> TextIOWrapper:
    """Open one as the launcher's own was opened, which was started in the same environment."""
    is_buffered = not like.write_through
    buffering = -1 if is_buffered or mode == "r" else 0
    file: Any = os.fdopen(number, f"{mode}b", buffering, closefd=False)
    getattr(file, "raw", file).name = like.name
    line_buffering = is_buffered and (number == STDERR or os.isatty(number))
    stream: Any = TextIOWrapper(
        file, like.encoding, like.errors, "\n", line_buffering, not is_buffered
    )
    stream.mode = mode
    return stream  # type: ignore[no-any-return]


if __name__ == "__main__":
    main()
