"""Refusals about files, and how errors of the operating system become refusals.

No message names a path of the server: each shows the path as the caller gave it, made printable.
"""

import errno

from hansard.kernel import limits
from hansard.kernel.problem import InvalidInput, PermissionDenied, Problem, StorageUnavailable

PATH_SHOWN_CHARS_MAX = 200
"""A path in a message is cut to this length; the sender of a longer one knows the rest."""


class PathInvalid(Problem):
    """The path breaks the rule of form."""

    code = "PATH_INVALID"
    hint = "Give a plain relative path such as src/a.py"


class PathOutsideWorkspace(Problem):
    """The path leaves the workspace, or goes through a symbolic link, which might."""

    code, http_status = "PATH_OUTSIDE_WORKSPACE", 403
    hint = "Give a path within the workspace that goes through no `..` and no symbolic link"


class PathNotRegular(Problem):
    """The path is something other than a plain file with one link on the workspace's own mount."""

    code, http_status = "PATH_NOT_REGULAR", 409
    hint = "Only plain files are read and written here; use another tool for this one"


class PathProtected(Problem):
    """The path is one that an agent may not change."""

    code, http_status = "PATH_PROTECTED", 403
    hint = "Ask a person to make this change"


class FileExists(Problem):
    """There is a file already."""

    code, http_status = "FILE_EXISTS", 409
    hint = "Edit it, choose another path, or pass overwrite: true"


class FileNotFound(Problem):
    """There is no such file."""

    code, http_status = "FILE_NOT_FOUND", 404
    hint = "Check the path, or create the file"


class FileChanged(Problem):
    """The file is not what the caller thinks it is."""

    code, http_status = "FILE_CHANGED", 409
    hint = "Read the file again and repeat the change on what is there now"


class Irreversible(Problem):
    """What the file holds is not kept, so the change could not be taken back."""

    code, http_status = "IRREVERSIBLE", 409
    hint = "Move the file aside instead, or pass irreversible: true to let go of what it holds"


class DecisionBlocks(Problem):
    """A decision keeps agents from changing this file."""

    code, http_status = "DECISION_BLOCKS", 403
    hint = "Propose another decision with propose_decision, or ask a person to make the change"


class FileTooLarge(InvalidInput):
    """The file, or what it would become, is over the limit."""

    http_status = 413
    hint = "Split the content, or change this file with another tool"


class FileNotPermitted(PermissionDenied):
    """The operating system does not let this process access the file."""

    fixable = True
    hint = "Change the permissions of the file and its folder, or choose another"


class OutcomeUnknown(StorageUnavailable):
    """The disk failed while the file was being changed: it is wholly the old or wholly the new."""

    hint = "Read the file to see which; run `hansard doctor` before writing again"


_MEANINGS: dict[int, tuple[type[Problem], str]] = {
    errno.ELOOP: (PathOutsideWorkspace, "{} goes through a symbolic link"),
    errno.EXDEV: (PathNotRegular, "{} lies on another mount"),
    errno.ENOTDIR: (PathNotRegular, "{} goes through what is no folder"),
    errno.EISDIR: (PathNotRegular, "{} is a folder"),
    errno.ENXIO: (PathNotRegular, "{} is not a plain file"),
    errno.ENAMETOOLONG: (PathInvalid, "The file system does not take a name as long as {}"),
    errno.EILSEQ: (PathInvalid, "The file system does not take the name {}"),
    errno.EACCES: (FileNotPermitted, "The operating system refuses access to {}"),
    errno.EPERM: (FileNotPermitted, "The operating system refuses this for {}"),
    errno.ENOENT: (FileNotFound, "{} does not exist"),
    errno.EEXIST: (FileExists, "{} already exists"),
}
"""What an error of the operating system says about the path. Any other is about the disk."""


def shown(path: str) -> str:
    """Make a path fit for a message: printable, encodable and short."""
    text = path if path.isprintable() else ascii(path)[1:-1]
    return text if len(text) <= PATH_SHOWN_CHARS_MAX else f"{text[:PATH_SHOWN_CHARS_MAX]}…"


def of_os_error(error: OSError, path: str, *, in_doubt: bool = False) -> Problem:
    """Translate the operating system's refusal for this path.

    `in_doubt`: the file may have been changed already, so no error can say it was not.
    """
    path, number = shown(path), error.errno or 0
    if in_doubt:
        message = f"{path} is either as it was or as it should become; the disk failed in between"
        return OutcomeUnknown(message, path=path, outcome="unknown")
    if number in _MEANINGS:
        problem, sentence = _MEANINGS[number]
        return problem(sentence.format(path), path=path)
    reason = errno.errorcode.get(number, "unknown")
    message = f"The disk refused at {path} ({reason}); nothing changed"
    return StorageUnavailable(message, path=path, reason=reason, outcome="unchanged")


def too_large(path: str, limit_bytes: int = limits.FILE_BYTES_MAX) -> FileTooLarge:
    """Say that a file is over the limit, and what the limit is."""
    message = f"{shown(path)} is larger than {limit_bytes} bytes"
    return FileTooLarge(message, path=shown(path), limit_bytes=limit_bytes)
