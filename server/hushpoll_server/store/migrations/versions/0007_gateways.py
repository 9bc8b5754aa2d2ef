"""Make the tables of gateways, of surveys that are answered from a disk, and of bursts of reports.

Surveys that were published before this step took reports from files, and people may have kept such files: they go on.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "hushpoll_0007"
down_revision = "hushpoll_0006"


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "gateway",
        sa.Column("name", sa.String(64), primary_key=True),
        sa.Column("hash", sa.String(64), nullable=False, unique=True),
    )
    op.create_table(
        "disk_form",
        sa.Column("survey", sa.String(64), sa.ForeignKey("survey.name"), primary_key=True),
    )
    op.create_table(
        "burst",
        sa.Column("survey", sa.String(64), sa.ForeignKey("survey.name"), primary_key=True),
        sa.Column("slot", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("count", sa.BigInteger, nullable=False),
        sqlite_with_rowid=False,
    )
    op.execute("INSERT INTO disk_form (survey) SELECT name FROM survey")
