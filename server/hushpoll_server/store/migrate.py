"""Bring a database's schema up to date, or refuse one that this version does not know.

The law here: a step that was ever released is never edited; a change is a new step.
"""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, inspect, text

from hushpoll_shared.errors import HushpollError

# Any number that no other program uses: PostgreSQL lets one holder migrate at a time.
_LOCK = 0x68757368


class UnknownSchema(HushpollError):
    """Say that the database belongs to another version or another program."""


def migrate(engine: Engine) -> None:
    """Run the missing steps in one transaction; several processes may call it at once."""
    with engine.begin() as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
        config = _config(connection)
        if _is_behind(connection, ScriptDirectory.from_config(config)):
            command.upgrade(config, "head")


def _config(connection: Connection) -> Config:
    config = Config()
    # The configuration reads % as its own sign.
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    config.attributes["connection"] = connection
    return config


def _is_behind(connection: Connection, steps: ScriptDirectory) -> bool:
    current = MigrationContext.configure(connection).get_current_revision()
    if current is None and inspect(connection).get_table_names():
        raise UnknownSchema("the database holds tables of another program: give Hushpoll a database of its own")
    if current is not None and current not in {step.revision for step in steps.walk_revisions()}:
        raise UnknownSchema("the database was made by a newer Hushpoll: update Hushpoll, or use another database")
    return current != steps.get_current_head()
