"""What only fault tests need: a database that may be harmed, and the table of figures that is printed at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from postgres_server import PostgresServer
from tests.faults.exactly_once import Figures, table
from tests.running.server_process import ServerProcess

FIGURES = pytest.StashKey[list[Figures]]()


def pytest_configure(config: pytest.Config) -> None:
    """Begin an empty table."""
    config.stash[FIGURES] = []


@pytest.fixture
def note(pytestconfig: pytest.Config) -> Callable[[Figures], None]:
    """Yield a function that adds a line to the table."""
    return pytestconfig.stash[FIGURES].append


@pytest.fixture
def durable_postgres() -> Iterator[PostgresServer]:
    """Run a PostgreSQL of its own, with fsync."""
    with PostgresServer(durable=True) as postgres:
        yield postgres


@pytest.fixture
def durable_node(tmp_path: Path, durable_postgres: PostgresServer) -> Iterator[ServerProcess]:
    """Yield a server on it."""
    with durable_postgres.database() as url:
        server = ServerProcess(tmp_path / "home", url, workers=2)
        yield server
        server.kill()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print the table. Tests that ran in other processes (`make test`) are not in it."""
    if lines := config.stash[FIGURES]:
        terminalreporter.section("figures of the fault tests")
        terminalreporter.write_line("\n".join(table(lines)))
