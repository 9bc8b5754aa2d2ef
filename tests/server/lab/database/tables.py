"""Small tables, and a database on each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hushpoll_server.lab.database import Database, Schema, Table, load

SCHEMA = Schema.of(
    bounds={"age": "0:120", "debt": "-2:1"},
    step={"age": "1", "debt": "1"},
    bins={"age": "0,18,65,120"},
    categories={"city": "Aachen,Bonn,Köln"},
)
PEOPLE = """\
name,age,debt,city
Ada,36,-2,Bonn
"O'Neil; DROP TABLE rows",17,1,Aachen
Zoë,65,0,Bonn
"say ""hi"", $1",120,-1,Köln
"""


def write(folder: Path, text: str, name: str = "people.csv") -> Path:
    """Write a file."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def people(folder: Path) -> Table:
    """Load the people."""
    return load(write(folder, PEOPLE), SCHEMA)


class NoNoise:
    """Takes the noise away, so that a test sees what is computed."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        patch.setattr("hushpoll_server.lab.noise.laplace.DiscreteLaplace.draw", lambda *_: 0)


def opened(folder: Path, text: str = PEOPLE, schema: Schema = SCHEMA, **options: Any) -> Database:
    """Open a database of a text."""
    settings: dict[str, Any] = {"epsilon": "1", "ledger": folder / "ledger.sqlite"} | options
    return Database.open(write(folder, text), schema, **settings)
