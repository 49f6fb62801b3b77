"""A refusal that a caller can read and a program can act on. Anything else raised is a bug."""

from collections.abc import Mapping
from typing import Any, ClassVar

INVALID_REQUEST = -32600
INVALID_PARAMS = -32602
EXECUTION_ERROR = -32000
INTERNAL_ERROR = -32603
FORBIDDEN = 403
UNAUTHENTICATED = 401


class Problem(Exception):
    """Something was refused: a code for programs, a sentence for people, nothing changed."""

    code: ClassVar[str]
    http_status: ClassVar[int] = 400
    rpc_code: ClassVar[int] = EXECUTION_ERROR
    hint: ClassVar[str | None] = None
    fixable: ClassVar[bool] = True
    """Whether a smarter caller could do better: then it is a result, else a protocol error."""

    def __init__(self, message: str, *, hint: str | None = None, **details: object) -> None:
        """Say what happened in `message`; `details` is for programs."""
        super().__init__(message)
        self.message = message
        self.details: Mapping[str, Any] = details
        self.recovery_hint = hint or self.hint

    def as_dict(self) -> dict[str, Any]:
        """Give the one shape of every error, without its outer `error` key."""
        return {
            "code": self.code,
            "message": self.message,
            "details": dict(self.details),
            "recovery_hint": self.recovery_hint,
            "rpc_code": self.rpc_code,
            "http_status": self.http_status,
        }


class InvalidInput(Problem):
    """The arguments do not fit what the operation takes."""

    code, rpc_code = "INVALID_INPUT", INVALID_PARAMS
    hint = "Correct the named argument and call again"


class RequestTooLarge(Problem):
    """One request is longer than any may be; nothing of it was read."""

    code, http_status, rpc_code, fixable = "REQUEST_TOO_LARGE", 413, INVALID_REQUEST, False
    hint = "Send less at once; the Python library and the command line take contexts up to 64 MiB"


class UnknownOperation(InvalidInput):
    """No operation has that name, or it is not offered to this caller."""

    http_status, fixable = 404, False
    hint = "List the tools to see what there is"


class PermissionDenied(Problem):
    """The caller's role is not enough."""

    code, http_status, rpc_code, fixable = "PERMISSION_DENIED", 403, FORBIDDEN, False
    hint = "Ask someone with the role that the message names"


class Unauthorized(Problem):
    """The caller has not shown valid credentials."""

    code, http_status, rpc_code, fixable = "UNAUTHORIZED", 401, UNAUTHENTICATED, False
    hint = "Send `Authorization: Bearer hns_…`; `hansard token create` makes one"


class Internal(Problem):
    """A bug in Hansard: the caller is told its reference in the log, and no more."""

    code, http_status, rpc_code, fixable = "INTERNAL", 500, INTERNAL_ERROR, False
    hint = "The server's log says more under this reference"

    def __init__(self, reference: str) -> None:
        """Name the place in the log."""
        message = f"Something went wrong inside Hansard (reference {reference})"
        super().__init__(message, reference=reference)


class StorageUnavailable(Problem):
    """The store could not take the write, or cannot be reached."""

    code, http_status = "STORAGE_UNAVAILABLE", 503
    hint = "Try again; if it stays so, run `hansard doctor`"


class ProjectUnavailable(StorageUnavailable):
    """One project cannot be read or written by this program now; the others can."""


class BlobDamaged(Problem):
    """Stored content is missing or is not what its digest says."""

    code, http_status = "BLOB_DAMAGED", 500
    hint = "Run `hansard verify` to see what is damaged"


class BlobRedacted(BlobDamaged):
    """Stored content was erased on purpose; the journal says by whom and why."""

    code, http_status = "BLOB_REDACTED", 410
    hint = "It cannot be had back; `hansard log` shows its redaction"
