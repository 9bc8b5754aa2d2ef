"""Every file of vectors, generated."""

from __future__ import annotations

import json
from collections.abc import Iterator

from tests.mechanisms.cases import Vector, home
from tests.vectors.basics import epsilons, streams, uniforms
from tests.vectors.manifests import manifests
from tests.vectors.reports import reports
from tests.vectors.texts import texts
from tests.vectors.told import told

from hushpoll_shared.mechanisms import DESIGNS


def every_vector() -> Iterator[tuple[str, Vector]]:
    """Return each file's name and content."""
    for make in (streams, uniforms, epsilons, texts, manifests, reports, told):
        yield make.__name__, make()
    for name in DESIGNS:
        yield name, home(name).vectors()


def spell(name: str, vector: Vector) -> str:
    """Return the text of a file of vectors; invisible characters are escaped."""
    return json.dumps(vector, indent=1, ensure_ascii=name == "texts") + "\n"
