"""The contract page, Everything 6: the shape of an error, and each code."""

from tests.contract.requirements.requirement import held, section

REQUIREMENTS = (
    *section(
        "contract: Everything 6, error shape",
        "foundation",
        held(
            "ALL-06.1",
            'Every refusal has one shape: {"error": {code, message, details, recovery_hint, '
            "rpc_code, http_status}}.",
        ),
        held(
            "ALL-06.2",
            "What a smarter caller could fix (bad input, not found, conflict, quota, review "
            "window) is a tool result with isError true.",
        ),
        held(
            "ALL-06.3",
            "An isError result carries the error object as structured content and its sentence as "
            "text.",
        ),
        held(
            "ALL-06.4",
            "What a caller cannot fix (unknown tool, forbidden) is a JSON-RPC error with the "
            "object as `data`.",
        ),
        held(
            "ALL-06.5",
            "With --errors jsonrpc every refusal is a JSON-RPC error, with the codes of 001 and "
            "004 (-32602, -32000, 403).",
        ),
        held(
            "ALL-06.6",
            "No answer shows a caller a stack trace.",
        ),
        held(
            "ALL-06.7",
            "No answer shows a caller a secret.",
            milestone="entities",
        ),
        held(
            "ALL-06.8",
            "No answer shows a caller an absolute path of the server.",
            milestone="recorder",
        ),
        held(
            "ALL-06.9",
            "A malformed line is answered with the request's id whenever it can be read.",
        ),
        held(
            "ALL-06.10",
            "A malformed line whose id cannot be read is answered with id null.",
        ),
        held(
            "ALL-06.11",
            "A code exists when something raises it and a test sees it: none is declared unused, "
            "none is raised undeclared.",
        ),
        held(
            "ALL-06.12",
            "rpc_code and http_status of each code are the same over stdio, HTTP, CLI and library.",
        ),
    ),
    *section(
        "contract: Everything 6, codes",
        "foundation",
        held(
            "ALL-06.20",
            "INVALID_INPUT (400) is raised for input that fails validation.",
        ),
        held(
            "ALL-06.21",
            "PROJECT_NOT_FOUND is raised for an unknown project id.",
        ),
        held(
            "ALL-06.22",
            "PROJECT_EXISTS is raised by create_project for an id that is taken.",
        ),
        held(
            "ALL-06.23",
            "SESSION_CLOSED is raised for a write under a session that was closed.",
        ),
        held(
            "ALL-06.24",
            "SESSION_EXISTS is raised by record_session_start on a session that has a title.",
            milestone="recorder",
        ),
        held(
            "ALL-06.25",
            "FILE_EXISTS is raised by create on an existing file.",
            milestone="recorder",
        ),
        held(
            "ALL-06.26",
            "FILE_NOT_FOUND is raised by edit or delete of a missing file.",
            milestone="recorder",
        ),
        held(
            "ALL-06.27",
            "FILE_CHANGED is raised when expected_sha256 is not that of the file.",
            milestone="recorder",
        ),
        held(
            "ALL-06.28",
            "PATH_INVALID is raised for a path that breaks the rule of form.",
            milestone="recorder",
        ),
        held(
            "ALL-06.29",
            "PATH_PROTECTED is raised for an agent's operation on a protected path.",
            milestone="recorder",
        ),
        held(
            "ALL-06.30",
            "PATH_NOT_REGULAR is raised for what is not a plain file with one link.",
            milestone="recorder",
        ),
        held(
            "ALL-06.31",
            "PATH_OUTSIDE_WORKSPACE is raised for a path that leaves the root.",
            milestone="recorder",
        ),
        held(
            "ALL-06.32",
            "TARGET_CONFLICT (409) is raised by record_decision on a target with an active "
            "decision.",
            milestone="decisions",
        ),
        held(
            "ALL-06.33",
            "DECISION_NOT_FOUND is raised for an unknown decision id.",
            milestone="decisions",
        ),
        held(
            "ALL-06.34",
            "DECISION_NOT_ACTIVE is raised by superseding what is not active.",
            milestone="decisions",
        ),
        held(
            "ALL-06.35",
            "DECISION_BLOCKS is raised for an agent's file_op on a file that a blocking decision "
            "governs.",
            milestone="decisions",
        ),
        held(
            "ALL-06.36",
            "PROPOSAL_NOT_FOUND is raised for an unknown proposal id.",
            milestone="decisions",
        ),
        held(
            "ALL-06.37",
            "ISOLATION_VIOLATION is raised for an agent superseding a human's decision.",
            milestone="decisions",
        ),
        held(
            "ALL-06.38",
            "REVIEW_WINDOW is raised by accept_proposal within the review window.",
            milestone="decisions",
        ),
        held(
            "ALL-06.39",
            "PERMISSION_DENIED (403) is raised when the caller's role is too low.",
        ),
        held(
            "ALL-06.40",
            "RATE_LIMITED (429) is raised when a caller exceeds its rate.",
            milestone="reliability",
        ),
        held(
            "ALL-06.41",
            "STORAGE_UNAVAILABLE (503) is raised when the store cannot be written or a lock wait "
            "runs out.",
        ),
        held(
            "ALL-06.42",
            "STORAGE_QUOTA_EXCEEDED (413) is raised when a quota is reached.",
            milestone="checkpoints",
        ),
        held(
            "ALL-06.43",
            "BLOB_DAMAGED is raised when a blob's bytes do not have its digest.",
        ),
        held(
            "ALL-06.44",
            "ENTITY_NOT_FOUND is raised for an unknown entity id.",
            milestone="entities",
        ),
        held(
            "ALL-06.45",
            "ENTITY_CONFLICT is raised when an entity is no longer what the caller expected.",
            milestone="entities",
        ),
        held(
            "ALL-06.46",
            "ENTITY_IMMUTABLE is raised by updating an immutable type.",
            milestone="entities",
        ),
    ),
)
