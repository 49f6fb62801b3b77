"""Real hosts, in a new home and against a scripted model on loopback."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.hosts import cast, shelf
from tests.hosts.alone import alone
from tests.hosts.cast import COLUMNS, Host
from tests.hosts.installing import installed
from tests.hosts.shelf import Shelf
from tests.hosts.table import SEEN
from tests.hosts.trial import tried

CHOSEN = os.environ.get("HANSARD_TEST_HOSTS", "").split()
"""The hosts to try, where not all."""

Note = Callable[[str, object], None]

pytestmark = pytest.mark.hosts


@pytest.mark.parametrize("host", cast.ALL, ids=lambda host: host.name)
def test_a_host_that_init_connected_does_what_is_promised(
    host: Host, tmp_path: Path, record_property: Note
) -> None:
    require_promises(host, tmp_path, record_property)


@pytest.fixture(scope="session")
def the_shelf(tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    return shelf.fill(tmp_path_factory.mktemp("shelf"))


@pytest.mark.parametrize("host", cast.BY_PLUGIN, ids=lambda host: host.name)
def test_a_host_that_has_our_plugin_does_what_is_promised(
    host: Host, tmp_path: Path, record_property: Note, the_shelf: Shelf
) -> None:
    the_shelf.furnish(tmp_path / "home")

    require_promises(host, tmp_path, record_property, PATH=the_shelf.path)


def require_promises(host: Host, folder: Path, note: Note, **around: str) -> None:
    if CHOSEN and host.package not in CHOSEN:
        pytest.skip(f"{host.package} is not among the hosts that were named")
    packages = installed(host.package)
    if packages is None:
        pytest.skip(f"{host.package} is not installed: make hosts")

    cells, said = alone(tried(host, packages, folder, **around))

    shown = {name: _shown(host, name, seen=cells[name]) for name in COLUMNS}
    note(SEEN, (host.name, shown))
    missing = [name for name in host.promises if not cells[name]]
    assert missing == [], said


def _shown(host: Host, name: str, *, seen: bool) -> str:
    if name == "brief" and host.briefed_after and seen:
        return "later"
    return "yes" if seen else "no"
