"""Make the table that counts refused reports by reason."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "hushpoll_0003"
down_revision = "hushpoll_0002"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "rejection",
        sa.Column("survey", sa.String(64), sa.ForeignKey("survey.name"), primary_key=True),
        sa.Column("reason", sa.String(64), primary_key=True),
        sa.Column("slot", sa.Integer, primary_key=True),
        sa.Column("count", sa.BigInteger, nullable=False),
        sqlite_with_rowid=False,
    )
