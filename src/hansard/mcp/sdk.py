"""Converts the SDK's request into ours."""

from typing import Any

from mcp.server.context import ServerRequestContext
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from hansard.mcp.client_names import EXTENSION, made_fit
from hansard.mcp.request_metadata import Circumstances

RequestContext = ServerRequestContext[Any, Any]


def asked_in(context: RequestContext) -> Circumstances:
    """Give what a request says besides what it asks for."""
    params = context.session.client_params
    return Circumstances(
        meta=dict(context.meta or {}),
        client=made_fit(params.client_info.name, params.client_info.version) if params else None,
        shows_views=bool(params and EXTENSION in (params.capabilities.extensions or {})),
        is_stateless=context.protocol_version in MODERN_PROTOCOL_VERSIONS,
        request=context.request,
    )
