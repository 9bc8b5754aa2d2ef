"""The tables of published surveys and of the questions that they cross."""

from __future__ import annotations

from sqlalchemy import text
from sqlmodel import Field, SQLModel

from hushpoll_server.estimate.options import FEWEST_REPORTS


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
    # With fewer reports the pages say that it is too early for figures.
    minimum_reports: int = Field(default=FEWEST_REPORTS, sa_column_kwargs={"server_default": text(str(FEWEST_REPORTS))})


class CrossTableRow(SQLModel, table=True):
    """Two questions of a survey whose draws are counted together, from the first report on."""

    __tablename__ = "cross_table"

    survey: str = Field(primary_key=True, foreign_key="survey.name", max_length=64)
    first: str = Field(primary_key=True, max_length=64)
    second: str = Field(primary_key=True, max_length=64)
