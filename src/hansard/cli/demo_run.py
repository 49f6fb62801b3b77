"""The graph of the example's nightly check, and one run over it."""

from typing import Any

GRAPH: dict[str, Any] = {
    "name": "Nightly check",
    "description": "Crawls the site, tries failures again, and writes the report.",
    "nodes": [
        {"id": name, "nodeId": kind, "position": {"x": x, "y": y}, "parameters": {}}
        for name, kind, x, y in (
            ("start", "schedule", 0, 0),
            ("crawl", "crawler", 1, 0),
            ("judge", "model", 2, 0),
            ("retry", "tool", 2, 1),
            ("report", "writer", 3, 0),
        )
    ],
    "edges": [
        {
            "sourceNodeId": source,
            "sourcePortId": "out",
            "targetNodeId": target,
            "targetPortId": "in",
        }
        for source, target in (
            ("start", "crawl"),
            ("crawl", "judge"),
            ("judge", "retry"),
            ("retry", "judge"),
            ("judge", "report"),
        )
    ],
}


def run_turns(edges: list[str]) -> list[tuple[int, dict[str, Any]]]:
    """Tell one run over the graph, whose edges have these ids, each turn after so many seconds."""
    crawled = {"pages": 600, "failed": ["docs.example.org/api"]}
    judged = {"verdict": "try again", "usage": {"input_tokens": 1840, "output_tokens": 96}}
    final = {"broken": 2, "usage": {"input_tokens": 2210, "output_tokens": 301}, "cost_usd": 0.0114}
    began = {"type": "nodeStarted", "nodeId": "crawl", "input": {"site": "docs"}}
    crawl = [
        {"type": "nodeCompleted", "nodeId": "crawl", "output": crawled},
        {"type": "edgeTaken", "edgeId": edges[1]},
        {"type": "nodeStarted", "nodeId": "judge", "input": crawled["failed"]},
    ]
    judge = [
        {"type": "nodeCompleted", "nodeId": "judge", "output": judged},
        {"type": "edgeTaken", "edgeId": edges[2]},
        {"type": "nodeStarted", "nodeId": "retry", "input": crawled["failed"]},
    ]
    retry = [
        {"type": "nodeFailed", "nodeId": "retry", "error": "docs.example.org: time-out"},
        {"type": "edgeTaken", "edgeId": edges[3]},
        {"type": "edgeTaken", "edgeId": edges[4]},
        {"type": "nodeStarted", "nodeId": "report", "input": {"failed": 1}},
    ]
    report = [{"type": "nodeCompleted", "nodeId": "report", "output": final}]
    return [
        (0, {"events": [began]}),
        (140, {"events": crawl}),
        (0, {"events": judge}),
        (75, {"events": retry}),
        (12, {"events": report, "status": "completed"}),
    ]
