"""The databases of `deploy/compose.yaml`: made, copied and lost by the commands that stand there.

What the image of PostgreSQL does with them is done here by the same steps, with whatever
PostgreSQL there is: containers are no part of the tests.
"""

import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import psycopg
import pytest
import yaml  # type: ignore[import-untyped]

from hansard.app.settings import Settings
from hansard.app.start import start
from tests import postgres_server as single
from tests.object_store import free_ports
from tests.patience import PATIENCE_S, wait_until
from tests.records.chats import Chat

pytestmark = [pytest.mark.postgres, pytest.mark.slow("runs two database servers, one is lost")]

DEPLOY = Path(__file__).parents[2] / "deploy"
TEXT = (DEPLOY / "compose.yaml").read_text()
SERVICES: dict[str, Any] = yaml.safe_load(TEXT)["services"]
DATA = "/var/lib/postgresql/data"
PASSWORD = "not-a-secret-of-anybody"


class Databases:
    """Both services, each in a folder instead of a container, on a port instead of a name."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self._folder, self._stack = folder, stack
        self._ports = dict(zip(("db1", "db2"), free_ports(2), strict=True))
        self._programs = single.make_cluster(folder, dict(os.environ))
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    @property
    def url(self) -> str:
        """Give what the servers are given, where the names lead to loopback."""
        [given] = self._filled({"": SERVICES["hansard1"]["environment"]["HANSARD_STORE"]}).values()
        hosts = [f"127.0.0.1:{port}" for port in self._ports.values()]
        return given.replace("@db1,db2/", f"@{','.join(hosts)}/")

    def make_primary(self) -> None:
        """Do what the image does with an empty volume, then with one that is filled."""
        service, data = SERVICES["db1"], self._folder / "db1"
        command = [*service["command"], "-D", str(data), *self._where("db1")]
        given = self._filled(service["environment"]) | {"PGDATA": str(data)}
        self._make_cluster(data, given["POSTGRES_USER"])
        self._start("db1", [*command, "-c", "listen_addresses="], given)
        wait_until(lambda: self._answers("db1", ["pg_isready"]), "db1 was never made")
        statement = f'CREATE DATABASE "{given["POSTGRES_DB"]}"'
        asked = ["psql", "-U", given["POSTGRES_USER"], "-d", "postgres", "-c", statement]
        self._do("db1", asked, given)
        script = shutil.copy(DEPLOY / "replication.sh", self._folder / "replication.sh")
        self._do("db1", ["bash", str(script)], given)
        self._end("db1", signal.SIGINT)
        self._start("db1", command, given)
        wait_until(lambda: self.is_healthy("db1"), "db1 never became healthy")

    def make_standby(self) -> None:
        """Run what the second service runs, which copies the first."""
        service, data = SERVICES["db2"], self._folder / "db2"
        data.mkdir()
        single.give_away(data)
        [script] = service["command"]
        script = script.replace("-h db1", f"-h 127.0.0.1 -p {self._ports['db1']}")
        script = f"{script.replace(DATA, str(data)).rstrip()} {shlex.join(self._where('db2'))}"
        given = self._filled(service["environment"])
        self._start("db2", [*service["entrypoint"], script], given)
        wait_until(lambda: self.is_healthy("db2"), "db2 never became healthy")

    def is_healthy(self, name: str) -> bool:
        """Ask as the service's health check does."""
        return self._answers(name, SERVICES[name]["healthcheck"]["test"][1:])

    def lose_the_primary(self) -> None:
        """Take it away without a word."""
        self._end("db1", signal.SIGQUIT)

    def promote_the_standby(self) -> None:
        """Do what the file says is to be done then."""
        [told] = re.findall(r"exec db2 (pg_ctl promote[^`]*)`", TEXT)
        self._do("db2", shlex.split(told.replace(DATA, str(self._folder / "db2"))), {})

    def ask(self, name: str, question: str) -> list[tuple[Any, ...]]:
        """Ask one of the servers."""
        place = f"postgresql://hansard:{PASSWORD}@127.0.0.1:{self._ports[name]}/hansard"
        with psycopg.connect(place, autocommit=True) as connection:
            return connection.execute(question.encode()).fetchall()

    def _make_cluster(self, data: Path, user: str) -> None:
        secret = self._folder / "password"
        secret.write_text(PASSWORD)
        how = ["-A", "scram-sha-256", "--auth-local=trust", "--no-sync", "-E", "UTF8"]
        who = ["-U", user, f"--pwfile={secret}"]
        self._do("db1", ["initdb", "-D", str(data), "--locale=C.UTF-8", *how, *who], {})
        with (data / "pg_hba.conf").open("a") as rules:
            rules.write("\nhost all all all scram-sha-256\n")

    def _filled(self, environment: dict[str, str]) -> dict[str, str]:
        return {name: one.replace("${DB_PASSWORD}", PASSWORD) for name, one in environment.items()}

    def _where(self, name: str) -> list[str]:
        return ["-c", f"port={self._ports[name]}", "-k", str(self._folder)]

    def _inside(self, name: str, given: dict[str, str]) -> dict[str, str]:
        """Give what a container would have, and how its server is reached from inside."""
        where = {"PGHOST": str(self._folder), "PGPORT": str(self._ports[name])}
        return {"PATH": f"{self._programs}:{os.environ['PATH']}"} | where | given

    def _command(self, command: list[str]) -> list[str | Path]:
        program = shutil.which(command[0], path=f"{self._programs}:{os.environ['PATH']}")
        assert program, f"there is no {command[0]}"
        return [*single.unprivileged(Path(program), dies_with_us=True), *command[1:]]

    def _done(
        self, name: str, command: list[str], given: dict[str, str]
    ) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            self._command(command),
            env=self._inside(name, given),
            cwd=self._folder,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )

    def _do(self, name: str, command: list[str], given: dict[str, str]) -> None:
        done = self._done(name, command, given)
        assert done.returncode == 0, f"{command}: {done.stderr}"

    def _answers(self, name: str, test: list[str]) -> bool:
        log = self._folder / f"log-{name}"
        assert self._running[name].poll() is None, log.read_text()
        return self._done(name, test, {}).returncode == 0

    def _start(self, name: str, command: list[str], given: dict[str, str]) -> None:
        inside = self._inside(name, given)
        with (self._folder / f"log-{name}").open("wb") as log:
            self._running[name] = subprocess.Popen(
                self._command(command), env=inside, cwd=self._folder, stdout=log, stderr=log
            )
        self._stack.callback(self._end, name, signal.SIGQUIT)

    def _end(self, name: str, how: signal.Signals) -> None:
        self._running[name].send_signal(how)
        self._running[name].wait(PATIENCE_S)


