"""Store from how many reports on the figures of a survey are shown."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "hushpoll_0004"
down_revision = "hushpoll_0003"


def upgrade() -> None:
    """Add a column: surveys that were published before have the number that all pages had."""
    op.add_column("survey", sa.Column("minimum_reports", sa.Integer, nullable=False, server_default=sa.text("30")))
