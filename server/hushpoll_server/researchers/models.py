"""The tables of the researchers' accounts.

The rule here: no secret is stored, only its SHA-256 (`stored_secrets`). Nothing says where somebody signed in
from, and nothing says when, except for the hour in which a session ends.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, UniqueConstraint
from sqlmodel import Field, SQLModel


class ResearcherRow(SQLModel, table=True):
    """A person who may see the estimates."""

    __tablename__ = "researcher"

    id: str = Field(primary_key=True, max_length=32)
    email: str = Field(unique=True, max_length=254)


class SignInLinkRow(SQLModel, table=True):
    """An unused sign-in link; the row is deleted when the link is used."""

    __tablename__ = "sign_in_link"

    hash: str = Field(primary_key=True, max_length=64)
    researcher: str = Field(foreign_key="researcher.id", ondelete="CASCADE", index=True, max_length=32)
    # Unix seconds: SQLite has no times with a time zone.
    expires: int = Field(sa_type=BigInteger)


class ResearcherSessionRow(SQLModel, table=True):
    """A browser that is signed in; the row is deleted when it signs out."""

    __tablename__ = "researcher_session"

    hash: str = Field(primary_key=True, max_length=64)
    researcher: str = Field(foreign_key="researcher.id", ondelete="CASCADE", index=True, max_length=32)
    # Unix seconds, rounded to an hour: to the second it would tell when somebody signed in.
    ends: int = Field(sa_type=BigInteger)


class ApiTokenRow(SQLModel, table=True):
    """A token that a researcher's program sends."""

    __tablename__ = "api_token"
    __table_args__ = (UniqueConstraint("researcher", "name"),)

    hash: str = Field(primary_key=True, max_length=64)
    researcher: str = Field(foreign_key="researcher.id", ondelete="CASCADE", index=True, max_length=32)
    # The name that its owner gave it, for revoking it.
    name: str = Field(max_length=64)
