"""Asking the recorder for things, the way its tests do."""

from pathlib import Path
from typing import Any

import orjson

from hansard.app.application import Application
from hansard.kernel.blob import digest_of
from hansard.kernel.operation import Caller, Result
from hansard.recorder.answers import (
    EvolutionAnswer,
    FileChangedAnswer,
    FilesChangedAnswer,
    FileShownAnswer,
    TimelineAnswer,
    TimelineItem,
)
from hansard.recorder.going_back.answers import RestoredAnswer, UndoneAnswer
from hansard.recorder.story.answers import StoryAnswer


def op(app: Application, caller: Caller, action: str, path: str, **rest: Any) -> FileChangedAnswer:
    """Do one thing to a file."""
    answer = app.call("file_op", {"action": action, "path": path, **rest}, caller)
    assert isinstance(answer, FilesChangedAnswer)
    [result] = answer.results
    return result


def create(
    app: Application, caller: Caller, path: str, content: str = "one\n"
) -> FileChangedAnswer:
    """Create a file."""
    return op(app, caller, "create", path, content=content)


def edit(
    app: Application, caller: Caller, path: str, content: str, **rest: Any
) -> FileChangedAnswer:
    """Give a file another content."""
    return op(app, caller, "edit", path, content=content, **rest)


def batch(app: Application, caller: Caller, *ops: dict[str, Any]) -> list[FileChangedAnswer]:
    """Do several things in one call."""
    answer = app.call("file_op", {"ops": list(ops)}, caller)
    assert isinstance(answer, FilesChangedAnswer)
    return answer.results


def read(app: Application, caller: Caller, path: str, **rest: Any) -> FileShownAnswer:
    """Read a file."""
    answer = app.call("file_read", {"path": path, **rest}, caller)
    assert isinstance(answer, FileShownAnswer)
    return answer


def timeline(app: Application, caller: Caller, **rest: Any) -> list[TimelineItem]:
    """List what happened, oldest first."""
    answer = app.call("get_timeline", {"limit": 1000, "budget_tokens": 1_000_000, **rest}, caller)
    assert isinstance(answer, TimelineAnswer)
    return answer.timeline[::-1]


def told(app: Application, caller: Caller, **rest: Any) -> list[tuple[str, str | None]]:
    """List what happened to files by kind and status, oldest first."""
    items = timeline(app, caller, **rest)
    return [(item.kind, item.status) for item in items if item.path is not None]


def story(app: Application, caller: Caller, **rest: Any) -> StoryAnswer:
    """Have a session told."""
    answer = app.call("get_story", rest, caller)
    assert isinstance(answer, StoryAnswer)
    return answer


def evolution(app: Application, caller: Caller, **rest: Any) -> EvolutionAnswer:
    """Look at what files have been."""
    answer = app.call("get_evolution", rest, caller)
    assert isinstance(answer, EvolutionAnswer)
    return answer


def sources(app: Application, caller: Caller, path: str) -> list[str]:
    """Say where each revision of a file came from, oldest first."""
    shown = evolution(app, caller, path=path, limit=1000).revisions or []
    return [str(revision.source) for revision in reversed(shown)]


def restore(app: Application, caller: Caller, **rest: Any) -> RestoredAnswer:
    """Bring files back."""
    answer = app.call("restore", rest, caller)
    assert isinstance(answer, RestoredAnswer)
    return answer


def undo(app: Application, caller: Caller, **rest: Any) -> UndoneAnswer:
    """Take changes back."""
    answer = app.call("undo", rest, caller)
    assert isinstance(answer, UndoneAnswer)
    return answer


def named(app: Application, caller: Caller, call: str | None) -> Result:
    """Make a call that an answer names, such as `undo {"entry": "s:12"}`."""
    assert call is not None
    name, _, arguments = call.partition(" ")
    return app.call(name, orjson.loads(arguments), caller)


def contents(folder: Path) -> dict[str, bytes]:
    """Read every file below a folder."""
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def sha256(text: str | bytes) -> str:
    """Give the digest of a content."""
    return digest_of(text.encode() if isinstance(text, str) else text)
