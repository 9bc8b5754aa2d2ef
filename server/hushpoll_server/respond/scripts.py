"""The scripts of the respondent's page, as they lie in the repository: what is audited is what runs.

There is no bundle: the modules are found by following the imports from the page's first one, and from those that it
loads for the questions of a survey. The page names them all at once, so that a phone does not fetch them one after the
other, and so that nothing is fetched later, when a request could tell something about an answer. On the way they may be
packed with gzip; what the browser unpacks is the file.
"""

from __future__ import annotations

import gzip
import hashlib
import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath

from hushpoll_server.paths import script_folder
from hushpoll_shared.manifest import PLAIN, Manifest
from hushpoll_shared.questions import Choice, Kind, MultiChoice, Number, Pair, Scale, SingleChoice

FIRST = PurePosixPath("form/main.js")
# What a browser may load of client/js: the SDK and the page on top of it.
FOLDERS = frozenset({"src", "src/designs", "form", "form/kinds"})
# As in client/js/form/kinds/survey.js: more answers than these are searched.
MOST_SHOWN = 12

_IMPORT = re.compile(r' from "(\.[\w./-]+\.js)";$', re.MULTILINE)


@dataclass(frozen=True)
class Script:
    """A module in the two encodings in which it is sent; each has its own tag."""

    plain: bytes
    packed: bytes
    tag: str

    @classmethod
    def read(cls, path: Path) -> Script:
        """Read a module and pack it."""
        plain = path.read_bytes()
        # No time in it: the same file gives the same bytes.
        return cls(plain, gzip.compress(plain, 9, mtime=0), hashlib.sha256(plain).hexdigest())

    def encoded(self, encoding: str) -> tuple[bytes, str]:
        """Give the bytes and the tag of an encoding: gzip or identity."""
        return (self.packed, f"{self.tag}-gzip") if encoding == "gzip" else (self.plain, self.tag)


def load(folder: str, file: str) -> Script | None:
    """Give a module that a browser may load, packed once for each version of the file."""
    path = script_folder() / folder / file
    if folder not in FOLDERS or path.suffix != ".js" or path.name != file or not path.is_file():
        return None
    return _load(path, path.stat().st_mtime_ns)


@cache
def _load(path: Path, _version: int) -> Script:
    return Script.read(path)


def page_scripts(manifest: Manifest) -> tuple[PurePosixPath, ...]:
    """Give every module that the form of a survey loads, the first one first."""
    return _follow((FIRST, *map(PurePosixPath, sorted(_for_questions(manifest)))))


@cache
def _follow(entries: tuple[PurePosixPath, ...]) -> tuple[PurePosixPath, ...]:
    found = [*entries]
    for module in found:
        found.extend(dict.fromkeys(path for path in _imports(module) if path not in found))
    return tuple(found)


def _for_questions(manifest: Manifest) -> set[str]:
    """Name the modules that the page imports by name: `import(…)` instead of `import … from`."""
    if manifest.format == PLAIN:
        return set()
    designs = {question.design.NAME for question in manifest.questions if not question.is_plain}
    screens = {screen for question in manifest.questions for screen in _screens(question.kind)}
    return {
        "src/format2.js",
        "form/kinds/survey.js",
        *(f"src/designs/{design}.js" for design in designs),
        *(f"form/kinds/{screen}.js" for screen in screens),
        *(["src/permanent.js"] if manifest.repeats else []),
    }


def _screens(kind: Kind) -> Iterator[str]:
    match kind:
        case MultiChoice():
            yield "ticks"
        case Number():
            yield "number"
        case Pair():
            for part in kind.parts:
                yield from _screens(part.kind)
        case Choice():
            yield "list" if _count(kind) > MOST_SHOWN else "choice"


def _count(kind: Choice) -> int:
    match kind:
        case Scale():
            return len(kind.points)
        case SingleChoice():
            return len(kind.options)
    return 2


def _imports(module: PurePosixPath) -> Iterator[PurePosixPath]:
    source = (script_folder() / module).read_text(encoding="utf-8")
    for path in _IMPORT.findall(source):
        yield PurePosixPath(posixpath.normpath(module.parent / path))
