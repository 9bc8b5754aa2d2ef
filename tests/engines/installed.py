"""The engines beside Chromium, which of them this machine has, and how to get the others."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from tests.engines.driver import Driver
from tests.engines.firefox import firefox
from tests.engines.webkit import webkit


@dataclass(frozen=True, kw_only=True)
class Engine:
    """An engine that is tried where it is installed."""

    name: str
    # For each program the names under which it is known.
    programs: tuple[tuple[str, ...], ...]
    packages: str
    begin: Callable[[list[str], Path], AbstractContextManager[Driver]]

    def missing(self) -> str:
        """Return what is missing and its cure; nothing where the engine is installed."""
        absent = [" or ".join(names) for names, path in zip(self.programs, self._paths(), strict=True) if not path]
        return f"{self.name} was not tried: no {', no '.join(absent)}. {self.cure}" if absent else ""

    @property
    def cure(self) -> str:
        """Return how to install the engine."""
        return f"Debian, Ubuntu: apt-get install {self.packages}"

    def start(self, folder: Path) -> AbstractContextManager[Driver]:
        """Start the engine with a fresh profile in a folder."""
        return self.begin([path for path in self._paths() if path], folder)

    def _paths(self) -> list[str | None]:
        return [next(filter(None, map(shutil.which, names)), None) for names in self.programs]


FIREFOX = Engine(name="Firefox", programs=(("firefox-esr", "firefox"),), packages="firefox-esr", begin=firefox)
WEBKIT = Engine(
    name="WebKitGTK", programs=(("WebKitWebDriver",), ("Xvfb",)), packages="webkit2gtk-driver xvfb", begin=webkit
)
ENGINES = (FIREFOX, WEBKIT)
