"""Tab completes commands, options, and what the store has."""

import shutil
import subprocess
import sys

import pytest

from hansard.cli.commands import COMMANDS
from hansard.cli.completion import SCRIPTS
from hansard.cli.naming.completing import ARGUMENTS, SAFE, offers
from tests.cli.running import WAIT_S, Hansard
from tests.cli.test_output import leaves
from tests.cli.test_status import worked


def offered(hansard: Hansard, *words: str) -> list[str]:
    ran = hansard("completion", "words", "--", *words)
    assert (ran.code, ran.err) == (0, "")
    return [line.split("\t")[0] for line in ran.out.splitlines()]


def test_commands_and_options_are_offered_without_a_store(hansard: Hansard) -> None:
    assert offered(hansard, "rec") == ["records"]
    assert {"help", *COMMANDS} <= {*offered(hansard, "")}
    assert offered(hansard, "records", "sh") == ["show"]
    assert "--as-of" in offered(hansard, "records", "show", "--")
    assert "--checkpoint-max-mib" not in offered(hansard, "records", "show", "--")
    assert offered(hansard, "records", "show", "") == []
    assert not hansard.store.exists()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["records", "show", ""], ["R001"]),
        (["decisions", "show", ""], ["P001", "D001"]),
        (["decisions", "accept", ""], ["P001"]),
        (["checkpoints", "show", "c"], ["C001"]),
        (["log", "--project", ""], ["default"]),
        (["projects", "show", ""], ["default"]),
    ],
)
def test_what_the_store_has_is_offered(
    hansard: Hansard, words: list[str], expected: list[str]
) -> None:
    worked(hansard)

    assert offered(hansard, *words) == expected


def test_sessions_are_offered_with_their_titles_and_the_store_that_was_typed_is_meant(
    hansard: Hansard,
) -> None:
    worked(hansard)
    store = str(hansard.store)

    ran = hansard(
        "completion", "words", "--", "--store", store, "story", "", HANSARD_STORE="/nowhere"
    )

    [line] = ran.out.splitlines()
    assert line.startswith("default.")
    assert line.endswith("\tFix the parser")


def test_nothing_is_offered_that_means_more_to_a_shell() -> None:
    for hostile in ("$(x)", "`x`", "a b", "a;b", "*", "a\n", "~", "a&b", "'", '"', "#a", ":a"):
        assert not SAFE.fullmatch(hostile)
    for fine in ("R001", "lantern.28c13ffa71", "src/a_b.py", "@latest", "--json", "chatThread::x"):
        assert SAFE.fullmatch(fine)


def test_every_place_that_takes_a_name_is_a_command() -> None:
    import typer

    from hansard.cli.commands import typer_app

    assert {*ARGUMENTS} <= {*leaves(typer.main.get_command(typer_app()))}
    assert offers(["nonsense", ""])


def test_only_shells_that_are_known_get_a_script(hansard: Hansard) -> None:
    for shell in SCRIPTS:
        ran = hansard("completion", shell)
        assert (ran.code, "hansard completion words" in ran.out) == (0, True)
    assert hansard("completion", "tcsh").code == 2


@pytest.mark.skipif(not shutil.which("bash"), reason="no bash here")
def test_bash_completes(hansard: Hansard) -> None:
    worked(hansard)
    script = f"""
        hansard() {{ {sys.executable} -m hansard.cli.main "$@"; }}
        eval "$(hansard completion bash)"
        COMP_WORDS=(hansard records show ""); COMP_CWORD=3
        _hansard
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """

    done = subprocess.run(
        ["bash", "-c", script],
        env=hansard.environment,
        capture_output=True,
        text=True,
        timeout=WAIT_S,
        check=True,
    )

    assert done.stdout == "R001\n"
