"""Traces: each call is an OpenTelemetry span, if an exporter is configured.

A span contains only our own words: an operation, a role, a code; never an argument, an answer, an
id or a secret. Without the extra `otel`, or without an address to send to, nothing of it is loaded.
"""

import logging
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import hansard
from hansard.app.application import Application
from hansard.kernel.blob import Blob
from hansard.kernel.engine import ReadTx, WriteTx
from hansard.kernel.operation import Caller
from hansard.kernel.problem import Problem, UnknownOperation
from hansard.kernel.store import Store

if TYPE_CHECKING:
    from opentelemetry.trace import Span, Tracer

T = TypeVar("T")

logger = logging.getLogger(__name__)

ADDRESSES = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
"""Where OpenTelemetry's own variables say to send to; one of them asks for traces."""

TIMEOUT_S = 2.0
"""How long one attempt to send may take, so that a server ends in time though nobody listens."""

TRACE_FIELDS = ("traceparent", "tracestate")
"""What W3C calls the place in a trace that a call belongs under."""

READ_RESOURCE = "resources/read"
"""The span's name for requests that are no operation."""

UNKNOWN = "unknown"
"""The span's name for unknown operations, since a caller can make up any name."""

SERVER_FAULT = 500

Transport = Literal["stdio", "http", "api"]


@dataclass(frozen=True, slots=True)
class CallOrigin:
    """Where a call came from, and the trace it is part of, if its caller named one."""

    transport: Transport
    parent: Mapping[str, str] = field(default_factory=dict)


def origin(transport: Transport, *carriers: Mapping[str, Any]) -> CallOrigin:
    """Take the trace from the first of these that names one."""
    for carrier in carriers:
        found = {name: carrier[name] for name in TRACE_FIELDS if isinstance(carrier.get(name), str)}
        if found:
            return CallOrigin(transport, found)
    return CallOrigin(transport)


def traced(application: Application, tracer: "Tracer | None" = None) -> Application:
    """Trace an application's calls, if its environment says where to send traces."""
    if tracer is None and any(os.environ.get(name) for name in ADDRESSES):
        tracer = _tracer()
    if tracer is not None:
        application.store = TracedStore(application.store, tracer)
    return application


@contextmanager
def span(application: Application, name: str, caller: Caller, came: CallOrigin) -> Iterator[None]:
    """Make a span of what is done for a caller, where the application is traced."""
    store = application.store
    if not isinstance(store, TracedStore):
        yield
        return
    with store.serving(_attributes(application, name, caller, came), came) as made:
        try:
            yield
        except Problem as problem:
            _end(made, problem.code, is_fault=problem.http_status >= SERVER_FAULT)
            raise
        except Exception:  # a bug: the log has it in full, and its text may hold anything
            _end(made, "INTERNAL", is_fault=True)
            raise
        made.set_attribute("hansard.outcome", "ok")


class TracedStore(Store):
    """A store whose reads and writes are parts of the span that they serve."""

    def __init__(self, plain: Store, tracer: "Tracer") -> None:
        """Stand in for a store on the same engine."""
        from opentelemetry.trace import SpanKind, get_current_span
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        super().__init__(plain.engine, plain.kinds, plain.views)
        self._tracer = tracer
        self._kind = SpanKind.SERVER
        self._current = get_current_span
        self._extract = TraceContextTextMapPropagator().extract

    @contextmanager
    def serving(self, attributes: dict[str, str], came: CallOrigin) -> "Iterator[Span]":
        """Open the span of a call, under the one that its caller named."""
        from opentelemetry.context import Context

        with self._tracer.start_as_current_span(
            attributes["hansard.operation"],
            # An empty context, so that nobody else's span becomes the parent.
            self._extract(came.parent, Context()),
            self._kind,
            attributes,
            # Their messages may quote what a caller sent.
            record_exception=False,
            set_status_on_exception=False,
        ) as made:
            yield made

    def read(self, project: str, work: Callable[[ReadTx], T]) -> T:
        """Run work on a consistent look at a project, as a part of the call's span."""
        with self._part("store.read"):
            return super().read(project, work)

    def write(
        self,
        project: str,
        work: Callable[[WriteTx], T],
        *,
        blobs: Iterable[Blob] = (),
        urgent: bool = False,
    ) -> T:
        """Run work in one durable transaction, as a part of the call's span."""
        with self._part("store.write"):
            return super().write(project, work, blobs=blobs, urgent=urgent)

    @contextmanager
    def _part(self, name: str) -> Iterator[None]:
        if not self._current().is_recording():  # not part of a call: a follower, a token lookup
            yield
            return
        attributes = {"db.system.name": self.engine.name}
        with self._tracer.start_as_current_span(
            name, attributes=attributes, record_exception=False, set_status_on_exception=False
        ):
            yield


def _attributes(
    application: Application, name: str, caller: Caller, came: CallOrigin
) -> dict[str, str]:
    return {
        **_named(application, name),
        "hansard.role": caller.actor.role,
        "hansard.actor_kind": caller.actor.kind,
        "hansard.transport": came.transport,
    }


def _named(application: Application, name: str) -> dict[str, str]:
    """Name the operation in our own words, and the capability that runs it."""
    try:
        operation = application.catalog.find(name)
    except UnknownOperation:
        return {"hansard.operation": name if name == READ_RESOURCE else UNKNOWN}
    owner = application.catalog.owner(operation)
    return {"hansard.operation": operation.name, "hansard.capability": owner.name}


def _end(made: "Span", code: str, *, is_fault: bool) -> None:
    from opentelemetry.trace import StatusCode

    made.set_attributes({"hansard.outcome": code, "error.type": code})
    if is_fault:
        made.set_status(StatusCode.ERROR)


def _tracer() -> "Tracer | None":
    """Make what sends spans in the background, and the last of them when the process ends."""
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import OTELResourceDetector, Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        logger.warning("There will be no traces: pip install 'hansard[otel]' to have them sent")
        return None
    ours = Resource({"service.name": "hansard", "service.version": hansard.__version__})
    # The provider is ours alone: the MCP SDK would send its own spans to the global one, with names
    # and messages that callers make up.
    provider = TracerProvider(resource=ours.merge(OTELResourceDetector().detect()))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(timeout=TIMEOUT_S)))
    return provider.get_tracer("hansard", hansard.__version__)
