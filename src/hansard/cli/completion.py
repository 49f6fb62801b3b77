"""`hansard completion`: shell completion of commands, options, ids and paths."""

from typing import Annotated

import typer

from hansard.kernel.problem import InvalidInput

WORDS = "words"

SCRIPTS = {
    "bash": """\
# Put this into ~/.bashrc:  eval "$(hansard completion bash)"
_hansard() {
    mapfile -t COMPREPLY < <(hansard completion words -- \\
        "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f 1)
}
complete -o default -F _hansard hansard
""",
    "zsh": """\
# Put this into ~/.zshrc, after compinit:  eval "$(hansard completion zsh)"
_hansard() {
    local line
    local -a offered
    for line in "${(@f)$(hansard completion words -- "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
        [[ -n $line ]] && offered+=("${${line%%$'\\t'*}//:/\\\\:}:${line#*$'\\t'}")
    done
    if (( $#offered )); then _describe hansard offered; else _files; fi
}
compdef _hansard hansard
""",
    "fish": """\
# Put this into ~/.config/fish/completions/hansard.fish
complete -c hansard -a '(hansard completion words -- \\
    (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
""",
}


def completion(
    shell: Annotated[str, typer.Argument(metavar="|".join(SCRIPTS), help="Your shell.")],
    words: Annotated[list[str] | None, typer.Argument(metavar="", hidden=True)] = None,
) -> int:
    """Print what makes Tab complete commands, options, ids and paths in your shell."""
    if shell == WORDS:
        from hansard.cli.naming.completing import offers

        for value, about in offers(words or []):
            print(value, about, sep="\t")
        return 0
    if shell not in SCRIPTS:
        raise InvalidInput(f"{shell}: must be one of {', '.join(SCRIPTS)}")
    print(SCRIPTS[shell], end="")
    return 0


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(completion)
