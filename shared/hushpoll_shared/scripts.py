"""Where the JavaScript client is, with the words that it shares with Python.

A wheel has it inside this package, a checkout beside it.
"""

from __future__ import annotations

from pathlib import Path

_PACKAGED = Path(__file__).parent / "js"
_CHECKOUT = Path(__file__).parents[2] / "client" / "js"


def script_folder() -> Path:
    """Return the folder of the JavaScript client."""
    return _PACKAGED if _PACKAGED.is_dir() else _CHECKOUT
