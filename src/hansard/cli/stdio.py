"""The stdio server as clients start it: it answers first questions before it is loaded.

Clients wait for it, so nothing is imported here before it is needed.
"""

from typing import TYPE_CHECKING

from hansard.app.preflight import require_files
from hansard.app.settings import Settings, load, secret
from hansard.cli.flags import Flags
from hansard.cli.terminal.stderr import exit_code, say, say_problem
from hansard.kernel.problem import Problem
from hansard.mcp.handshake import StdioHandshake, made
from hansard.mcp.pipe_reader import LineReader, claim

if TYPE_CHECKING:
    from hansard.app.application import Application

HEAD_START_S = 0.3
"""How long the handshake has the processor to itself, unless the client is done sooner."""


def serve(flags: Flags) -> int:
    """Serve the process that started this one; returns the exit code."""
    try:
        require_files()
        settings = load(flags)
        configured = secret(settings)
        front = StdioHandshake(settings, has_secret=configured is not None)
    except Problem as problem:
        from hansard.mcp.failed_start import refuse

        refuse(problem)
        raise
    reader = LineReader(*claim(), front)
    reader.start()
    reader.is_needed.wait(HEAD_START_S)
    return _serve(settings, reader, front)


def _serve(settings: Settings, reader: LineReader, front: StdioHandshake) -> int:
    from hansard.mcp import lazy_sdk

    lazy_sdk.load_only_what_is_used()
    from hansard.app import start  # noqa: F401 - loaded while the client may still leave
    from hansard.mcp import stdio

    if reader.is_over:
        # The client only listed what there is, and left: nothing need be opened.
        return 0
    try:
        application = _open(settings)
    except Problem as problem:
        opened = _tried_again(settings, reader, problem)
        if isinstance(opened, Problem):
            return exit_code(opened)
        application = opened
    from hansard.app.hook_server import HookServer

    with HookServer(settings, say):
        return stdio.serve(application, settings, reader, made()["cards"], front)


def _tried_again(
    settings: Settings, reader: LineReader, problem: Problem
) -> "Application | Problem":
    """Refuse whatever is asked, and try again each time; gives the problem if the client leaves."""
    from hansard.mcp.failed_start import Refusing

    say_problem(problem)
    refusing = Refusing(problem, reader)
    while refusing.is_asked():
        try:
            application = _open(settings)
        except Problem as again:
            if again.message != problem.message:
                say_problem(again)
            problem = again
            refusing.refuse(problem)
        else:
            refusing.give_way()
            return application
    return problem


def _open(settings: Settings) -> "Application":
    from hansard.app.home_projects import choose
    from hansard.app.start import start
    from hansard.app.tracing import traced

    application = traced(start(settings, home=choose(settings, say=say)))
    for told in application.news():
        say(told)
    if application.settled:
        from hansard.cli.opened_store import settled_line

        say(settled_line(application.settled))
    application.follow()
    return application
