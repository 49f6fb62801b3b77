"""What an event tells of files: which were moved, and how each is reported. Pure."""

from base64 import b64encode
from collections.abc import Mapping
from typing import Any

from hansard.hooks import files
from hansard.kernel.blob import digest_of
from hansard.recorder import renames

Entry = dict[str, Any]


def moves(told: Mapping[int, Entry]) -> dict[int, int]:
    """Pair files that are gone with those that came and hold the same, by their numbers.

    Only the event counts, so that it is told the same whenever it is taken in once more.
    """
    at = {file["path"]: number for number, file in told.items()}
    gone = {file["path"]: digest(file.get("was")) for file in told.values() if _is_gone(file)}
    came = {
        file["path"]: digest_of(now)
        for file in told.values()
        if _has_come(file) and (now := files.as_bytes(file["now"]))
    }
    return {at[source]: at[target] for source, target in renames.matched(gone, came).items()}


def _is_gone(file: Entry) -> bool:
    return "now" in file and file["now"] is None


def _has_come(file: Entry) -> bool:
    return "now" in file and "was" in file and file["was"] is None


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
    if target is not None:
        return "record_file_move", asked | {"to": target["path"]}
    if now is None:
        return "record_file_delete", asked
    asked["content"] = _written(now, is_text=is_text)
    if "was" in file and was is None:
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
