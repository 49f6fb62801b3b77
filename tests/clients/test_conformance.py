"""The protocol's own conformance suite against our server object."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.clients.node import BIN, run_node
from tests.mcp.processes import ROOT, HttpServer

pytestmark = pytest.mark.clients

SCORED = {"2025-11-25": 30, "2026-07-28": 37}
"""How many server scenarios each revision requires; the suite has them frozen."""

RESULT = re.compile(r"^(✓|✗) ([\w/-]+): (\d+) passed, (\d+) failed", re.MULTILINE)
NOT_SCORED = re.compile(r"^  [✓✗] ([\w/-]+) \(", re.MULTILINE)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """Our server with the suite's fixtures on board."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.mcp.conformance_fixtures"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=ROOT,
    ) as process:
        assert process.stdout
        try:
            yield process.stdout.readline().strip()
        finally:
            process.kill()


@pytest.mark.parametrize("revision", SCORED)
def test_every_scored_scenario_passes(url: str, revision: str, tmp_path: Path) -> None:
    run = run_node(
        BIN / "conformance", "server", "--url", url, "--requirements", revision, cwd=tmp_path
    )

    results = {name: (int(passed), int(failed)) for _, name, passed, failed in found(run.stdout)}
    scored = results.keys() - set(NOT_SCORED.findall(run.stdout))
    checks = sum(results[name][0] for name in scored)
    sys.stdout.write(f"{revision}: {len(scored)} scored scenarios, {checks} checks passed\n")
    assert run.returncode == 0, run.stdout + run.stderr
    assert len(scored) == SCORED[revision]
    assert [name for name in scored if results[name][1]] == []


def found(output: str) -> list[tuple[str, str, str, str]]:
    """Take the summary apart."""
    return RESULT.findall(output)


def test_the_suite_can_fail(tmp_path: Path) -> None:
    with HttpServer({"store": "memory:"}) as without_fixtures:
        run = run_node(
            BIN / "conformance",
            "server",
            "--url",
            without_fixtures.url,
            "--requirements",
            "2025-11-25",
            cwd=tmp_path,
        )

    assert run.returncode != 0
