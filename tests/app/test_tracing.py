"""What spans say of calls, and what they never do, with the real SDK of OpenTelemetry."""

import subprocess
import sys
from collections.abc import Iterator

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from hansard.app.application import Application
from hansard.app.tracing import READ_RESOURCE, CallOrigin, TracedStore, origin, span, traced
from hansard.kernel.problem import UnknownOperation
from hansard.sessions.contract import SessionNotFound
from tests.conftest import a_caller
from tests.patience import PATIENCE_S

PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
POISON = "a sentence that nobody else shall read"
RECORD = {"type": "note", "title": POISON, "summary": POISON, "body": POISON}


@pytest.fixture
def spans() -> Iterator[InMemorySpanExporter]:
    exporter = InMemorySpanExporter()
    yield exporter
    exporter.shutdown()


@pytest.fixture
def traced_app(app: Application, spans: InMemorySpanExporter) -> Application:
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    return traced(app, provider.get_tracer("test"))


def ask(
    app: Application, name: str, came: CallOrigin | None = None, /, **arguments: object
) -> None:
    caller = a_caller()
    with span(app, name, caller, came or CallOrigin("api")):
        app.call(name, arguments, caller)


def served(spans: InMemorySpanExporter) -> ReadableSpan:
    [one] = [one for one in spans.get_finished_spans() if one.kind is SpanKind.SERVER]
    return one


def test_a_call_is_a_span_in_our_words_with_what_the_store_did_in_it(
    traced_app: Application, spans: InMemorySpanExporter
) -> None:
    ask(traced_app, "create_record", **RECORD)

    call = served(spans)
    parts = [one for one in spans.get_finished_spans() if one is not call]
    assert call.name == "create_record"
    assert dict(call.attributes or {}) == {
        "hansard.operation": "create_record",
        "hansard.capability": "records",
        "hansard.role": "agent",
        "hansard.actor_kind": "agent",
        "hansard.transport": "api",
        "hansard.outcome": "ok",
    }
    assert {one.name for one in parts} == {"store.read", "store.write"}
    assert call.context
    assert {one.parent.span_id for one in parts if one.parent} == {call.context.span_id}
    assert POISON not in "".join(one.to_json() for one in spans.get_finished_spans())


def test_a_call_goes_on_in_the_trace_that_its_caller_named(
    traced_app: Application, spans: InMemorySpanExporter
) -> None:
    ask(traced_app, "list_projects", origin("stdio", {"traceparent": PARENT}))

    call = served(spans)
    assert call.parent
    assert f"{call.parent.trace_id:032x}" == PARENT.split("-")[1]
    assert f"{call.parent.span_id:016x}" == PARENT.split("-")[2]


@pytest.mark.parametrize("parent", ["", "00-0-0-01", "x" * 10_000, PARENT.replace("0af", "zzz")])
def test_a_trace_that_is_none_begins_a_new_one(
    traced_app: Application, spans: InMemorySpanExporter, parent: str
) -> None:
    ask(traced_app, "list_projects", origin("http", {"traceparent": parent}))

    assert served(spans).parent is None


def test_the_first_that_names_a_trace_counts() -> None:
    meta, headers = {"traceparent": PARENT, "tracestate": 7}, {"traceparent": "another"}

    assert origin("http", meta, headers) == CallOrigin("http", {"traceparent": PARENT})
    assert origin("http", {}, headers) == CallOrigin("http", headers)
    assert origin("stdio", {"traceparent": 7}) == CallOrigin("stdio")


def test_a_refusal_is_its_code_and_no_error_of_the_server(
    traced_app: Application, spans: InMemorySpanExporter
) -> None:
    with pytest.raises(SessionNotFound):
        ask(traced_app, "get_timeline", session_id=POISON)

    call = served(spans)
    assert (call.attributes or {})["hansard.outcome"] == "SESSION_NOT_FOUND"
    assert call.status.status_code is StatusCode.UNSET
    assert POISON not in call.to_json()


def test_a_bug_is_an_error_without_its_message(
    traced_app: Application, spans: InMemorySpanExporter
) -> None:
    with (
        pytest.raises(ZeroDivisionError),
        span(traced_app, READ_RESOURCE, a_caller(), CallOrigin("http")),
    ):
        raise ZeroDivisionError(POISON)

    call = served(spans)
    assert call.name == READ_RESOURCE
    assert (call.attributes or {})["hansard.outcome"] == "INTERNAL"
    assert call.status.status_code is StatusCode.ERROR
    assert POISON not in call.to_json()


def test_an_operation_that_there_is_not_has_no_name_of_the_callers(
    traced_app: Application, spans: InMemorySpanExporter
) -> None:
    with pytest.raises(UnknownOperation):
        ask(traced_app, POISON)

    assert served(spans).name == "unknown"


def test_what_serves_no_call_makes_no_span(
    traced_app: Application, spans: InMemorySpanExporter
) -> None:
    traced_app.call("list_projects", {}, a_caller())

    assert spans.get_finished_spans() == ()


@pytest.mark.parametrize("address", ["", "http://127.0.0.1:9"])
def test_an_address_to_send_to_asks_for_traces(
    app: Application, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", address)
    monkeypatch.delenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", raising=False)

    assert isinstance(traced(app).store, TracedStore) == bool(address)


def test_without_an_address_nothing_of_it_is_even_loaded() -> None:
    program = (
        "import sys\n"
        "from hansard.app.settings import Settings\n"
        "from hansard.app.start import start\n"
        "from hansard.app.tracing import traced\n"
        "traced(start(Settings(store='memory:', embedder='none'))).close()\n"
        "print([name for name in sys.modules if name.startswith('opentelemetry')])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=True,
    )

    assert done.stdout.strip() == "[]"
