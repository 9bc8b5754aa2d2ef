"""The tables of reports and of what is counted from them.

The rule here: a stored report carries no time, address, agent, sequence number or token. Its key is the random id that
the device drew; the table is ordered by that key alone, so it does not contain the order of arrival. A count is the sum
of its shards: each process that writes has its own, so that none waits for another.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, LargeBinary, text
from sqlmodel import Field, SQLModel

# Two names of 64 letters and the character between them.
LONGEST_JOINT_NAME = 129
# Four dimensions of two characters each.
LONGEST_GROUPS = 8
# A date, or that it is not known.
LONGEST_DAY = 10
# What replaces draws that were purged. No report's draws are spelled like this.
PURGED = ""
_EMPTY = {"server_default": text("''")}


class ReportRow(SQLModel, table=True):
    """One respondent's draws, as `counting/stored_draws.py` spells them, and the code of the public groups, if any."""

    __tablename__ = "report"
    # By default SQLite numbers rows in the order of arrival.
    __table_args__ = {"sqlite_with_rowid": False}

    survey: str = Field(primary_key=True, foreign_key="survey.name", max_length=64)
    id: bytes = Field(primary_key=True, sa_type=LargeBinary)
    draws: str
    groups: str = Field(default="", max_length=LONGEST_GROUPS, sa_column_kwargs=_EMPTY)


class CounterRow(SQLModel, table=True):
    """How many reports count for what a draw can support; the counter `n` counts all reports.

    For crossed questions, `question` has the ids of both, and `name` one counter of each. A report counts for the code
    of its public groups; what all reports say is the sum over the codes.
    """

    __tablename__ = "counter"
    __table_args__ = {"sqlite_with_rowid": False}

    survey: str = Field(primary_key=True, foreign_key="survey.name", max_length=64)
    question: str = Field(primary_key=True, max_length=LONGEST_JOINT_NAME)
    groups: str = Field(default="", primary_key=True, max_length=LONGEST_GROUPS, sa_column_kwargs=_EMPTY)
    name: str = Field(primary_key=True, max_length=64)
    shard: int = Field(default=0, primary_key=True)
    count: int = Field(sa_type=BigInteger)


class PurgeRow(SQLModel, table=True):
    """How many reports of a survey had their draws purged, and how many of these their ids as well."""

    __tablename__ = "purge"

    survey: str = Field(primary_key=True, foreign_key="survey.name", max_length=64)
    reports: int = Field(sa_type=BigInteger)
    ids: int = Field(sa_type=BigInteger)


class RejectionRow(SQLModel, table=True):
    """How many reports to a survey were refused for a reason; nothing else about them is stored."""

    __tablename__ = "rejection"
    __table_args__ = {"sqlite_with_rowid": False}

    survey: str = Field(primary_key=True, foreign_key="survey.name", max_length=64)
    reason: str = Field(primary_key=True, max_length=64)
    shard: int = Field(default=0, primary_key=True)
    count: int = Field(sa_type=BigInteger)


class BurstRow(SQLModel, table=True):
    """How often reports to a survey came far faster than before; when that was is not stored."""

    __tablename__ = "burst"
    __table_args__ = {"sqlite_with_rowid": False}

    survey: str = Field(primary_key=True, foreign_key="survey.name", max_length=64)
    shard: int = Field(default=0, primary_key=True)
    count: int = Field(sa_type=BigInteger)


class DayRow(SQLModel, table=True):
    """How many reports to a survey were counted on a day, in the steps of `days.py`; or came on days not known."""

    __tablename__ = "day"
    __table_args__ = {"sqlite_with_rowid": False}

    survey: str = Field(primary_key=True, foreign_key="survey.name", max_length=64)
    day: str = Field(primary_key=True, max_length=LONGEST_DAY)
    count: int = Field(sa_type=BigInteger)
