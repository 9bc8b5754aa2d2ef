"""The programs that `tools/bootstrap.py test` set up: where Node and Chromium are."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

TOOLS_FILE = Path(__file__).resolve().parents[2] / ".tools" / "tools.json"

# No --disable-web-security and the like: the browser must enforce what a respondent's browser enforces.
CHROMIUM_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@dataclass(frozen=True, kw_only=True)
class Tools:
    """The resolved programs and the variables that Chromium needs to start."""

    node: Path
    chromium: Path
    chromium_environment: dict[str, str | float | bool]


def load_tools(file: Path = TOOLS_FILE) -> Tools:
    """Read what the set-up wrote; raise with the cure when it did not run."""
    try:
        content = json.loads(file.read_text())
    except FileNotFoundError:
        raise RuntimeError(f"{file} is missing; run: python3 tools/bootstrap.py test") from None
    chromium = content["chromium"]
    return Tools(
        node=Path(content["node"]),
        chromium=Path(chromium["executable"]),
        chromium_environment={**os.environ, **chromium["environment"]},
    )
