"""Gathers the details of an event when it happens: file contents now and before.

Later is too late: the next edit may have come. So an event that is recorded hours later says the
same as one recorded at once.
"""

import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from hansard.hooks import edits, files, folder_snapshot, hook_state
from hansard.hooks.host_events import HostTold, Json

LOOKS = "looks"
"""Where a snapshot waits for its command to end."""

TEXT_CHARS_MAX = 20_000
"""Of a prompt, a command or what a subagent said."""

SOURCE_CHARS_MAX = 200
"""Of why a session began or is compacted."""

AGAIN_S = 0.1
"""One host reports a file before it has written it: the file is read again after this long."""

_PATHS = (
    *("file_path", "filePath", "path", "notebook_path", "notebookPath", "filepath"),
    *("target_file", "absolute_path", "file", "old_path", "new_path", "oldPath", "newPath"),
)

Gathered = dict[str, Any]


def gather(told: HostTold, folder: str, root: str) -> Gathered | None:
    """Give what is to be recorded of an event; `None` if nothing is, or not yet."""
    if told.event == "before":
        _keep(told, folder, root)
        return None
    if told.event == "after":
        gathered = _edit(told, folder, root) if told.tool == "edit" else _shell(told, folder, root)
        if gathered is None:
            return None
    else:
        gathered = {"prompt": told.prompt[:TEXT_CHARS_MAX], "said": told.said[:TEXT_CHARS_MAX]}
    event = told.tool if told.event == "after" else told.event
    named = {"event": event, "session": told.session, "host": told.host, "call": told.call}
    return named | {"source": told.source[:SOURCE_CHARS_MAX]} | gathered


def _keep(told: HostTold, folder: str, root: str) -> None:
    """Keep the state before a tool is used, and since when that is the latest."""
    since = time.time()
    if told.tool == "edit":
        look: folder_snapshot.Look = {"files": dict(_seen(told, root))}
    else:
        try:
            look = folder_snapshot.look(root, told.cwd)
        except folder_snapshot.TooManyFilesError:
            return
    hook_state.keep(folder, LOOKS, _look_name(told), look | {"since": since})


def _seen(told: HostTold, root: str) -> Iterator[tuple[str, list[Any]]]:
    """Give what each file holds that a tool is about to change, except unreadable ones."""
    for _, path in _targets(told, root):
        with suppress(OSError):
            found = files.read(root, path)
            yield path, [None, *((files.as_content(found[0]), found[1]) if found else (None,))]


def _kept(told: HostTold, folder: str) -> folder_snapshot.Look | None:
    """Give what was kept before this use of a tool, once."""
    name = _look_name(told)
    look = hook_state.find(folder, LOOKS, name)
    hook_state.drop(folder, LOOKS, name)
    return look


def _look_name(told: HostTold) -> str:
    return f"{told.session}_{told.pair}"


def _edit(told: HostTold, folder: str, root: str) -> Gathered | None:
    look = _kept(told, folder)
    if told.failed or told.answered.get("staged") is True:
        return None
    known = look["files"] if look else {}
    found = [_file(told, action, path, known, root) for action, path in _targets(told, root)]
    told_of = [one for one in found if one]
    return {"files": told_of} | _since(look) if told_of else None


def _since(look: folder_snapshot.Look | None) -> Gathered:
    """Say when the look was taken: what is recorded later came after it."""
    return {"since": look["since"]} if look and "since" in look else {}


def _file(told: HostTold, action: str, path: str, known: Json, root: str) -> Gathered | None:
    """Say what became of a file that a tool was to change."""
    try:
        data = files.read(root, path)
        was = known[path][1] if path in known else None
        if data and path in known and was == files.as_content(data[0]):
            time.sleep(AGAIN_S)
            data = files.read(root, path)
    except files.TooLargeError as error:
        return {"path": path, "bytes": error.size}
    except OSError:
        return None
    one: Gathered = {"path": path, **files.told(data)}
    now = one["now"]
    if path in known:
        return None if was == now else one | {"was": was} | _mode_before(known[path])
    if action == "add" or (action == "edit" and _is_new(told)):
        return one | {"was": None}
    return one | _before(told, now) if action == "edit" else one


def _mode_before(seen: list[Any]) -> Gathered:
    """Give the permissions that a file had before a tool was used, as far as they were kept."""
    _, _, *modes = seen
    return {"was_mode": modes[0] & files.PERMISSIONS} if modes else {}


