"""The tables of reports and of what is counted from them.

The law here: a stored report carries no time, address, agent, sequence or token. Its key is the random id that the
device drew; the table is ordered by that key alone, so the order of arrival is not in it.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, LargeBinary
from sqlmodel import Field, SQLModel


class ReportRow(SQLModel, table=True):
    """One respondent's draws, as compact JSON in the manifest's order."""

    __tablename__ = "report"
    # SQLite numbers rows in order of arrival unless it is told not to.
    __table_args__ = {"sqlite_with_rowid": False}

    survey: str = Field(primary_key=True, foreign_key="survey.name", max_length=64)
    id: bytes = Field(primary_key=True, sa_type=LargeBinary)
    answers: str


class CounterRow(SQLModel, table=True):
    """How many reports count for a cell of a question; the cell `n` counts them all."""

    __tablename__ = "counter"
    __table_args__ = {"sqlite_with_rowid": False}

    survey: str = Field(primary_key=True, foreign_key="survey.name", max_length=64)
    question: str = Field(primary_key=True, max_length=64)
    cell: str = Field(primary_key=True, max_length=64)
    count: int = Field(sa_type=BigInteger)
