"""What is shipped beside the package is accepted by those who will read it."""

import json
import os
import re
from pathlib import Path

import jsonschema
import pytest

import hansard
from tests.hosts.driving import runtime
from tests.hosts.installing import installed
from tests.shipped.building import ROOT, UV, did

FOLDERS = sorted(path.parents[1].name for path in ROOT.glob("plugins/*/.claude-plugin/plugin.json"))
SKILLSAW = "skillsaw==0.22.0"

pytestmark = pytest.mark.release


def host(name: str, program: str) -> Path:
    """Find a host's program, or skip."""
    packages = installed(name)
    if packages is None:
        pytest.skip(f"{name} is not installed: make release-check")
    return packages / program


@pytest.fixture
def claude() -> Path:
    return host("claude-code", "@anthropic-ai/claude-code-linux-x64/claude")


@pytest.mark.parametrize("name", FOLDERS)
def test_claude_code_finds_nothing_wrong_with_a_plugin(
    name: str, claude: Path, tmp_path: Path
) -> None:
    said = did([claude, "plugin", "validate", ROOT / "plugins" / name], HOME=str(tmp_path))

    assert "Validation passed" in said


def test_claude_code_installs_from_this_folder(claude: Path, tmp_path: Path) -> None:
    home = str(tmp_path)

    did([claude, "plugin", "marketplace", "add", ROOT], HOME=home)
    did([claude, "plugin", "install", "hansard@hansard"], HOME=home)
    said = did([claude, "plugin", "details", "hansard"], HOME=home)

    assert re.search(r"MCP servers \(1\)\s+hansard", said)
    assert re.search(r"Skills \(1\)\s+hansard", said)
    assert "SessionEnd" in said


def test_codex_installs_from_this_folder(tmp_path: Path) -> None:
    codex = host("codex", "@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex")
    home = str(tmp_path)

    did([codex, "plugin", "marketplace", "add", ROOT], HOME=home)
    did([codex, "plugin", "add", "hansard@hansard"], HOME=home)

    (plugin,) = tmp_path.glob(f".codex/plugins/cache/*/*/{hansard.__version__}")
    assert (plugin / "hooks/hooks.json").read_bytes() == (
        ROOT / "plugins/codex/hooks/hooks.json"
    ).read_bytes()


def test_copilot_installs_from_this_folder(tmp_path: Path) -> None:
    copilot = host("copilot", "@github/copilot-linux-x64/copilot")
    home = str(tmp_path)

    did([copilot, "plugin", "marketplace", "add", ROOT], HOME=home, COPILOT_OFFLINE="true")
    said = did([copilot, "plugin", "install", "hansard@hansard"], HOME=home, COPILOT_OFFLINE="true")

    assert "plugins/copilot-cli" in said


def test_gemini_finds_nothing_wrong_with_the_extension(tmp_path: Path) -> None:
    gemini = host("gemini", "@google/gemini-cli/bundle/gemini.js")
    asked: list[str | Path] = [
        runtime(),
        gemini,
        "extensions",
        "validate",
        ROOT / "plugins" / "gemini-cli",
    ]

    said = did(asked, HOME=str(tmp_path))

    assert "successfully validated" in said


@pytest.mark.parametrize("name", FOLDERS)
def test_the_linter_of_plugins_and_skills_finds_nothing(name: str) -> None:
    lint: list[str | Path] = [
        UV,
        "tool",
        "run",
        "--from",
        SKILLSAW,
        "skillsaw",
        "lint",
        ROOT / "plugins" / name,
    ]

    said = did(lint)

    assert re.search(r"Errors:\s+0", said), said
    assert re.search(r"Warnings:\s+0", said), said


def test_the_bundle_is_packed_and_read_back(tmp_path: Path) -> None:
    mcpb = [runtime(), host("mcpb", ".bin/mcpb")]
    packed = tmp_path / "hansard.mcpb"

    did([*mcpb, "validate", ROOT / "plugins/mcpb/manifest.json"])
    did([*mcpb, "pack", ROOT / "plugins/mcpb", packed])
    did([*mcpb, "unpack", packed, tmp_path / "unpacked"])

    names = sorted(path.name for path in (tmp_path / "unpacked").iterdir())
    assert names == ["manifest.json", "pyproject.toml", "server.py"]


def test_the_registrys_entry_is_as_its_schema_says() -> None:
    entry = json.loads((ROOT / "plugins/registry/server.json").read_text())
    kept = os.environ.get("HANSARD_REGISTRY_SCHEMA")
    if kept is None:
        pytest.skip("HANSARD_REGISTRY_SCHEMA names no copy of the registry's schema")
    schema = json.loads(Path(kept).read_text())

    jsonschema.validate(entry, schema)


def test_the_container_is_made_of_what_is_here() -> None:
    lines = (ROOT / "Containerfile").read_text().splitlines()
    copied = [
        line.split()[1:-1] for line in lines if line.startswith("COPY") and "--from" not in line
    ]

    assert copied
    assert all((ROOT / name).exists() for names in copied for name in names)
