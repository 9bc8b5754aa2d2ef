"""Make the tables of shared surveys: links, and results that are public."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "hushpoll_0005"
down_revision = "hushpoll_0004"


def upgrade() -> None:
    """Make both tables."""
    op.create_table(
        "share_link",
        sa.Column("hash", sa.String(64), primary_key=True),
        sa.Column("survey", sa.String(64), sa.ForeignKey("survey.name"), nullable=False),
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("scope", sa.String(16), nullable=False),
        sa.Column("expires", sa.BigInteger, nullable=False),
        sa.Column("researcher", sa.String(32), sa.ForeignKey("researcher.id", ondelete="CASCADE"), nullable=False),
        sa.UniqueConstraint("survey", "name"),
    )
    op.create_index("ix_share_link_researcher", "share_link", ["researcher"])
    op.create_table(
        "public_results",
        sa.Column("survey", sa.String(64), sa.ForeignKey("survey.name"), primary_key=True),
        sa.Column("tag", sa.String(32), nullable=False),
        sa.Column("reports", sa.BigInteger, nullable=False),
        sa.Column("waiting_reports", sa.BigInteger, nullable=False),
        sa.Column("counts", sa.LargeBinary, nullable=False),
        sa.Column("waiting_counts", sa.LargeBinary, nullable=False),
    )
