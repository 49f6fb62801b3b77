"""Rules of file changes: what a change makes of a file, and what prevents it. Pure.

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
from hansard.recorder.problems import FileChanged, FileExists, FileNotFound
from hansard.recorder.workspace.states import FileState, Seen


@dataclass(frozen=True, slots=True)
class Plan:
    """What will be done: the action, what was there, and what will be, `None` for no file."""

    action: Action
    before: Seen | None
    after: bytes | None
    """`None` for a file that is moved: it keeps what it holds."""

    @property
    def was(self) -> bytes | None:
        """What the file held, if there was one and it could be read."""
        return self.before.content if isinstance(self.before, FileState) else None


def plan_change(change: FileChange, current: Seen | None, target: Seen | None = None) -> Plan:
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
        return Plan(action, current, None)
    return Plan(action, current, new_content(change, current))


def require_expected(expected: str | None, current: Seen | None, path: str) -> None:
    """Refuse unless the file is what the caller has read."""
    found = current.digest if current else None
    if expected is not None and not is_digest_of(expected, found):
        raise FileChanged(f"{path} is not what was expected", path=path, sha256=found)


def is_digest_of(expected: str, found: str | None) -> bool:
    """Whether a file is what a caller takes it for, who may name it by the first digits."""
    return found is not None and found.startswith(expected)


def new_content(change: FileChange, current: Seen | None) -> bytes:
    """Make the bytes that a change leaves behind."""
    if change.edits is None:
        assert change.content is not None, "a change without content passed the contract"
        content = decoded(change.content, change.encoding)
    else:
        assert isinstance(current, FileState), "a file that was not read was to be edited"
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
                hint=_hint(content, old),
                argument=f"edits.{number}.old",
            )
        content = content[:at] + edit.new.encode() + content[at + len(old) :]
    return content


def _hint(content: bytes, old: bytes) -> str:
    """Say how to quote what an edit replaces; nobody sees that lines end differently."""
    is_found = b"\r" not in old and old.replace(b"\n", b"\r\n") in content
    if is_found and b"\n" in old:
        return "The file's lines end in \\r\\n: write them so in old and new"
    return "Read the file, and quote enough of what surrounds the place"


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


def reference(
    content: bytes, mode: int | None, redacted: Sequence[str], sealed: Digest | None = None
) -> FileRef:
    """Name a content; one that holds a secret by its digest, and by what it is sealed in."""
    digest, size = digest_of(content), len(content)
    if redacted:
        named = tuple(redacted)
        return FileRef(sha256=digest, sealed=sealed, size=size, mode=mode, redacted=named)
    return FileRef(blob=digest, size=size, mode=mode)


def require_reversible(path: str, before: FileRef | None, why: str, *, accepted: bool) -> None:
    """Refuse to destroy what could not be brought back, unless the caller has agreed."""
    if before is None or before.is_kept or accepted:
        return
    raise problems.Irreversible(
        f"{path} could not be brought back: {why}", path=path, sha256=before.digest
    )


def require_step(step: int, steps: int) -> None:
    """Refuse a step that the plan does not have."""
    if step < steps:
        return
    last = f"has {steps} steps, 0 to {steps - 1} as they are numbered here"
    have = last if steps else "is not recorded yet"
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


def judge_mode(content: Digest | None, wanted: int | None, found: Digest | None, mode: int) -> str:
    """Say from what is there whether a file was given other permissions, and nothing else."""
    if found != content:
        return "conflict"
    return "done" if mode == wanted else "aborted"


def judge_move(moved: Digest, found: Digest | None, found_at_target: Digest | None) -> str:
    """Say from what is there whether a file was moved."""
    if found is None and found_at_target == moved:
        return "done"
    return "aborted" if found == moved and found_at_target is None else "conflict"
