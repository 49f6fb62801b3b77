"""A PostgreSQL with a synchronous standby, on loopback, to be taken away while it is written to."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

from tests import postgres_server as single
from tests.object_store import free_ports
from tests.patience import PATIENCE_S


@dataclass
class Pair:
    """Two servers; whoever writes is told of both."""

    programs: Path
    folder: Path
    ports: tuple[int, int]
    environment: dict[str, str]
    processes: "list[subprocess.Popen[bytes]]"

    @property
    def url(self) -> str:
        """Name both, as a program in production would be told; the one that writes comes last."""
        return _url(self, 1, 0)

    @property
    def url_of_the_first_first(self) -> str:
        """Name both, the one that writes to begin with first."""
        return _url(self, 0, 1)

    def connect(self, number: int) -> "psycopg.Connection[tuple[Any, ...]]":
        """Give a connection of somebody else to one of them."""
        return psycopg.connect(_url(self, number), autocommit=True, application_name="admin")

    def lose_the_primary(self) -> None:
        """Take the first server away without a word, as a machine that fails does."""
        self.lose(0)

    def lose(self, number: int) -> None:
        """Take a server away without a word."""
        self.processes[number].send_signal(signal.SIGQUIT)
        self.processes[number].wait(PATIENCE_S)

    @contextmanager
    def hanging(self, number: int) -> Iterator[None]:
        """Have a server stand still with all its processes, while the kernel keeps its sockets."""
        first = self.processes[number].pid
        os.kill(first, signal.SIGSTOP)  # so that it starts no more of them
        children = Path(f"/proc/{first}/task/{first}/children").read_text().split()
        processes = [first, *map(int, children)]
        for process in processes:
            os.kill(process, signal.SIGSTOP)
        try:
            yield
        finally:
            for process in reversed(processes):
                os.kill(process, signal.SIGCONT)

    @contextmanager
    def returning(self, number: int, *options: str) -> Iterator[None]:
        """Have a server that was lost run again, as if nothing had been."""
        with _running(self, number, options):
            _wait(self, number, "SELECT true")
            yield

    def promote(self, number: int = 1) -> None:
        """Make the standby the primary."""
        self._run("pg_ctl", "promote", "-w", "-t", str(int(PATIENCE_S)), "-D", self.data(number))

    def make_standby(self, number: int) -> None:
        """Have a server that was lost return as a standby, which follows nobody."""
        signal_file = self.data(number) / "standby.signal"
        signal_file.touch()
        shutil.chown(signal_file, self.data(number).owner())

    def data(self, number: int) -> Path:
        """Say where the data of a server lie."""
        return self.folder / ("data" if number == 0 else "standby")

    def _run(self, program: str, *arguments: str | Path) -> None:
        command = [*single.unprivileged(self.programs / program), *arguments]
        subprocess.run(command, env=self.environment, check=True, capture_output=True)

    def copy(self) -> None:
        """Make the standby from the primary."""
        where = ["-h", "127.0.0.1", "-p", str(self.ports[0]), "-U", "postgres"]
        self._run("pg_basebackup", *where, "-D", self.data(1), "-R", "-X", "stream", "-c", "fast")


@contextmanager
def postgres_pair() -> Iterator[Pair]:
    """Run both servers in a temporary folder, the second as the first's synchronous standby."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="hansard-pair-")))
        single.give_away(folder)
        programs = single.make_cluster(folder, dict(os.environ))
        first, second = free_ports(2)
        pair = Pair(programs, folder, (first, second), dict(os.environ), [])
        with (folder / "data" / "pg_hba.conf").open("a") as rules:
            rules.write("host replication postgres 127.0.0.1/32 trust\n")
        stack.enter_context(_running(pair, 0, ()))
        _wait(pair, 0, "SELECT true")
        pair.copy()
        # Once it is the primary it has no standby of its own, and waits for none.
        stack.enter_context(_running(pair, 1, ("-csynchronous_standby_names=",)))
        with psycopg.connect(_url(pair, 0), autocommit=True) as connection:
            connection.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
            connection.execute("SELECT pg_reload_conf()")
        _wait(pair, 0, "SELECT bool_or(sync_state = 'sync') FROM pg_stat_replication")
        yield pair
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _running(pair: Pair, number: int, options: tuple[str, ...]) -> Iterator[None]:
    command = [*single.unprivileged(pair.programs / "postgres", dies_with_us=True)]
    where: list[str | Path] = [
        "-D",
        pair.data(number),
        f"-cport={pair.ports[number]}",
        f"-k{pair.folder}",
    ]
    log = (pair.folder / f"log-{number}").open("wb")
    with log:
        process = subprocess.Popen(
            [*command, *where, "-clisten_addresses=127.0.0.1", *single.CARELESS, *options],
            env=pair.environment,
            stdout=log,
            stderr=log,
        )
    pair.processes[number:] = [process, *pair.processes[number + 1 :]]
    try:
        yield
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGQUIT)
        process.wait(PATIENCE_S)


def _url(pair: Pair, *numbers: int) -> str:
    hosts = ",".join(f"127.0.0.1:{pair.ports[number]}" for number in numbers)
    return f"postgresql://postgres@{hosts}/postgres"


def _wait(pair: Pair, number: int, question: str) -> None:
    """Wait until a server answers yes."""
    deadline, log = time.monotonic() + PATIENCE_S, pair.folder / f"log-{number}"
    while time.monotonic() < deadline:
        assert pair.processes[number].poll() is None, log.read_text()[-2_000:]
        try:
            with psycopg.connect(_url(pair, number), autocommit=True) as connection:
                if connection.execute(question.encode()).fetchall() == [(True,)]:
                    return
        except psycopg.OperationalError:
            pass  # not yet
        time.sleep(0.05)
    raise AssertionError(log.read_text()[-2_000:])
