"""How much script the respondent's page loads: on a slow phone this is what a respondent waits for.

The page and the scripts that it names are requested as a browser would. The scripts hold every type of question and
every mechanism, and import nothing. Data blocks (the signed survey, the words) are not script.
"""

from __future__ import annotations

import gzip
import tempfile
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urljoin, urlsplit

from flask.testing import FlaskClient

from bench import survey
from bench.results import BenchError, Benchmark, Effort, Figure, Watcher, below
from hushpoll_server.app import create_app
from hushpoll_server.compile.definition import compile_survey
from hushpoll_server.services import Services
from hushpoll_server.settings import load_settings
from hushpoll_server.surveys import keys

GOAL_BYTES = 20_000
QUESTIONS = 3
BASE = "http://localhost"

_SCRIPT_TYPES = {"", "module", "text/javascript"}


def measure(_: Effort, watcher: Watcher) -> list[Figure]:
    """Load the form and every script that it names."""
    watcher.step("loading the form")
    with tempfile.TemporaryDirectory(prefix="hushpoll-bench-") as folder:
        app = create_app(load_settings(home=Path(folder), db=f"sqlite:///{folder}/page.sqlite", public_url=BASE))
        services: Services = app.extensions["hushpoll"]
        try:
            _publish(services, Path(folder))
            return figures(load_scripts(app.test_client(), f"/s/{survey.NAME}"))
        finally:
            services.close()


def figures(scripts: dict[str, bytes]) -> list[Figure]:
    """Return the size of each script and of all together."""
    sizes = {path: len(gzip.compress(source, mtime=0)) for path, source in scripts.items()}
    plain = sum(map(len, scripts.values()))
    return [
        Figure(what="all scripts, gzipped", value=sum(sizes.values()), unit="bytes", goal=below(GOAL_BYTES)),
        Figure(what="all scripts, as they run", value=plain, unit="bytes"),
        *(Figure(what=f"  {path}", value=size, unit="bytes") for path, size in sorted(sizes.items())),
    ]


def load_scripts(client: FlaskClient, page: str) -> dict[str, bytes]:
    """Return every script that a page loads, by its path."""
    return {path: _get(client, path) for path in scripts_of(_get(client, page).decode())}


def scripts_of(document: str) -> list[str]:
    """Return the paths of the scripts that a page names."""
    finder = _ScriptFinder()
    finder.feed(document)
    return finder.paths


def _publish(services: Services, folder: Path) -> None:
    definition = survey.write_definition(folder, QUESTIONS)
    manifest = compile_survey(definition.read_text(), definition.name).manifest
    services.surveys.publish(manifest, keys.signing_key(folder / keys.SIGNING_KEY))


def _get(client: FlaskClient, path: str) -> bytes:
    with client.get(path) as response:
        if response.status_code != 200:
            raise BenchError(f"the response to {path} was {response.status_code}")
        data: bytes = response.data
        return data


class _ScriptFinder(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.paths: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        source = attributes.get("src")
        if tag == "script" and source and (attributes.get("type") or "") in _SCRIPT_TYPES:
            self.paths.append(urlsplit(urljoin(BASE, source)).path)


BENCHMARK = Benchmark("page", "Script on the respondent's page", lambda _: 1, measure)
