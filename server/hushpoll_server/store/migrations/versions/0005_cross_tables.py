"""Make the table of crossed questions, and room for both their names in a counter."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "hushpoll_0005"
down_revision = "hushpoll_0004"


def upgrade() -> None:
    """Make the table; widen the column, for which SQLite needs a new table in the old one's place."""
    op.create_table(
        "cross_table",
        sa.Column("survey", sa.String(64), sa.ForeignKey("survey.name"), primary_key=True),
        sa.Column("first", sa.String(64), primary_key=True),
        sa.Column("second", sa.String(64), primary_key=True),
    )
    with op.batch_alter_table("counter", table_kwargs={"sqlite_with_rowid": False}) as counter:
        counter.alter_column("question", type_=sa.String(129), existing_type=sa.String(64), existing_nullable=False)
