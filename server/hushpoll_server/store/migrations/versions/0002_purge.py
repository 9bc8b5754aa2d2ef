"""Make the table that tells what was purged."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "hushpoll_0002"
down_revision = "hushpoll_0001"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "purge",
        sa.Column("survey", sa.String(64), sa.ForeignKey("survey.name"), primary_key=True),
        sa.Column("reports", sa.BigInteger, nullable=False),
        sa.Column("ids", sa.BigInteger, nullable=False),
    )
