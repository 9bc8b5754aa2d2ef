"""The tables of published surveys and of the questions that they cross."""

from __future__ import annotations

from sqlmodel import Field, SQLModel


class SurveyRow(SQLModel, table=True):
    """A survey as it was published. Only `closed` ever changes, and only from false to true."""

    __tablename__ = "survey"

    name: str = Field(primary_key=True, max_length=64)
    manifest_id: str = Field(max_length=64)
    envelope: bytes
    key: str
    # Whether reports are accepted from a form that was saved as a file and opened from a disk.
    from_disk: bool = False
    closed: bool = False


class CrossTableRow(SQLModel, table=True):
    """Two questions of a survey whose draws are counted together, from the first report on."""

    __tablename__ = "cross_table"

    survey: str = Field(primary_key=True, foreign_key="survey.name", max_length=64)
    first: str = Field(primary_key=True, max_length=64)
    second: str = Field(primary_key=True, max_length=64)
