"""Make the table of the researchers' sessions, and give API tokens names."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "hushpoll_0006"
down_revision = "hushpoll_0005"


def upgrade() -> None:
    """Make the table; call each token that is there by the beginning of its hash."""
    op.create_table(
        "researcher_session",
        sa.Column("hash", sa.String(64), primary_key=True),
        sa.Column("researcher", sa.String(32), sa.ForeignKey("researcher.id", ondelete="CASCADE"), nullable=False),
        sa.Column("ends", sa.BigInteger, nullable=False),
    )
    op.create_index("ix_researcher_session_researcher", "researcher_session", ["researcher"])
    op.add_column("api_token", sa.Column("name", sa.String(64)))
    op.execute("UPDATE api_token SET name = substr(hash, 1, 12)")
    with op.batch_alter_table("api_token") as token:
        token.alter_column("name", existing_type=sa.String(64), nullable=False)
        token.create_unique_constraint("api_token_researcher_name_key", ["researcher", "name"])
