"""Store the public groups of a report with it, and count the reports of each combination of groups separately."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "hushpoll_0002"
down_revision = "hushpoll_0001"

_KEY = ["survey", "question", "groups", "name", "shard"]


def upgrade() -> None:
    """Add a column to both tables; in that of the counters it belongs to the key."""
    op.add_column("report", _groups())
    if op.get_bind().dialect.name == "postgresql":
        op.add_column("counter", _groups())
        op.drop_constraint("counter_pkey", "counter", type_="primary")
        op.create_primary_key("counter_pkey", "counter", _KEY)
    else:
        _make_counters_again()


def _groups(*, is_key: bool = False) -> sa.Column[str]:
    return sa.Column("groups", sa.String(8), nullable=False, server_default=sa.text("''"), primary_key=is_key)


def _make_counters_again() -> None:
    # SQLite cannot change the key of a table.
    op.rename_table("counter", "counter_before")
    op.create_table(
        "counter",
        sa.Column("survey", sa.String(64), sa.ForeignKey("survey.name"), primary_key=True),
        sa.Column("question", sa.String(129), primary_key=True),
        _groups(is_key=True),
        sa.Column("name", sa.String(64), primary_key=True),
        sa.Column("shard", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("count", sa.BigInteger, nullable=False),
        sqlite_with_rowid=False,
    )
    columns = "survey, question, name, shard, count"
    op.execute(f"INSERT INTO counter ({columns}) SELECT {columns} FROM counter_before")  # noqa: S608 (our names)
    op.drop_table("counter_before")
