"""What `deploy/` says can be run: its settings exist, start lines start, probes are answered."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from hansard.app import settings
from hansard.app.settings import declarations
from tests.http.serving import environment, make_token, serving
from tests.launcher.programs import PROGRAM, run

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
KUBERNETES: list[dict[str, Any]] = [*yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text())]
UNIT = (DEPLOY / "hansard@.service").read_text()
HOST = "hansard.example.org"


def manifest(kind: str) -> list[dict[str, Any]]:
    return [one for one in KUBERNETES if one["kind"] == kind]


def pod() -> dict[str, Any]:
    [deployment] = manifest("Deployment")
    [container] = deployment["spec"]["template"]["spec"]["containers"]
    found: dict[str, Any] = container
    return found


def variables() -> Iterator[tuple[str, str]]:
    """List the variables that servers are given, and where."""
    for name in ("hansard1", "hansard2"):
        yield from (("compose", one) for one in COMPOSE["services"][name]["environment"])
    yield from (("secret", one) for one in manifest("Secret")[0]["stringData"])
    yield from (("config map", one) for one in manifest("ConfigMap")[0]["data"])
    for line in re.findall(r"^Environment=(.*)$", UNIT, re.MULTILINE):
        yield from (("unit", one.partition("=")[0]) for one in shlex.split(line))
    container = (ROOT / "Containerfile").read_text()
    for line in re.findall(r"^ENV (.*)$", container, re.MULTILINE):
        yield from (("container", one.partition("=")[0]) for one in shlex.split(line))


def start_lines() -> dict[str, list[str]]:
    """List how servers are started, without the program and the port."""
    compose = [
        one.replace("${HANSARD_HOST}", HOST) for one in COMPOSE["services"]["hansard1"]["command"]
    ]
    [started] = re.findall(r"^ExecStart=(.*)$", UNIT, re.MULTILINE)
    of_unit = shlex.split(started.replace("--port %i", ""))[1:]
    return {"compose": compose, "kubernetes": pod()["args"], "unit": of_unit}


def test_every_setting_that_is_given_exists() -> None:
    secrets = {
        getattr(settings, name) for name in dir(settings) if name.endswith("_VARIABLE")
    } | set(settings.SECRET_VARIABLES)
    known = {one.variable for one in declarations()} | secrets
    given = {(where, name) for where, name in variables() if name.startswith(settings.PREFIX)}

    assert len({where for where, _ in given}) == 5
    assert not [one for one in sorted(given) if one[1] not in known]


def test_what_is_to_be_filled_in_is_what_is_asked_for() -> None:
    asked = set(re.findall(r"\$\{(\w+)", (DEPLOY / "compose.yaml").read_text()))
    offered = set(re.findall(r"^(\w+)=", (DEPLOY / "example.env").read_text(), re.MULTILINE))

    assert asked == offered


def test_what_is_mounted_is_there() -> None:
    for service in COMPOSE["services"].values():
        for one in service.get("volumes", ()):
            source = one.partition(":")[0]
            there = (DEPLOY / source).is_file() if "/" in source else source in COMPOSE["volumes"]
            assert there, source


@pytest.mark.parametrize("name", ["compose", "kubernetes", "unit"])
def test_the_start_line_starts_and_its_probes_are_answered(name: str, tmp_path: Path) -> None:
    make_token(tmp_path, "agent", name="first")
    _, *flags = start_lines()[name]
    # What the config map says, as far as it decides who is let in.
    with serving(tmp_path, *flags, HANSARD_ALLOWED_HOSTS=HOST) as server:
        for path, headers in probes():
            assert server.request("GET", path, None, **headers).status == 200


def probes() -> list[tuple[str, dict[str, str]]]:
    """List what is asked of a server to know how it is; the name it is asked by counts."""
    found = [pod()[f"{kind}Probe"]["httpGet"] for kind in ("startup", "readiness", "liveness")]
    hosts = [{one["name"]: one["value"] for one in got["httpHeaders"]}["Host"] for got in found]
    asked = [(got["path"], {"host": host}) for got, host in zip(found, hosts, strict=True)]
    caddy = (DEPLOY / "Caddyfile").read_text()
    [path], [host] = re.findall(r"health_uri (\S+)", caddy), re.findall(r"Host (\S+)", caddy)
    asked.append((path, {"host": host.replace("{$HANSARD_HOST}", HOST)}))
    test = " ".join(COMPOSE["services"]["hansard1"]["healthcheck"]["test"])
    [own] = re.findall(r"http://([^/]+)(/\w+)", test)
    return [*asked, (own[1], {"host": own[0]})]


def test_a_probe_by_any_other_name_is_refused(tmp_path: Path) -> None:
    """So that the names above are no ornament."""
    make_token(tmp_path, "agent", name="first")
    with serving(tmp_path, *start_lines()["compose"][1:]) as server:
        assert server.request("GET", "/readyz", host="10.0.0.7:8377").status == 421


def test_the_token_comes_first(tmp_path: Path) -> None:
    _, *flags = start_lines()["compose"]
    refused = run(
        [PROGRAM, "serve", "--port", "0", *flags],
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        check=False,
    )
    told = (DEPLOY / "compose.yaml").read_text()

    assert refused.returncode == 2
    assert "hansard token create" in refused.stderr
    assert told.index("token create") < told.index("compose.yaml up")


def test_workers_are_replaced_by_a_reload() -> None:
    [reloaded] = re.findall(r"^ExecReload=(.*)$", UNIT, re.MULTILINE)

    assert "--workers" in start_lines()["unit"]
    assert reloaded.split() == ["/bin/kill", "-HUP", "$MAINPID"]
