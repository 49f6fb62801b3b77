"""Traces of a real server reach a real receiver, over each of its ways in."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.hostile.serving import serving_stdio
from tests.http.serving import MODERN_META, Server, let_in, mcp_call, mcp_request, serving
from tests.patience import PATIENCE_S

TRACE, CALLER = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
PARENT = f"00-{TRACE}-{CALLER}-01"
POISON = "a sentence that nobody else shall read"


@dataclass
class Receiver:
    """Takes what is sent to it, as a collector does."""

    address: str
    bodies: list[bytes] = field(default_factory=list)

    def spans(self) -> list[Any]:
        """Give every span that came."""
        sent = [ExportTraceServiceRequest.FromString(body) for body in self.bodies]
        return [
            span
            for one in sent
            for resource in one.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]

    def service(self) -> set[str]:
        """Say who sent them."""
        sent = [ExportTraceServiceRequest.FromString(body) for body in self.bodies]
        attributes = [a for one in sent for a in one.resource_spans[0].resource.attributes]
        return {a.value.string_value for a in attributes if a.key == "service.name"}


@contextmanager
def receiving() -> Iterator[Receiver]:
    """Listen until the block ends."""
    receiver = Receiver("")

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            receiver.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    receiver.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def ask_each_way(server: Server) -> None:
    """Ask once by each way in, each under the same trace."""
    meta = MODERN_META | {"traceparent": PARENT}
    arguments = {"type": "note", "title": POISON, "summary": POISON, "body": POISON}
    params = {"name": "create_record", "arguments": arguments, "_meta": meta}
    assert mcp_request(server, "tools/call", params, mcp_name="create_record").status == 200
    uri = "hansard://activity"
    params = {"uri": uri, "_meta": meta}
    assert mcp_request(server, "resources/read", params, mcp_name=uri).status == 200
    assert mcp_call(server, "list_projects", traceparent=PARENT).status == 200
    status, _ = let_in(server).post("get_project_overview", {}, traceparent=PARENT)
    assert status == 200


def test_every_way_in_is_traced_and_nothing_that_was_said(tmp_path: Path) -> None:
    with receiving() as receiver:
        with serving(tmp_path, OTEL_EXPORTER_OTLP_ENDPOINT=receiver.address) as server:
            ask_each_way(server)
        spans = receiver.spans()

    named = {one.span_id: one.name for one in spans}
    calls = [one for one in spans if one.parent_span_id.hex() == CALLER]
    assert {one.trace_id.hex() for one in spans} == {TRACE}
    assert {one.name for one in calls} == {
        "create_record",
        "list_projects",
        "get_project_overview",
        "resources/read",
    }
    transports = {
        one.name: attribute.value.string_value
        for one in calls
        for attribute in one.attributes
        if attribute.key == "hansard.transport"
    }
    assert transports["create_record"] == transports["list_projects"] == "http"
    assert transports["get_project_overview"] == "api"
    writes = [one for one in spans if one.name == "store.write"]
    assert {named[one.parent_span_id] for one in writes} >= {"create_record"}
    assert receiver.service() == {"hansard"}
    assert POISON.encode() not in b"".join(receiver.bodies)


def test_a_server_on_pipes_is_traced_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with receiving() as receiver:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.address)
        with serving_stdio(tmp_path) as server:
            server.done("list_projects", {"traceparent": PARENT})
            assert server.end() == 0
        spans = receiver.spans()

    assert [one.name for one in spans if one.parent_span_id.hex() == CALLER] == ["list_projects"]


def test_a_server_whose_receiver_is_gone_works_and_ends(tmp_path: Path) -> None:
    with receiving() as receiver:
        address = receiver.address
    with serving(tmp_path, OTEL_EXPORTER_OTLP_ENDPOINT=address) as server:
        ask_each_way(server)
        server.process.terminate()

        assert server.process.wait(PATIENCE_S) == 0
