"""Make the first tables: surveys, reports, counters, researchers."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

# A name that no other program uses.
revision = "hushpoll_0001"
down_revision = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "survey",
        sa.Column("name", sa.String(64), primary_key=True),
        sa.Column("manifest_id", sa.String(64), nullable=False),
        sa.Column("envelope", sa.LargeBinary, nullable=False),
        sa.Column("key", sa.String, nullable=False),
        sa.Column("closed", sa.Boolean, nullable=False),
    )
    op.create_table(
        "report",
        sa.Column("survey", sa.String(64), sa.ForeignKey("survey.name"), primary_key=True),
        sa.Column("id", sa.LargeBinary, primary_key=True),
        sa.Column("answers", sa.String, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "counter",
        sa.Column("survey", sa.String(64), sa.ForeignKey("survey.name"), primary_key=True),
        sa.Column("question", sa.String(64), primary_key=True),
        sa.Column("cell", sa.String(64), primary_key=True),
        sa.Column("count", sa.BigInteger, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "researcher",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("email", sa.String(254), nullable=False, unique=True),
    )
    for table, extra in (("sign_in_link", [sa.Column("expires", sa.BigInteger, nullable=False)]), ("api_token", [])):
        op.create_table(
            table,
            sa.Column("hash", sa.String(64), primary_key=True),
            sa.Column("researcher", sa.String(32), sa.ForeignKey("researcher.id", ondelete="CASCADE"), nullable=False),
            *extra,
        )
        op.create_index(f"ix_{table}_researcher", table, ["researcher"])
