"""The tables of reports and of what is counted from them.

The law here: a stored report carries no time, address, agent, sequence or token. Its key is the random id that the
device drew; the table is ordered by that key alone, so the order of arrival is not in it. A count is the sum of its
slots: each process that writes has one, so that none waits for another's.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, LargeBinary
from sqlmodel import Field, SQLModel

# Two names of 64 letters and what stands between them.
LONGEST_JOINT_NAME = 129
# What stands in the place of draws that were purged. No report's draws are spelled like this.
PURGED = ""


class ReportRow(SQLModel, table=True):
    """One respondent's draws, as `collect/draws.py` spells them."""

    __tablename__ = "report"
    # SQLite numbers rows in order of arrival unless it is told not to.
    __table_args__ = {"sqlite_with_rowid": False}

    survey: str = Field(primary_key=True, foreign_key="survey.name", max_length=64)
    id: bytes = Field(primary_key=True, sa_type=LargeBinary)
    draws: str


class CounterRow(SQLModel, table=True):
    """How many reports count for a cell of a question; the cell `n` counts them all.

    Of crossed questions the names of both stand in `question`, and in `cell` one cell of each.
    """

    __tablename__ = "counter"
    __table_args__ = {"sqlite_with_rowid": False}

    survey: str = Field(primary_key=True, foreign_key="survey.name", max_length=64)
    question: str = Field(primary_key=True, max_length=LONGEST_JOINT_NAME)
    cell: str = Field(primary_key=True, max_length=64)
    slot: int = Field(default=0, primary_key=True)
    count: int = Field(sa_type=BigInteger)


class PurgeRow(SQLModel, table=True):
    """How many reports of a survey have lost their draws on purpose, and how many of these their ids as well."""

    __tablename__ = "purge"

    survey: str = Field(primary_key=True, foreign_key="survey.name", max_length=64)
    reports: int = Field(sa_type=BigInteger)
    ids: int = Field(sa_type=BigInteger)


class RejectionRow(SQLModel, table=True):
    """How many reports to a survey were refused for a reason; nothing else is kept of them."""

    __tablename__ = "rejection"
    __table_args__ = {"sqlite_with_rowid": False}

    survey: str = Field(primary_key=True, foreign_key="survey.name", max_length=64)
    reason: str = Field(primary_key=True, max_length=64)
    slot: int = Field(default=0, primary_key=True)
    count: int = Field(sa_type=BigInteger)


class BurstRow(SQLModel, table=True):
    """How often reports to a survey came far faster than before; when is not kept."""

    __tablename__ = "burst"
    __table_args__ = {"sqlite_with_rowid": False}

    survey: str = Field(primary_key=True, foreign_key="survey.name", max_length=64)
    slot: int = Field(default=0, primary_key=True)
    count: int = Field(sa_type=BigInteger)
