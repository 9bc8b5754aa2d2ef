"""Where the templates, the styles and the scripts of the respondent's page are.

A wheel has them inside the package, a checkout beside it.
"""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent
_CHECKOUT = _PACKAGE.parents[1]


def template_folder() -> Path:
    """Return the folder of the Jinja2 templates."""
    return _find("templates", _CHECKOUT / "templates")


def script_folder() -> Path:
    """Return the folder of the JavaScript client."""
    return _find("js", _CHECKOUT / "client" / "js")


def static_folder() -> Path:
    """Return the folder of the styles and the icon."""
    return _PACKAGE / "static"


def bench_folder() -> Path:
    """Return the folder of the benchmarks, which only a checkout has."""
    return _CHECKOUT / "bench"


def _find(packaged: str, checkout: Path) -> Path:
    folder = _PACKAGE / packaged
    return folder if folder.is_dir() else checkout