def _before(told: HostTold, now: files.Content | None) -> Gathered:
    """Say what the file held before, as far as the host reveals it."""
    text = now.get("text") if now else None
    display = told.answered.get("returnDisplay")
    shown = display if isinstance(display, dict) else {}
    olds = (told.answered.get("originalFile"), told.answered.get("original_file"))
    for old in (*olds, shown.get("originalContent")):
        # Some hosts report every file with plain line feeds, which such a file did not have.
        if isinstance(old, str) and (text is None or ("\r\n" in old) == ("\r\n" in text)):
            return {"was": {"text": old}}
    if text is None:
        return {}
    if (was := edits.unpatched(text, told.answered.get("structuredPatch"))) is not None:
        return {"was": {"text": was}}
    replaced = edits.replaced_texts(told.asked.get("edits") or dict(told.asked))
    return {"edits": replaced} if replaced else {}


def _is_new(told: HostTold) -> bool:
    display = told.answered.get("returnDisplay")
    said = told.answered.get("llmContent")
    return (
        told.answered.get("type") == "create"
        or told.answered.get("exists") is False
        or (isinstance(display, dict) and display.get("isNewFile") is True)
        or (isinstance(said, str) and said.startswith("Successfully created"))
    )


def _targets(told: HostTold, root: str) -> Iterator[tuple[str, str]]:
    """Name the files of the project that a tool was to change, and how: add, delete or edit."""
    base = told.cwd or root
    named = dict.fromkeys(_named(told))
    for action, path in named:
        if inside := files.within(root, path, base):
            yield action, inside


def _named(told: HostTold) -> Iterator[tuple[str, str]]:
    for value in told.asked.values():
        if patch := edits.patch_in(value):
            for action, path in edits.patched_paths(patch):
                yield ("edit" if action == "update" else action), path
            return
    for table in (told.asked, told.answered):
        found = [*_listed(table.get("files")), *(table.get(key) for key in _PATHS)]
        paths = [path for path in found if isinstance(path, str) and path]
        yield from (("edit", path) for path in paths)
        if paths:
            return


def _listed(several: object) -> Iterator[Any]:
    """Give the paths of a list of files: some hosts have a table for each."""
    for one in several if isinstance(several, list) else ():
        yield from ((one.get(key) for key in _PATHS) if isinstance(one, dict) else (one,))


def _shell(told: HostTold, folder: str, root: str) -> Gathered | None:
    """Say which command was run, and what it changed."""
    command = _command(told.asked)
    look = _kept(told, folder)
    if command is None:
        return None
    gathered: Gathered = {"command": command[:TEXT_CHARS_MAX], "files": [], "failed": told.failed}
    gathered |= _since(look)
    said = told.answered.get("bashEditDiff")
    if isinstance(said, dict) and not said.get("moreFiles"):
        known = look["files"] if look else {}
        return gathered | {"files": list(_diffed(said.get("files"), known, root))}
    if look is None:
        return gathered | {"unseen": True}
    try:
        changed, more = folder_snapshot.changes(root, look, told.cwd)
    except folder_snapshot.TooManyFilesError:
        return gathered | {"unseen": True}
    return gathered | {"files": changed, "more": more}


def _command(asked: Json) -> str | None:
    """Give the command; some hosts give several, or its words."""
    for key in ("command", "command_line", "commands", "cmd"):
        value: Any = asked.get(key)
        if isinstance(value, list) and all(isinstance(one, str) for one in value):
            value = (" " if key in ("command", "cmd") else "\n").join(value)
        if isinstance(value, str) and value.strip():
            return value
    return None


def _diffed(said: object, known: Json, root: str) -> Iterator[Gathered]:
    """Give the files of a diff that the host made around a command."""
    for one in said if isinstance(said, list) else ():
        path = one.get("filePath") if isinstance(one, dict) else None
        inside = files.within(root, path) if isinstance(path, str) else None
        if inside is None:
            continue
        with suppress(OSError):
            is_now = files.told(files.read(root, inside))
            was = _was_diffed(one, is_now["now"]) | folder_snapshot.mode_before(known, inside)
            yield {"path": inside, **is_now, **was}


def _was_diffed(one: Json, now: files.Content | None) -> Gathered:
    if one.get("created") is True:
        return {"was": None}
    text = now.get("text") if now else None
    hunks = one.get("hunks")
    was = edits.removed_text(hunks) if text is None else edits.unpatched(text, hunks)
    return {} if was is None else {"was": {"text": was}}
