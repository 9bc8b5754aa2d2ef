"""The scripts of the respondent's page, as they lie in the repository: what is audited is what runs.

There is no bundle and no list to keep: the modules are found by following the imports from the page's first one. The
page names them all at once, so that a phone does not fetch them one after the other.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from functools import cache
from pathlib import PurePosixPath

from hushpoll_server.paths import script_folder

FIRST = PurePosixPath("form/main.js")
# What a browser may load of client/js: the SDK and the page on top of it.
FOLDERS = frozenset({"src", "form"})

_IMPORT = re.compile(r' from "(\.[\w./-]+\.js)";$', re.MULTILINE)


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
