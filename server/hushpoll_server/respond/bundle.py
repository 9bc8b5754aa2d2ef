"""The one script of the respondent's page, and that of its service worker, joined from the modules of the repository.

The rule here: what is audited is what runs. Joining is plain text work, without a bundler or a minifier: the modules
that the form imports follow one another, and every line is a line of a module, in the same order. Only comments,
indentation, empty lines, import statements and the word export are left out, so the sources can be written for their
readers: types, reasons and the shape of the code cost respondents nothing. One script has one hash, which the page
demands and anybody can compute; and once it is loaded, nothing is left to fetch that could reveal how far somebody got.
"""

from __future__ import annotations

import base64
import hashlib
import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path, PurePosixPath

from zopfli import gzip

from hushpoll_shared.scripts import script_folder

FIRST = PurePosixPath("form/main.js")
WORKER = PurePosixPath("form/worker.js")

# Statements from the start of a line to the semicolon; `import(…)` and `import.meta` do not match.
_IMPORT = re.compile(r'^import\s[^;]*?"(?P<path>[^"]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=\w)", re.MULTILINE)
_INDENTATION = re.compile(r"^[ \t]+", re.MULTILINE)
_EMPTY_LINES = re.compile(r"\n{2,}")

_TOKEN = re.compile(
    r"(?P<comment>//[^\n]*|/\*.*?\*/)"
    r"|(?P<text>\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*')"
    r"|(?P<word>[\w$#]+)"
    r"|(?P<space>\s+)"
    r"|(?P<mark>[^\w\s\"'`])",
    re.DOTALL,
)
# From a backtick, or the brace that ends a gap, to the next gap or the end.
_TEMPLATE = re.compile(r"[`}](?:[^`\\$]|\\.|\$(?!\{))*(?:`|\$\{)", re.DOTALL)
_REGULAR_EXPRESSION = re.compile(r"/(?![*/])(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*")
# After these a slash divides; after the words it does not.
_ENDS_A_VALUE = re.compile(r"[\w$)\]\"'`]\Z")
_BEFORE_A_VALUE = {"await", "case", "else", "in", "instanceof", "of", "return", "throw", "typeof", "void", "yield"}

# These replace a comment, and a line break inside a string, which does not end a line of code.
_GONE, _LINE_IN_TEXT = "\x00", "\x01"


@dataclass(frozen=True)
class Code:
    """A script or a style in the two encodings in which it is sent, with its fingerprint."""

    plain: bytes

    @cached_property
    def packed(self) -> bytes:
        """Return it compressed with gzip, as small as it gets: about 5 % less than zlib's best, in 0.2 s, once."""
        # Without a time, so that the same code gives the same bytes.
        return bytes(gzip.compress(self.plain))

    @property
    def size(self) -> int:
        """Return the number of bytes that a browser reads."""
        return len(self.plain)

    @property
    def packed_size(self) -> int:
        """Return the number of bytes on the wire."""
        return len(self.packed)

    @cached_property
    def sha256(self) -> str:
        """Return the fingerprint as people compare it."""
        return hashlib.sha256(self.plain).hexdigest()

    @property
    def integrity(self) -> str:
        """Return the fingerprint as a page and a policy name it."""
        return "sha256-" + base64.b64encode(bytes.fromhex(self.sha256)).decode()

    def encoded(self, encoding: str) -> tuple[bytes, str]:
        """Return the bytes and the tag of an encoding: gzip or identity."""
        return (self.packed, f"{self.sha256}-gzip") if encoding == "gzip" else (self.plain, self.sha256)


@dataclass(frozen=True)
class Module:
    """A module of client/js in its current version."""

    path: PurePosixPath
    source: str

    @classmethod
    def read(cls, path: PurePosixPath) -> Module:
        """Read a module, once for each version of its file."""
        file = script_folder() / path
        return _read(path, file, file.stat().st_mtime_ns)

    @cached_property
    def imports(self) -> tuple[PurePosixPath, ...]:
        """Return the modules that it imports, in its order."""
        paths = (statement["path"] for statement in _IMPORT.finditer(self._code))
        return tuple(PurePosixPath(posixpath.normpath(self.path.parent / path)) for path in paths)

    @cached_property
    def text(self) -> str:
        """Return the part of it that goes into the script."""
        code = _INDENTATION.sub("", _EXPORT.sub("", _IMPORT.sub("", self._code)))
        return _EMPTY_LINES.sub("\n", code).strip("\n").replace(_LINE_IN_TEXT, "\n") + "\n"

    @cached_property
    def _code(self) -> str:
        return _without_comments(self.source)


@cache
def _read(path: PurePosixPath, file: Path, _version: int) -> Module:
    return Module(path, file.read_text(encoding="utf-8"))


def _without_comments(source: str) -> str:
    """Return the code without comments, and without the lines that held nothing else."""
    pieces = (_hollow(piece) if is_comment else piece for piece, is_comment in _pieces(source))
    lines = (_cleaned(line) for line in "".join(pieces).split("\n"))
    return "\n".join(line for line in lines if line is not None)


def _hollow(comment: str) -> str:
    # Keep the line breaks of a comment: what follows it is still another statement.
    return "\n".join(_GONE for _ in comment.split("\n"))


def _cleaned(line: str) -> str | None:
    if _GONE not in line:
        return line
    return re.sub(f"{_GONE}[ \t]*", "", line).rstrip(" \t") or None


def _pieces(source: str) -> Iterator[tuple[str, bool]]:
    """Divide a module into comments and the rest, token by token: a string or an expression may look like a comment."""
    place, before, open_braces = 0, "", [0]
    while place < len(source):
        token, kind = _token(source, place, before, is_in_gap=len(open_braces) > 1 and open_braces[-1] == 0)
        place += len(token)
        if kind == "template":
            # A gap ends at its own brace, not at one that was opened inside it.
            open_braces = open_braces[:-1] if token[0] == "}" else open_braces
            open_braces += [0] if token[-1] == "{" else []
        else:
            open_braces[-1] += {"{": 1, "}": -1}.get(token, 0)
        before = before if kind in ("comment", "space") else token
        yield token if kind in ("comment", "space") else token.replace("\n", _LINE_IN_TEXT), kind == "comment"
    if len(open_braces) > 1:
        raise ValueError("a script cannot be read: a gap in a template does not end")


def _token(source: str, place: int, before: str, *, is_in_gap: bool) -> tuple[str, str | None]:
    starts_template = source[place] == "`" or (is_in_gap and source[place] == "}")
    if starts_template and (template := _TEMPLATE.match(source, place)):
        return template[0], "template"
    is_value_next = before in _BEFORE_A_VALUE or not _ENDS_A_VALUE.search(before)
    if is_value_next and (expression := _REGULAR_EXPRESSION.match(source, place)):
        return expression[0], "regular expression"
    if starts_template or not (token := _TOKEN.match(source, place)):
        raise ValueError(f"a script cannot be read: line {source.count(chr(10), 0, place) + 1} is not JavaScript")
    return token[0], token.lastgroup


def form_script() -> Code:
    """Return the script of the form, joined once for each version of its modules."""
    return join(modules())


def worker_script() -> Code:
    """Return the script that looks after a report that waits, when its page is closed."""
    return join(modules(WORKER))


def modules(first: PurePosixPath = FIRST) -> tuple[Module, ...]:
    """Return the modules that a module needs and then itself: each after all that it imports."""
    ordered: dict[PurePosixPath, Module] = {}
    _visit(first, ordered, set())
    return tuple(ordered.values())


def _visit(path: PurePosixPath, ordered: dict[PurePosixPath, Module], seen: set[PurePosixPath]) -> None:
    seen.add(path)
    module = Module.read(path)
    for needed in module.imports:
        if needed not in seen:
            _visit(needed, ordered, seen)
    ordered[path] = module


@cache
def join(modules: tuple[Module, ...]) -> Code:
    """Return the modules joined, one after the other."""
    return Code("\n".join(module.text for module in modules).encode())


def _print_sizes() -> None:
    """Print the size of the script, and what each module adds to it."""
    all_modules, whole = modules(), form_script().packed_size
    for module in all_modules:
        others = join(tuple(other for other in all_modules if other != module))
        _print_size(whole - others.packed_size, str(module.path))
    source = join(tuple(module for module in all_modules if module.path.parts[0] == "src")).packed_size
    for what, size in (("src", source), ("form", whole - source), (f"{form_script().size:,} plain, packed", whole)):
        _print_size(size, what)


def _print_size(size: int, what: str) -> None:
    print(f"{size:7,} {what}")  # noqa: T201


if __name__ == "__main__":
    _print_sizes()
