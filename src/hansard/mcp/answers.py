"""Results and problems in the terms of MCP: tool results, or JSON-RPC errors."""

import logging
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from hansard.kernel.model_answer import told
from hansard.kernel.operation import Flagged, Result
from hansard.kernel.problem import Internal, Problem

if TYPE_CHECKING:
    from mcp.shared.exceptions import MCPError
    from mcp_types import CallToolResult

Json = dict[str, Any]

logger = logging.getLogger(__name__)


RECEIPT_KEY = "hansard/receipt"
"""The key of a write's receipt: proof for programs, which a model could only pass on."""

PROOF_KEY = "hansard/proof"
"""The key of digests, by JSON Pointer into the whole answer."""

WHOLE_KEY = "hansard/answer"
"""The key of the whole answer, for views that a host shows beside it."""


def succeeded(
    result: Result, *, tells_session: bool = False, is_shown: bool = False
) -> "CallToolResult":
    """Give an answer in the SDK's types."""
    from mcp_types import CallToolResult

    plain = given(result, tells_session=tells_session, is_shown=is_shown)
    return CallToolResult.model_validate(plain)


def given(result: Result, *, tells_session: bool = False, is_shown: bool = False) -> Json:
    """Give an answer in both forms, since some hosts show a model only the one or the other.

    `tells_session` names the session also in the text, for a caller who learns it nowhere else.
    `is_shown` gives the whole answer to a view, besides what the model sees.
    """
    said = told(result.briefly())
    content, text = said.content, result.text()
    if isinstance(result, Flagged):
        text = "\n".join([text, *result.cautions()])
    session = content.get("session_id") or content.get("sessionId")
    if tells_session and session and session not in text:
        text = f"{text}\nSession {session}: name it to go on in it."
    meta = dict(_beside(said.proof))
    if is_shown:
        meta[WHOLE_KEY] = result.model_dump(mode="json", exclude_none=True)
    return _result(text, content, meta=meta)


def _result(text: str, content: Json, *, is_error: bool = False, meta: Json | None = None) -> Json:
    """Put a result together, its keys in the order in which the SDK writes them."""
    return {
        **({"_meta": meta} if meta else {}),
        "content": [{"text": text, "type": "text"}],
        "isError": is_error,
        "structuredContent": content,
    }


def _beside(proof: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Give what goes into `_meta`, where no host shows it to a model: the receipt, other proof."""
    receipt = proof.get("/receipt")
    if receipt:
        yield RECEIPT_KEY, receipt
    rest = {place: value for place, value in proof.items() if place != "/receipt"}
    if rest:
        yield PROOF_KEY, rest


def refused(problem: Problem) -> Json:
    """Give a problem as a result, for the model to read and correct itself."""
    return _result(sentence(problem), {"error": problem.as_dict()}, is_error=True)


def error_of(error: Exception) -> Json:
    """Give what was raised as a JSON-RPC error: a problem as such, a bug by a reference only.

    The log has a bug in full.
    """
    if isinstance(error, Problem):
        problem = error
    else:
        reference = secrets.token_hex(4)
        logger.error("A call failed (reference %s)", reference, exc_info=error)
        problem = Internal(reference)
    return {"code": problem.rpc_code, "message": problem.message, "data": problem.as_dict()}


@contextmanager
def as_protocol_errors() -> Iterator[None]:
    """Turn what is raised inside into the SDK's errors."""
    try:
        yield
    except Problem as problem:
        raise _raised(problem) from None
    except Exception as error:  # a bug: goes to the log in full, to the caller as INTERNAL
        raise _raised(error) from error


def sentence(problem: Problem) -> str:
    """Word a problem in one line that suffices without its structured form."""
    hint = f" {_ended(problem.recovery_hint)}" if problem.recovery_hint else ""
    return f"{problem.code}: {_ended(problem.message)}{hint}"


def _ended(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _raised(error: Exception) -> "MCPError":
    from mcp.shared.exceptions import MCPError

    return MCPError(**error_of(error))
