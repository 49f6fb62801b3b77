"""What an event says about files: which were moved, and how each is reported. Pure."""

from base64 import b64encode
from collections.abc import Iterator, Mapping
from typing import Any

from hansard.hooks import files
from hansard.kernel.blob import digest_of
from hansard.recorder import renames

Entry = dict[str, Any]


def moves(told: Mapping[int, Entry]) -> dict[int, int]:
    """Pair files that are gone with those that came and hold the same, by their numbers.

    Only the event counts, so that it is reported the same whenever it is read again.
    """
    gone, came = _held(told)
    return _numbered(told, renames.unmistakable(gone, came))


def twins(told: Mapping[int, Entry]) -> dict[int, int]:
    """Pair them as older programs did: whatever holds the same, the likest names first."""
    gone, came = (
        {path: digest_of(content) for path, content in held.items()} for held in _held(told)
    )
    return _numbered(told, renames.matched(gone, came))


def _numbered(told: Mapping[int, Entry], pairs: Mapping[str, str]) -> dict[int, int]:
    at = {file["path"]: number for number, file in told.items()}
    return {at[source]: at[target] for source, target in pairs.items()}


def _held(told: Mapping[int, Entry]) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """Give by path what removed files held, and what new ones hold.

    An empty file says nothing about where it came from.
    """
    gone = ((file["path"], files.as_bytes(file.get("was"))) for file in _gone(told))
    came = ((file["path"], files.as_bytes(file["now"])) for file in _come(told))
    held, holds = ({path: content for path, content in each if content} for each in (gone, came))
    return held, holds


def _gone(told: Mapping[int, Entry]) -> Iterator[Entry]:
    return (file for file in told.values() if "now" in file and file["now"] is None)


def _come(told: Mapping[int, Entry]) -> Iterator[Entry]:
    had = (file for file in told.values() if "now" in file and "was" in file)
    return (file for file in had if file["was"] is None)


def report(file: Entry, target: Entry | None) -> tuple[str, Entry]:
    """Say which operation reports a change to a file, and with which arguments."""
    asked: Entry = {"path": file["path"]}
    now, was = files.as_bytes(file["now"]), files.as_bytes(file.get("was"))
    told = [one for one in (now, was) if one is not None]
    is_text = all(_is_text(one) for one in told)
    if not is_text:
        asked["encoding"] = "base64"
    if was is not None:
        asked["old_content"] = _written(was, is_text=is_text)
    is_new = "was" in file and was is None
    if not is_new and (old_mode := file.get("was_mode")) is not None:
        asked["old_mode"] = f"{old_mode:04o}"
    if (mode := (target or file).get("mode")) is not None:
        asked["mode"] = f"{mode:04o}"
    if target is not None:
        return "record_file_move", asked | {"to": target["path"]}
    if now is None:
        return "record_file_delete", asked
    asked["content"] = _written(now, is_text=is_text)
    if is_new:
        return "record_file_create", asked
    if was is None and is_text and file.get("edits"):
        asked["edits"] = file["edits"]
    return "record_file_edit", asked


def _is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _written(data: bytes, *, is_text: bool) -> str:
    return data.decode() if is_text else b64encode(data).decode()


def digest(content: object) -> str | None:
    """Name a content as an event tells it; `None` for no file, or one of which it tells nothing."""
    data = files.as_bytes(content)
    return None if data is None else digest_of(data)
