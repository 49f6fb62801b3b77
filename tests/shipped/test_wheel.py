"""The wheel and the source archive run where nothing of the checkout is."""

import json
import re
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import hansard
from hansard.app.published import CONTRACT_PATH
from tests.http import serving
from tests.shipped.building import ROOT, UV, build, did

CORE = ["tests/records/test_records_over_stdio.py", "tests/http/test_page_login.py"]
"""It starts, lists its tools, writes and refuses over MCP; and serves the page's side of it."""

pytestmark = pytest.mark.slow("builds the package and installs it with its dependencies")


def test_the_core_of_the_tests_passes_against_the_wheel(program: Path, tmp_path: Path) -> None:
    pytest_run = [sys.executable, "-m", "pytest", "-q", "-o", f"cache_dir={tmp_path}"]

    said = did([*pytest_run, "-m", "not postgres", *CORE], HANSARD_TEST_PROGRAM=str(program))

    assert re.search(r"\d+ passed", said)
    assert "failed" not in said


def test_the_page_and_all_that_it_loads_is_in_the_wheel(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving, "PROGRAM", program)

    with serving.serving(tmp_path) as server:
        cookie = serving.let_in(server).cookie
        page = server.request("GET", "/", cookie=cookie)
        parts = re.findall(r'(?:src|href)="(/?[^":]+\.(?:js|css|svg))"', page.body.decode())
        answers = [server.request("GET", f"/{part.lstrip('/')}", cookie=cookie) for part in parts]

    assert page.status == 200
    assert parts
    assert [answer.status for answer in answers] == [200] * len(parts)


def test_what_was_written_verifies_and_the_contract_is_inside(
    program: Path, tmp_path: Path
) -> None:
    store = f"--store={tmp_path / 'store'}"
    written = ["--title", "A question", "--body", "What now?", "--project", "p"]

    did([program, "records", "new", *written, store], cwd=tmp_path)
    did([program, "verify", store], cwd=tmp_path)
    contract = json.loads(did([program, "export-schema"], cwd=tmp_path))

    assert contract["hash"] == json.loads((ROOT / CONTRACT_PATH).read_text())["hash"]


def test_all_that_the_package_asks_for_is_locked(program: Path) -> None:
    did([UV, "pip", "check", "--python", program.with_name("python")])


def test_uv_runs_the_wheel_with_nothing_installed_before(wheel: Path, tmp_path: Path) -> None:
    said = did([UV, "tool", "run", "--from", wheel, "hansard", "--version"], cwd=tmp_path)

    assert said.splitlines()[-1] == f"hansard {hansard.__version__}"


def test_the_source_archive_gives_the_same_wheel(built: tuple[Path, Path], tmp_path: Path) -> None:
    wheel, archive = built
    with tarfile.open(archive) as packed:
        packed.extractall(tmp_path, filter="data")
    source = tmp_path / archive.name.removesuffix(".tar.gz")

    (again,) = build(tmp_path / "dist", source)

    assert _contents(again) == _contents(wheel)
    assert (source / "Makefile").read_text() == (ROOT / "Makefile").read_text()


def _contents(wheel: Path) -> dict[str, int]:
    with zipfile.ZipFile(wheel) as packed:
        return {one.filename: one.CRC for one in packed.infolist()}
