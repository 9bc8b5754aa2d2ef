"""The vectors in shared/vectors/ are what the one generator writes."""

from __future__ import annotations

import pytest
from tests.mechanisms.cases import Vector
from tests.vectors.all import every_vector, spell
from tests.vectors.read import FOLDER

# Written by hand, from the RFCs.
BY_HAND = {"retry_after"}


@pytest.mark.parametrize(
    ("name", "vector"), list(every_vector()), ids=lambda each: each if isinstance(each, str) else ""
)
def test_every_file_is_what_the_generator_writes(name: str, vector: Vector) -> None:
    assert (FOLDER / f"{name}.json").read_text(encoding="utf-8") == spell(name, vector)


def test_every_file_has_a_generator_or_was_written_by_hand() -> None:
    assert {path.stem for path in FOLDER.glob("*.json")} == {name for name, _ in every_vector()} | BY_HAND
