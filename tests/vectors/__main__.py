"""Write all vectors. Existing ones must not change, which `git diff` shows; only told.json follows the words."""

from __future__ import annotations

from tests.vectors.all import every_vector, spell
from tests.vectors.read import FOLDER

for name, vector in every_vector():
    (FOLDER / f"{name}.json").write_text(spell(name, vector), encoding="utf-8")
