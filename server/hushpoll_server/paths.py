"""Where the templates and the styles of the pages are, and the benchmarks.

A wheel has the templates inside the package, a checkout beside it.
"""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent
_CHECKOUT = _PACKAGE.parents[1]


def template_folder() -> Path:
    """Return the folder of the Jinja2 templates."""
    packaged = _PACKAGE / "templates"
    return packaged if packaged.is_dir() else _CHECKOUT / "templates"


def static_folder() -> Path:
    """Return the folder of the styles and the icon."""
    return _PACKAGE / "static"


def bench_folder() -> Path:
    """Return the folder of the benchmarks, which only a checkout has."""
    return _CHECKOUT / "bench"
