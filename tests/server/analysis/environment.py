"""An environment that has what `pip install 'hushpoll[extra]'` installs, and nothing else.

It consists of links to the distributions of this environment, so nothing is downloaded and no version differs.
"""

from __future__ import annotations

import venv
from collections.abc import Iterator
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[3]
PACKAGES = (
    ROOT / "client" / "hushpoll_client",
    ROOT / "server" / "hushpoll_server",
    ROOT / "shared" / "hushpoll_shared",
)


def make_environment(folder: Path, extra: str) -> Path:
    """Make the environment, and return its Python."""
    venv.create(folder, symlinks=True, with_pip=False)
    [packages] = folder.glob("lib/python*/site-packages")
    for package in PACKAGES:
        (packages / package.name).symlink_to(package)
    for found in _needed(Requirement(f"hushpoll[{extra}]"), set()):
        for top in {file.parts[0] for file in found.files or () if file.parts[0] not in ("..", "__pycache__")}:
            if not (packages / top).exists():
                (packages / top).symlink_to(Path(str(found.locate_file(top))))
    return folder / "bin" / "python"


def _needed(requirement: Requirement, seen: set[str]) -> Iterator[Distribution]:
    """Return the distributions that a requirement installs, without hushpoll itself."""
    found = distribution(requirement.name)
    for text in found.requires or ():
        needed = Requirement(text)
        wanted = any(
            needed.marker is None or needed.marker.evaluate({"extra": each}) for each in ("", *requirement.extras)
        )
        if wanted and needed.name not in seen:
            seen.add(needed.name)
            yield distribution(needed.name)
            yield from _needed(needed, seen)
