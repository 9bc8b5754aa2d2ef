"""Bring a database's schema up to date, or refuse one that this version does not know.

The rule here: a released step is never edited; a change is a new step.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, inspect, text

from hushpoll_shared.errors import HushpollError

# An arbitrary number that no other program uses: only the holder of this lock migrates a PostgreSQL database.
_LOCK = 0x68757368


class UnknownSchema(HushpollError):
    """A database that belongs to another version or another program."""


@dataclass(frozen=True)
class Step:
    """One change of the schema."""

    revision: str
    summary: str


def migrate(engine: Engine) -> list[Step]:
    """Run the missing steps in one transaction and return them; several processes may call this at once."""
    with engine.begin() as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
        missing = steps_after(revision_of(connection))
        if missing:
            config = _config()
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
        return missing


def revision_of(connection: Connection) -> str | None:
    """Return the schema's revision, None for an empty database; refuse a schema that this version does not know."""
    current = MigrationContext.configure(connection).get_current_revision()
    if current is None and inspect(connection).get_table_names():
        raise UnknownSchema("the database holds tables of another program: give Hushpoll a database of its own")
    if current is not None and current not in {step.revision for step in _steps().walk_revisions()}:
        raise UnknownSchema("the database was made by a newer Hushpoll: update Hushpoll, or use another database")
    return current


def steps_after(revision: str | None) -> list[Step]:
    """Return the steps from a revision to the newest, in their order."""
    missing = [step for step in _steps().iterate_revisions("head", revision or "base") if step.revision != revision]
    return [Step(step.revision, step.doc) for step in reversed(missing)]


def head() -> str:
    """Return the newest revision that this version knows."""
    newest = _steps().get_current_head()
    assert newest is not None
    return newest


def _steps() -> ScriptDirectory:
    return ScriptDirectory.from_config(_config())


def _config() -> Config:
    config = Config()
    # % is a special character in the configuration.
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    return config
