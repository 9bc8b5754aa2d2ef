"""Count reports by day, in steps; those that are there already came on days that nobody noted."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "hushpoll_0003"
down_revision = "hushpoll_0002"

# Stored rows and deleted ids together are all reports, whatever was purged and however many questions each answers.
_COUNT_REPORTS = """
INSERT INTO day (survey, day, count)
SELECT survey, 'unknown', SUM(number)
FROM (SELECT survey, COUNT(*) AS number FROM report GROUP BY survey UNION ALL SELECT survey, ids FROM purge) AS parts
GROUP BY survey
HAVING SUM(number) > 0
"""


def upgrade() -> None:
    """Make the table, and count in it what was collected before."""
    op.create_table(
        "day",
        sa.Column("survey", sa.String(64), sa.ForeignKey("survey.name"), primary_key=True),
        sa.Column("day", sa.String(10), primary_key=True),
        sa.Column("count", sa.BigInteger, nullable=False),
        sqlite_with_rowid=False,
    )
    op.execute(_COUNT_REPORTS)
