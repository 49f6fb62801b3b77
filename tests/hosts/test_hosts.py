"""Real hosts, set up by `hansard init`, in a new home and against a scripted model on loopback."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.hosts import cast
from tests.hosts.alone import alone
from tests.hosts.cast import COLUMNS, Host
from tests.hosts.installing import installed
from tests.hosts.table import SEEN
from tests.hosts.trial import tried

pytestmark = pytest.mark.hosts


@pytest.mark.parametrize("host", cast.ALL, ids=lambda host: host.name)
def test_a_host_does_with_us_what_is_promised(
    host: Host, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    packages = installed(host.package)
    if packages is None:
        pytest.skip(f"{host.name} is not installed: make hosts")

    cells, said = alone(tried(host, packages, tmp_path))

    shown = {name: _shown(host, name, seen=cells[name]) for name in COLUMNS}
    record_property(SEEN, (host.name, shown))
    missing = [name for name in host.promises if not cells[name]]
    assert missing == [], said


def _shown(host: Host, name: str, *, seen: bool) -> str:
    if name in host.cannot and not seen:
        return "–"
    return "yes" if seen else "no"