@pytest.fixture
def databases() -> Iterator[Databases]:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="hansard-compose-")))
        single.give_away(folder)
        yield Databases(folder, stack)


def test_they_start_and_the_standby_takes_over_what_was_acknowledged(
    databases: Databases, tmp_path: Path
) -> None:
    databases.make_primary()
    databases.make_standby()
    standing = databases.ask("db1", "SELECT application_name, sync_state FROM pg_stat_replication")
    settings = Settings(store=databases.url, workspace=str(tmp_path), embedder="none")
    with closing(start(settings)) as application:
        Chat(application).create("Acknowledged by both")
    databases.lose_the_primary()
    databases.promote_the_standby()
    with closing(start(settings)) as application:
        chat = Chat(application)
        chat.create("Acknowledged by the one that is left")
        records = chat.ask("list_records")["records"]

    assert standing == [("db2", "sync")]
    assert {one["title"] for one in records} == {
        "Acknowledged by both",
        "Acknowledged by the one that is left",
    }


def test_a_primary_that_was_lost_does_not_come_back_by_itself() -> None:
    assert SERVICES["db1"]["restart"] == "no"


def test_a_server_starts_once_somebody_can_acknowledge_what_it_writes() -> None:
    for name in ("hansard1", "hansard2"):
        needed = SERVICES[name]["depends_on"]
        assert needed["db1"]["condition"] == needed["db2"]["condition"] == "service_healthy"
