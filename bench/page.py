"""How much script the respondent's page loads: on a slow phone this is what a respondent waits for.

The page is asked for as a browser would ask, and the imports of its modules are followed. Every module travels by
itself, so each is compressed by itself. Data blocks (the signed survey) are not script.
"""

from __future__ import annotations

import gzip
import re
import tempfile
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urljoin, urlsplit

from flask.testing import FlaskClient

from bench import survey
from bench.results import BenchError, Benchmark, Effort, Figure, Watcher, below
from hushpoll_server import keys
from hushpoll_server.app import create_app
from hushpoll_server.services import Services
from hushpoll_server.settings import load_settings
from hushpoll_server.surveys.definition import compile_survey

GOAL_BYTES = 15_000
QUESTIONS = 3
BASE = "http://localhost"

# `import … from "…"`, `export … from "…"`, `import "…"` and `import("…")`.
# Not import("…"): a plain survey loads none of the modules for other types. JSDoc names types with it, too.
_IMPORT = re.compile(r"""(?:\bfrom|\bimport)\s*["'](\.[^"']+)["']""")
_JSDOC = re.compile(r"/\*\*.*?\*/", re.DOTALL)
_SCRIPT_TYPES = {"", "module", "text/javascript"}


def measure(_: Effort, watcher: Watcher) -> list[Figure]:
    """Load the form and everything that it imports."""
    watcher.step("following the imports of the form")
    with tempfile.TemporaryDirectory(prefix="hushpoll-bench-") as folder:
        app = create_app(load_settings(home=Path(folder), db=f"sqlite:///{folder}/page.sqlite", public_url=BASE))
        services: Services = app.extensions["hushpoll"]
        try:
            _publish(services, Path(folder))
            return figures(load_scripts(app.test_client(), f"/s/{survey.NAME}"))
        finally:
            services.close()


def figures(modules: dict[str, bytes]) -> list[Figure]:
    """Tell the size of each module and of all together."""
    sizes = {path: len(gzip.compress(source, mtime=0)) for path, source in modules.items()}
    total = sum(sizes.values())
    plain = sum(map(len, modules.values()))
    return [
        Figure(what=f"all {len(modules)} modules, gzipped", value=total, unit="bytes", goal=below(GOAL_BYTES)),
        Figure(what="all modules, as they lie in the repository", value=plain, unit="bytes"),
        *(Figure(what=f"  {path}", value=size, unit="bytes") for path, size in sorted(sizes.items())),
    ]


def load_scripts(client: FlaskClient, page: str) -> dict[str, bytes]:
    """Give every module that a page loads, by its path."""
    waiting = scripts_of(_get(client, page).decode())
    modules: dict[str, bytes] = {}
    while waiting:
        path = waiting.pop()
        if path not in modules:
            modules[path] = _get(client, path)
            waiting += imports_of(path, modules[path].decode())
    return modules


def scripts_of(document: str) -> list[str]:
    """Find the script files that a page names."""
    finder = _ScriptFinder()
    finder.feed(document)
    return finder.found


def imports_of(path: str, source: str) -> list[str]:
    """Find the modules that a module imports, now or later."""
    return [urlsplit(urljoin(f"{BASE}{path}", relative)).path for relative in _IMPORT.findall(_JSDOC.sub("", source))]


def _publish(services: Services, folder: Path) -> None:
    definition = survey.write_definition(folder, QUESTIONS)
    manifest = compile_survey(definition.read_text(), definition.name).manifest
    services.surveys.publish(manifest, keys.signing_key(folder / keys.SIGNING_KEY))


def _get(client: FlaskClient, path: str) -> bytes:
    with client.get(path) as response:
        if response.status_code != 200:
            raise BenchError(f"{path} answered {response.status_code}")
        data: bytes = response.data
        return data


class _ScriptFinder(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        source = given.get("src")
        if tag == "script" and source and (given.get("type") or "") in _SCRIPT_TYPES:
            self.found.append(urlsplit(urljoin(BASE, source)).path)


BENCHMARK = Benchmark("page", "Script on the respondent's page", lambda _: 1, measure)
