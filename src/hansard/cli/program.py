"""The `hansard` command. Without a subcommand it serves MCP on stdin and stdout.

Clients wait for that server to start, so nothing it does not need is imported on its way.
"""

import os
import sys

from hansard import __version__
from hansard.cli import flags
from hansard.cli.terminal.output import escaped_output
from hansard.cli.terminal.stderr import EXIT_PROBLEM, exit_code, say, say_problem
from hansard.kernel.problem import Problem

DEBUG_VARIABLE = "HANSARD_DEBUG"
JSON_FLAG = "--json"
EXIT_INTERRUPTED = 130


def run(arguments: list[str]) -> int:
    """Do what these arguments ask for; returns the exit code."""
    with escaped_output():
        return _run(arguments)


def _run(arguments: list[str]) -> int:
    try:
        code = _answer(arguments)
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader of our output has closed it. What is still buffered is dropped.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_PROBLEM
    # A person gets a sentence about a bug; it is raised again for who asks where it was.
    except Exception as error:
        if isinstance(error, OSError) and (refused := _refusal(error)):
            say_problem(refused)
            return EXIT_PROBLEM
        if os.environ.get(DEBUG_VARIABLE):
            raise
        say(f"hansard: a bug: {type(error).__name__}: {error}")
        say(f"Set {DEBUG_VARIABLE}=1 to see where, and please report it.")
        return EXIT_PROBLEM


def _refusal(error: OSError) -> Problem | None:
    """Say what the machine refused; `None` if the mistake is ours."""
    from hansard.app.preflight import refusal

    name = f" for {error.filename}" if error.filename else ""
    return refusal(error, f"The system refused{name}")


def _answer(arguments: list[str]) -> int:
    """Run it, or say why not; with JSON, in the one shape of all errors."""
    try:
        return _dispatch(arguments)
    except Problem as problem:
        if JSON_FLAG in arguments:
            from hansard.cli.terminal.text import print_json

            print_json({"error": problem.as_dict()})
        say_problem(problem)
        return exit_code(problem)


def _dispatch(arguments: list[str]) -> int:
    line = flags.read(arguments)
    if not line.rest:
        return _serve_or_greet(arguments, line)
    command, *rest = line.rest
    if command == "--version":
        print(f"hansard {__version__}")
        return 0
    from hansard.cli import commands

    if command in {"--help", "-h", "help"}:
        return commands.run_help(rest)
    return commands.run(command, [*line.leading, *rest])


def _brief() -> int:
    """Show the status, or if there is no store yet, how to begin."""
    from hansard.cli.status import has_store

    if has_store():
        from hansard.cli import commands

        return commands.run("status", [])
    from hansard.cli.welcome import welcome

    print(welcome())
    return 0


def _serve_or_greet(arguments: list[str], line: flags.Line) -> int:
    if sys.stdin is not None and sys.stdin.isatty():
        if not arguments:
            return _brief()
        say("Serving MCP on this terminal: type JSON-RPC, or Ctrl-D to end.")
    from hansard.cli.stdio import serve

    return serve(line.flags)
