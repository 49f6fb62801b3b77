"""The foreign clients are the ones we name, and can run."""

import json
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
NODE_MAJOR_MIN = 22
"""What the conformance suite asks for."""

pytestmark = pytest.mark.clients


def test_the_installed_clients_are_the_exact_versions_we_name() -> None:
    manifest = json.loads((HERE / "package.json").read_text())
    wanted = manifest["dependencies"] | manifest["optionalDependencies"]

    installed = {
        name: json.loads((HERE / "node_modules" / name / "package.json").read_text())["version"]
        for name in wanted
    }

    assert installed == wanted


def test_the_packaged_node_is_new_enough_for_the_conformance_suite() -> None:
    node = HERE / "node_modules" / ".bin" / "node"

    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout

    assert int(version.removeprefix("v").partition(".")[0]) >= NODE_MAJOR_MIN


def test_the_conformance_suite_starts() -> None:
    bin_folder = HERE / "node_modules" / ".bin"

    answer = subprocess.run(
        [bin_folder / "node", bin_folder / "conformance", "--version"],
        capture_output=True,
        text=True,
        check=True,
    )

    assert answer.stdout.strip() == "0.2.0-alpha.12"
