"""What to do about a refusal, in the words of the command line."""

from hansard.kernel.problem import Problem

FLAGS = {
    "resolved_by": "--resolved-by",
    "reason": "--reason",
    "to_state": "STATE",
    "parent_id": "--parent",
    "title": "--title",
    "summary": "--summary",
    "body": "--body",
}
"""How the commands spell arguments of the operations they ask."""

HINTS = {
    "RECORD_NOT_FOUND": "`hansard records` lists them; `hansard records search WORDS` finds one",
    "SESSION_NOT_FOUND": "`hansard sessions` lists them",
    "CONFLICT": "`hansard records history ID` shows what changed; then do it again",
    "PARENT_NOT_ACTIVATED": "`hansard records` lists what there is",
}
"""By code, where the operation's own hint names tools that a person does not have."""


def message_of(problem: Problem) -> str:
    """Give the message with arguments as the command line spells them."""
    argument, separator, rest = problem.message.partition(": ")
    if separator and argument in FLAGS:
        return f"{FLAGS[argument]}: {rest}"
    return problem.message


def hint_of(problem: Problem) -> str | None:
    """Give the hint, unless it speaks of what only an agent can call."""
    if problem.recovery_hint != problem.hint:
        return problem.recovery_hint
    if allowed := problem.details.get("allowed"):
        return f"It can become {' or '.join(map(str, allowed))}"
    if problem.code == "INVALID_INPUT":
        return "Correct what is named and try again"
    return HINTS.get(problem.code, problem.recovery_hint)
