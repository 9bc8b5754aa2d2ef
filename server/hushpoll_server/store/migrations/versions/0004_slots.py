"""Keep counters in slots, and draws as lists without the questions' names."""

from __future__ import annotations

import json

import sqlalchemy as sa
from alembic import op

revision = "hushpoll_0004"
down_revision = "hushpoll_0003"

# Reports that are held in memory at once.
PART = 10_000


def upgrade() -> None:
    """Put the counters into the first slot, and shorten every row of draws."""
    connection = op.get_bind()
    counters = (
        connection.execute(sa.text("SELECT survey, question, cell, 0 AS slot, count FROM counter")).mappings().all()
    )
    op.drop_table("counter")
    table = op.create_table(
        "counter",
        sa.Column("survey", sa.String(64), sa.ForeignKey("survey.name"), primary_key=True),
        sa.Column("question", sa.String(64), primary_key=True),
        sa.Column("cell", sa.String(64), primary_key=True),
        sa.Column("slot", sa.Integer, primary_key=True),
        sa.Column("count", sa.BigInteger, nullable=False),
        sqlite_with_rowid=False,
    )
    op.bulk_insert(table, [dict(row) for row in counters])
    op.alter_column("report", "answers", new_column_name="draws")
    for (survey,) in connection.execute(sa.text("SELECT name FROM survey")).all():
        _shorten(connection, survey)


def _shorten(connection: sa.Connection, survey: str) -> None:
    rows = sa.text("SELECT id, draws FROM report WHERE survey = :survey AND id > :after ORDER BY id LIMIT :part")
    update = sa.text("UPDATE report SET draws = :draws WHERE survey = :survey AND id = :id")
    after = b""
    while part := connection.execute(rows, {"survey": survey, "after": after, "part": PART}).all():
        after = part[-1].id
        # Draws that were purged are empty, and stay so.
        changed = [{"survey": survey, "id": row.id, "draws": _as_list(row.draws)} for row in part if row.draws]
        if changed:
            connection.execute(update, changed)


def _as_list(answers: str) -> str:
    return json.dumps(list(json.loads(answers).values()), separators=(",", ":"))
