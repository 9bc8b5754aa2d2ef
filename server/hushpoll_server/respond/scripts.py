"""The scripts of the respondent's page, as they lie in the repository: what is audited is what runs.

There is no bundle and no list to keep: the modules are found by following the imports from the page's first one. The
page names them all at once, so that a phone does not fetch them one after the other. On the way they may be packed with
gzip; what the browser unpacks is the file.
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

FIRST = PurePosixPath("form/main.js")
# What a browser may load of client/js: the SDK and the page on top of it.
FOLDERS = frozenset({"src", "form"})

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


@cache
def page_scripts() -> tuple[PurePosixPath, ...]:
    """Give every module that the form loads, the first one first."""
    found = [FIRST]
    for module in found:
        found.extend(dict.fromkeys(path for path in _imports(module) if path not in found))
    return tuple(found)


def _imports(module: PurePosixPath) -> Iterator[PurePosixPath]:
    source = (script_folder() / module).read_text(encoding="utf-8")
    for path in _IMPORT.findall(source):
        yield PurePosixPath(posixpath.normpath(module.parent / path))
