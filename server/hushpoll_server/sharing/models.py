"""The tables of shared surveys.

The rule here: no secret is stored, only its SHA-256 (`store/secrets.py`). Nothing says who opened a link, or when; what
ends ends at midnight.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, LargeBinary, UniqueConstraint
from sqlmodel import Field, SQLModel

LONGEST_LINK_NAME = 64


class ShareLinkRow(SQLModel, table=True):
    """A link that opens a survey for reading; the row is deleted when it is withdrawn, with its researcher."""

    __tablename__ = "share_link"
    __table_args__ = (UniqueConstraint("survey", "name"),)

    hash: str = Field(primary_key=True, max_length=64)
    survey: str = Field(foreign_key="survey.name", max_length=64)
    # The name that its researcher gave it, for withdrawing it.
    name: str = Field(max_length=LONGEST_LINK_NAME)
    scope: str = Field(max_length=16)
    # Unix seconds of a midnight in UTC: to the second it would tell when the link was made.
    expires: int = Field(sa_type=BigInteger)
    researcher: str = Field(foreign_key="researcher.id", ondelete="CASCADE", index=True, max_length=32)


class PublicResultsRow(SQLModel, table=True):
    """A survey whose results are public: the counters that everybody sees, and newer ones that nobody sees yet."""

    __tablename__ = "public_results"

    survey: str = Field(primary_key=True, foreign_key="survey.name", max_length=64)
    # Drawn anew whenever the row changes.
    tag: str = Field(max_length=32)
    reports: int = Field(sa_type=BigInteger)
    waiting_reports: int = Field(sa_type=BigInteger)
    # Last, because SQLite would read past them to whatever follows. JSON, compressed.
    counts: bytes = Field(sa_type=LargeBinary)
    waiting_counts: bytes = Field(sa_type=LargeBinary)
