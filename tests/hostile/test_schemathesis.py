"""Schemathesis over the OpenAPI document, at a real server with all its checks but one."""

import subprocess
import sys
from pathlib import Path

import pytest

from hansard.app.start import catalog
from hansard.app.verify import verify
from tests.depth import deep
from tests.hostile.serving import opened
from tests.http.serving import make_token, serving

EXAMPLES = deep(3, 100)
SEED = 20261115
UNLIMITED = [
    *("--rate-per-minute", "0"),
    *("--quota-mib-per-day", "0"),
    *("--writes-per-day", "0"),
    *("--session-max-entries", "0"),
]

NOT_CHECKED = "positive_data_acceptance"
"""That whatever fits the schema is done: lengths are in the refusals, since each one in the schema
is read by every model that is shown the tools, and whether an id exists no schema can say."""


@pytest.mark.slow("makes some 4,500 requests, and more with HANSARD_FAULTS=all")
@pytest.mark.timeout(3_600)
def test_every_answer_to_a_made_up_request_is_as_described(tmp_path: Path) -> None:
    text, _ = make_token(tmp_path, "admin", name="made-up")
    with serving(tmp_path, *UNLIMITED) as server:
        ran = subprocess.run(
            [
                Path(sys.executable).with_name("schemathesis"),
                *("run", f"{server.base}/api/v1/openapi.json"),
                *("--header", f"Authorization: Bearer {text}"),
                *("--phases", "coverage,fuzzing"),
                *("--checks", "all", "--exclude-checks", NOT_CHECKED),
                *("--max-examples", str(EXAMPLES), "--seed", str(SEED)),
                *("--continue-on-failure", "--warnings", "off", "--no-color"),
            ],
            # It keeps what it found in the folder it is run in.
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )

    assert ran.returncode == 0, ran.stdout[-10_000:] + ran.stderr[-2_000:]
    assert f"Tested: {len([*catalog()])}\n" in ran.stdout
    with opened(tmp_path / "store") as app:
        assert verify(app.store).findings == ()
