"""Make the first tables: surveys, reports, counters, researchers, gateways."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

# A name that no other program uses.
revision = "hushpoll_0001"
down_revision = None


def upgrade() -> None:
    """Make the tables."""
    _make_surveys()
    _make_reports()
    _make_counts()
    _make_accounts()


def _make_surveys() -> None:
    op.create_table(
        "survey",
        sa.Column("name", sa.String(64), primary_key=True),
        sa.Column("manifest_id", sa.String(64), nullable=False),
        sa.Column("envelope", sa.LargeBinary, nullable=False),
        sa.Column("key", sa.String, nullable=False),
        sa.Column("from_disk", sa.Boolean, nullable=False),
        sa.Column("closed", sa.Boolean, nullable=False),
    )
    op.create_table(
        "cross_table",
        _survey(),
        sa.Column("first", sa.String(64), primary_key=True),
        sa.Column("second", sa.String(64), primary_key=True),
    )


def _make_reports() -> None:
    op.create_table(
        "report",
        _survey(),
        sa.Column("id", sa.LargeBinary, primary_key=True),
        sa.Column("draws", sa.String, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "purge",
        _survey(),
        sa.Column("reports", sa.BigInteger, nullable=False),
        sa.Column("ids", sa.BigInteger, nullable=False),
    )


def _make_counts() -> None:
    # Two ids of 64 letters and what stands between them.
    counter = (
        sa.Column("question", sa.String(129), primary_key=True),
        sa.Column("name", sa.String(64), primary_key=True),
    )
    counted = {"counter": counter, "rejection": (sa.Column("reason", sa.String(64), primary_key=True),), "burst": ()}
    for table, columns in counted.items():
        op.create_table(
            table,
            _survey(),
            *columns,
            sa.Column("shard", sa.Integer, primary_key=True, autoincrement=False),
            sa.Column("count", sa.BigInteger, nullable=False),
            sqlite_with_rowid=False,
        )


def _make_accounts() -> None:
    op.create_table(
        "researcher",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("email", sa.String(254), nullable=False, unique=True),
    )
    secrets: dict[str, list[sa.schema.SchemaItem]] = {
        "sign_in_link": [sa.Column("expires", sa.BigInteger, nullable=False)],
        "researcher_session": [sa.Column("ends", sa.BigInteger, nullable=False)],
        "api_token": [sa.Column("name", sa.String(64), nullable=False), sa.UniqueConstraint("researcher", "name")],
    }
    for table, columns in secrets.items():
        op.create_table(
            table,
            sa.Column("hash", sa.String(64), primary_key=True),
            sa.Column("researcher", sa.String(32), sa.ForeignKey("researcher.id", ondelete="CASCADE"), nullable=False),
            *columns,
        )
        op.create_index(f"ix_{table}_researcher", table, ["researcher"])
    op.create_table(
        "gateway",
        sa.Column("name", sa.String(64), primary_key=True),
        sa.Column("hash", sa.String(64), nullable=False, unique=True),
    )


def _survey() -> sa.Column[str]:
    return sa.Column("survey", sa.String(64), sa.ForeignKey("survey.name"), primary_key=True)
