"""What a change to a file would make of it, and what stands in its way. Pure: states in, plans out.

No message here quotes what a file holds: a refusal is recorded and shown, and contents may be
secret.
"""

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from hansard.kernel.blob import Digest, digest_of
from hansard.kernel.limits import FILE_BYTES_MAX
from hansard.kernel.problem import InvalidInput
from hansard.recorder import limits, problems
from hansard.recorder.contract import Edit, Encoding, FileChange
from hansard.recorder.events import Action, FileRef
from hansard.recorder.looking import FileState
from hansard.recorder.problems import FileChanged, FileExists, FileNotFound


@dataclass(frozen=True, slots=True)
class Plan:
    """What will be done: the action, what was there, and what shall be, `None` for no file."""

    action: Action
    before: FileState | None
    after: bytes | None


def plan_change(
    change: FileChange, current: FileState | None, target: FileState | None = None
) -> Plan:
    """Say what a change will do to a file as it is; `target` is what lies where it would move."""
    path = problems.shown(change.path)
    action: Action = change.action
    if action == "create" and current is not None:
        if not change.overwrite:
            raise FileExists(f"{path} already exists", path=path)
        action = "edit"
    if action != "create" and current is None:
        raise FileNotFound(f"{path} does not exist", path=path)
    if change.to is not None and target is not None:
        to = problems.shown(change.to)
        raise FileExists(f"{to} already exists", hint="Delete it first, or move elsewhere", path=to)
    require_expected(change.expected_sha256, current, path)
    if action == "delete":
        return Plan(action, current, None)
    if action == "move":
        assert current is not None, "a missing file was to be moved"
        return Plan(action, current, current.content)
    return Plan(action, current, new_content(change, current))


def require_expected(expected: str | None, current: FileState | None, path: str) -> None:
    """Refuse unless the file is what the caller has read."""
    found = current.digest if current else None
    if expected is not None and found != expected:
        raise FileChanged(f"{path} is not what was expected", path=path, sha256=found)


def new_content(change: FileChange, current: FileState | None) -> bytes:
    """Make the bytes that a change leaves behind."""
    if change.edits is None:
        assert change.content is not None, "a change without content passed the contract"
        content = decoded(change.content, change.encoding)
    else:
        assert current is not None, "a missing file was to be edited"
        content = apply_edits(current.content, change.edits)
    if len(content) > FILE_BYTES_MAX:
        raise problems.too_large(change.path)
    return content


def apply_edits(content: bytes, edits: Sequence[Edit]) -> bytes:
    """Replace each `old`, which must occur exactly once in what the edits before it left."""
    for number, edit in enumerate(edits):
        old = edit.old.encode()
        at = content.find(old)
        again = content.find(old, at + 1) if at >= 0 else -1
        if at < 0 or again >= 0:
            many = "more than once" if again >= 0 else "nowhere"
            raise InvalidInput(
                f"edits.{number}.old: occurs {many} in the file; it must occur exactly once",
                hint="Read the file, and quote enough of what surrounds the place",
                argument=f"edits.{number}.old",
            )
        content = content[:at] + edit.new.encode() + content[at + len(old) :]
    return content


def decoded(content: str, encoding: str | None) -> bytes:
    """Give the bytes that an argument stands for."""
    if encoding is None:
        return content.encode()
    try:
        return base64.b64decode(content, validate=True)
    # Of text that is not ASCII, the library complains with a plain ValueError.
    except ValueError as error:
        raise InvalidInput("content: is not base64", argument="content") from error


def encoded(
    content: bytes, encoding: Encoding | None = None
) -> tuple[str, Literal["utf-8", "base64"]]:
    """Give bytes as text, and how: UTF-8 if they are, unless base64 is asked for."""
    if encoding is None:
        try:
            return content.decode(), "utf-8"
        except UnicodeDecodeError:
            pass
    return base64.b64encode(content).decode(), "base64"


def reference(content: bytes, mode: int | None, redacted: Sequence[str]) -> FileRef:
    """Name a content; one that holds a secret by its digest alone."""
    digest, size = digest_of(content), len(content)
    if redacted:
        return FileRef(blob=None, sha256=digest, size=size, mode=mode, redacted=tuple(redacted))
    return FileRef(blob=digest, size=size, mode=mode)


def plan_restore(current: FileState | None, target: bytes | None) -> Plan | None:
    """Say what brings a file back to an earlier content; `None` if it has it."""
    if (current.content if current else None) == target:
        return None
    if target is None:
        return Plan("delete", current, None)
    return Plan("edit" if current else "create", current, target)


def require_step(step: int, steps: int) -> None:
    """Refuse a step that the plan does not have."""
    if step < steps:
        return
    have = f"has steps 0 to {steps - 1}" if steps else "is not recorded yet"
    raise InvalidInput(f"step: the plan {have}", hint="record_plan makes one", argument="step")


def require_room(steps: int, more: int) -> None:
    """Refuse a plan that grows without end."""
    if steps + more > limits.STEPS_MAX:
        raise InvalidInput(f"steps: a plan has at most {limits.STEPS_MAX}", argument="steps")


def judge(before: Digest | None, after: Digest | None, found: Digest | None) -> str:
    """Say from what is there whether an announced change was made."""
    if found == after:
        return "done"
    return "aborted" if found == before else "conflict"


def judge_move(moved: Digest, found: Digest | None, found_at_target: Digest | None) -> str:
    """Say from what is there whether a file was moved."""
    if found is None and found_at_target == moved:
        return "done"
    return "aborted" if found == moved and found_at_target is None else "conflict"
