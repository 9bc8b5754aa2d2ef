"""The tables of the researchers' accounts.

The law here: no secret is stored, only its SHA-256. The secrets are 256 random bits, so there is nothing to guess and
no need of a slow hash such as argon2, which protects what people invent. Nothing says when or from where somebody
signed in.
"""

from __future__ import annotations

from sqlalchemy import BigInteger
from sqlmodel import Field, SQLModel


class ResearcherRow(SQLModel, table=True):
    """A person who may look at estimates."""

    __tablename__ = "researcher"

    id: str = Field(primary_key=True, max_length=32)
    email: str = Field(unique=True, max_length=254)


class SignInLinkRow(SQLModel, table=True):
    """A sign-in link that was made and not used yet; the row goes when it is used."""

    __tablename__ = "sign_in_link"

    hash: str = Field(primary_key=True, max_length=64)
    researcher: str = Field(foreign_key="researcher.id", ondelete="CASCADE", index=True, max_length=32)
    # Unix seconds: SQLite has no time with a zone.
    expires: int = Field(sa_type=BigInteger)


class ApiTokenRow(SQLModel, table=True):
    """A token that a researcher's program sends."""

    __tablename__ = "api_token"

    hash: str = Field(primary_key=True, max_length=64)
    researcher: str = Field(foreign_key="researcher.id", ondelete="CASCADE", index=True, max_length=32)
