"""All tables of an instance. This module imports every room that has tables, or some would be missing."""

from __future__ import annotations

from sqlalchemy import Table
from sqlmodel import SQLModel

import hushpoll_server.collect.models
import hushpoll_server.gateways.models
import hushpoll_server.researchers.models
import hushpoll_server.sharing.models
import hushpoll_server.surveys.models  # noqa: F401 (loaded for their tables)


def all_tables() -> list[Table]:
    """Return the tables, each after those that it refers to."""
    return SQLModel.metadata.sorted_tables
