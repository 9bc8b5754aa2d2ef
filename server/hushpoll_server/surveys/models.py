"""The table of published surveys."""

from __future__ import annotations

from sqlmodel import Field, SQLModel


class SurveyRow(SQLModel, table=True):
    """A survey as it was published. Only `closed` ever changes, and only from false to true."""

    __tablename__ = "survey"

    name: str = Field(primary_key=True, max_length=64)
    manifest_id: str = Field(max_length=64)
    envelope: bytes
    key: str
    closed: bool = False
