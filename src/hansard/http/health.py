"""Health, readiness and metrics, for operators."""

import logging
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import anyio.to_thread
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from hansard.app.application import Application
from hansard.app.oauth import MCP, METADATA, SCOPE_KEY, SCOPES
from hansard.app.settings import LOOPBACK
from hansard.app.tokens import Token
from hansard.http.authentication import METRICS, Authentication
from hansard.http.request_metrics import CONTENT_TYPE, RequestMetrics
from hansard.http.responses import (
    NO_TOKEN,
    SAFETY,
    TOKEN_HINT,
    answered,
    base_of,
    forbidden,
    refused,
    unauthorized,
)
from hansard.http.workers.routing import WITHIN
from hansard.http.workers.worker_reports import Reports
from hansard.http.workers.worker_socket import Worker
from hansard.kernel.engine import WriteTx
from hansard.kernel.event import Head
from hansard.kernel.problem import PermissionDenied, Problem
from hansard.kernel.store import CATALOG

T = TypeVar("T")

logger = logging.getLogger(__name__)


class Health:
    """Answers monitoring."""

    def __init__(
        self,
        application: Application,
        gate: Authentication,
        meter: RequestMetrics,
        worker: Worker | None = None,
    ) -> None:
        """Report on an application, and on the processes that serve with this one, a `worker`."""
        self._application = application
        self._gate = gate
        self._meter = meter
        self._reports = Reports(worker) if worker else None

    def routes(self) -> list[Route]:
        """List what is answered where."""
        return [
            Route("/readyz", self._ready),
            Route(METRICS, self._metrics),
            Route(METADATA, self._metadata),
            Route(f"{METADATA}{MCP}", self._metadata),
        ]

    async def _ready(self, request: Request) -> Response:
        """Say whether the store can be read, and written unless this server only reads.

        Followers may fail meanwhile, and so may other workers, which further lines report.

        Monitoring has no token: the reason names no file, no host and no content.
        """
        try:
            await _in_thread(self._touch)
        except Problem as problem:
            logger.warning("The store is not ready: %s", problem.code)
            return PlainTextResponse(f"not ready: {problem.message}", 503, SAFETY)
        troubles = [str(one) for one in self._application.troubles()]
        if self._reports and WITHIN not in request.scope:
            troubles += await self._reports.troubles()
        return PlainTextResponse("\n".join(["ready", *troubles]), headers=SAFETY)

    def _touch(self) -> None:
        store = self._application.store
        store.read(CATALOG, lambda tx: tx.head())
        if not self._application.read_only:
            store.write(CATALOG, _begin_writing)

    async def _metrics(self, request: Request) -> Response:
        if self._reports and WITHIN in request.scope:
            return answered(await _in_thread(self._noted))
        token: Token | None = request.scope.get(SCOPE_KEY)
        is_here = bool(request.client and request.client.host in LOOPBACK)
        if token is None and (await _in_thread(self._gate.needs_token) or not is_here):
            return unauthorized(request, NO_TOKEN, TOKEN_HINT)
        if token and (not token.actor.may("admin") or token.projects is not None):
            problem = PermissionDenied("The metrics are for an admin of all projects")
            return forbidden(request, problem, "admin")
        try:
            heads = await _in_thread(self._application.store.engine.heads)
        except Problem as problem:
            return refused(problem)
        entries = {project: head.seq for project, head in heads.items()}
        application = self._application
        if self._reports:
            whole = await self._reports.whole(self._counted(heads))
            workers = whole.answering, whole.starts
            text = whole.meter.text(entries, whole.behind, len(whole.troubles), workers)
        else:
            failing = len(application.troubles())
            text = self._meter.text(entries, application.behind(heads), failing)
        return Response(text, 200, {**SAFETY, "Content-Type": CONTENT_TYPE})

    def _counted(self, heads: Mapping[str, Head]) -> dict[str, Any]:
        """Give what this process knows, for another to add up."""
        return {
            **self._meter.counted(),
            "open_requests": self._meter.open_requests,
            "open_streams": self._meter.open_streams,
            "behind": self._application.behind(heads),
            "troubles": [str(one) for one in self._application.troubles()],
        }

    def _noted(self) -> dict[str, Any]:
        assert self._reports, "only a worker is asked by another"
        counted = self._counted(self._application.store.engine.heads())
        self._reports.note(counted)
        return counted

    async def _metadata(self, request: Request) -> Response:
        """Describe the protected resource, and the authorization server if there is one."""
        described: dict[str, Any] = {
            "resource": f"{base_of(request) or ''}{MCP}",
            "resource_name": "Hansard",
            "bearer_methods_supported": ["header"],
            "scopes_supported": list(SCOPES.values()),
        }
        if bearers := self._gate.bearers:
            config = bearers.config
            described["authorization_servers"] = [config.issuer]
            if config.audience.startswith(("https://", "http://")):
                described["resource"] = config.audience
        return answered(described)


def _begin_writing(tx: WriteTx) -> None:
    """Take the lock of writers, and release it."""
    tx.head()


async def _in_thread(work: Callable[[], T]) -> T:
    return await anyio.to_thread.run_sync(work)
