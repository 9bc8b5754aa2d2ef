"""The one script of the respondent's page, joined from the modules as they lie in the repository.

The law here: what is audited is what runs. Joining is plain text work, no bundler and no minifier: the modules that the
form imports stand one after the other, and every line is a line of a source file. Left out are the import statements,
the word export, and the comments that only declare types. One script has one hash, which the page demands and anybody
can compute; and once it is loaded, nothing is left to fetch that could tell how far somebody got.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import posixpath
import re
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path, PurePosixPath

from hushpoll_server.paths import script_folder

FIRST = PurePosixPath("form/main.js")

# Statements from the start of a line to the semicolon; `import(…)` and `import.meta` are none.
_IMPORT = re.compile(r'^import\s[^;]*?"(?P<path>[^"]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=\w)", re.MULTILINE)
_COMMENT = re.compile(r"(?P<indent>^[ \t]*)?/\*\*.*?\*/(?P<end>[ \t]*\n|[ \t]*)", re.MULTILINE | re.DOTALL)
_EMPTY_LINES = re.compile(r"\n{3,}")


@dataclass(frozen=True)
class Code:
    """A script or a style in the two encodings in which it is sent, with its fingerprint."""

    plain: bytes

    @cached_property
    def packed(self) -> bytes:
        """Give it packed with gzip; no time in it: the same code gives the same bytes."""
        return gzip.compress(self.plain, 9, mtime=0)

    @property
    def size(self) -> int:
        """Count the bytes that a browser reads."""
        return len(self.plain)

    @property
    def packed_size(self) -> int:
        """Count the bytes on the wire."""
        return len(self.packed)

    @cached_property
    def sha256(self) -> str:
        """Give the fingerprint as people compare it."""
        return hashlib.sha256(self.plain).hexdigest()

    @property
    def integrity(self) -> str:
        """Give the fingerprint as a page and a policy name it."""
        return "sha256-" + base64.b64encode(bytes.fromhex(self.sha256)).decode()

    def encoded(self, encoding: str) -> tuple[bytes, str]:
        """Give the bytes and the tag of an encoding: gzip or identity."""
        return (self.packed, f"{self.sha256}-gzip") if encoding == "gzip" else (self.plain, self.sha256)


@dataclass(frozen=True)
class Module:
    """A module of client/js in the version that lies there now."""

    path: PurePosixPath
    source: str

    @classmethod
    def read(cls, path: PurePosixPath) -> Module:
        """Read a module, once for each version of its file."""
        file = script_folder() / path
        return _read(path, file, file.stat().st_mtime_ns)

    @cached_property
    def imports(self) -> tuple[PurePosixPath, ...]:
        """Give the modules that it imports, in its order."""
        paths = (statement["path"] for statement in _IMPORT.finditer(self.source))
        return tuple(PurePosixPath(posixpath.normpath(self.path.parent / path)) for path in paths)

    @cached_property
    def text(self) -> str:
        """Give what of it stands in the script, under its name."""
        code = _COMMENT.sub(_without_types, _EXPORT.sub("", _IMPORT.sub("", self.source)))
        body = _EMPTY_LINES.sub("\n\n", code).strip("\n")
        return f"// client/js/{self.path}\n{body}\n"


@cache
def _read(path: PurePosixPath, file: Path, _version: int) -> Module:
    return Module(path, file.read_text(encoding="utf-8"))


def _without_types(comment: re.Match[str]) -> str:
    if "@" not in comment[0]:
        return comment[0]
    indent, is_last = comment["indent"], comment["end"].endswith("\n")
    if indent is None:
        return "\n" if is_last else ""
    return "" if is_last else indent


def form_script() -> Code:
    """Give the script of the form, joined once for each version of its modules."""
    return join(modules())


def modules(first: PurePosixPath = FIRST) -> tuple[Module, ...]:
    """Give the modules that a module needs and then itself: each after all that it imports."""
    found: dict[PurePosixPath, Module] = {}
    _visit(first, found, set())
    return tuple(found.values())


def _visit(path: PurePosixPath, found: dict[PurePosixPath, Module], seen: set[PurePosixPath]) -> None:
    seen.add(path)
    module = Module.read(path)
    for needed in module.imports:
        if needed not in seen:
            _visit(needed, found, seen)
    found[path] = module


@cache
def join(modules: tuple[Module, ...]) -> Code:
    """Write modules one after the other."""
    return Code("\n".join(module.text for module in modules).encode())


def _print_sizes() -> None:
    """Say what the script weighs, and what each module adds to it."""
    found, whole = modules(), form_script().packed_size
    for module in found:
        others = join(tuple(other for other in found if other != module))
        _print_size(whole - others.packed_size, str(module.path))
    source = join(tuple(module for module in found if module.path.parts[0] == "src")).packed_size
    for what, size in (("src", source), ("form", whole - source), (f"{form_script().size:,} plain, packed", whole)):
        _print_size(size, what)


def _print_size(size: int, what: str) -> None:
    print(f"{size:7,} {what}")  # noqa: T201


if __name__ == "__main__":
    _print_sizes()
