"""The table of gateways.

The rule here: a token is 256 random bits and is stored only as its SHA-256. Nothing records when a gateway called, and
no report says which gateway sent it.
"""

from __future__ import annotations

from sqlmodel import Field, SQLModel

LONGEST_NAME = 64


class GatewayRow(SQLModel, table=True):
    """A program that may send many reports in one call."""

    __tablename__ = "gateway"

    name: str = Field(primary_key=True, max_length=LONGEST_NAME)
    hash: str = Field(unique=True, max_length=64)
