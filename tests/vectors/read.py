"""Read the test vectors that Python and JavaScript share."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[2] / "shared" / "vectors"


def vectors(name: str) -> Any:
    """Read one file of vectors."""
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
