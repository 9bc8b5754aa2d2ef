"""The examples of README.md and of the SDKs' pages run as they stand, against a real server.

Only the address and the key are put in their place; the surveys are those of docs/examples.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.running.server_process import ServerProcess

from hushpoll_server.compile.definition import compile_survey
from hushpoll_server.services import Services
from hushpoll_server.settings import Settings
from hushpoll_shared.signing import SigningKey

pytestmark = pytest.mark.loopback

ROOT = Path(__file__).parents[2]
SURVEYS = {
    "campus-integrity": ROOT / "docs" / "examples" / "campus-integrity.yaml",
    "campus-life": ROOT / "docs" / "examples" / "every-type.yaml",
}
ADDRESS = "https://polls.example.org"
KEY = re.compile(r"ed25519:[\w…-]+")
# The possible answers at the end of a question, as in [y/n], [1 to 5] or [bus; tram].
POSSIBLE = re.compile(r"\[([^\[\]]+?)(?:/| to |; )[^\[\]]*\] \Z")
MOST_LINES = 25


@dataclass(frozen=True)
class Site:
    """A server with the surveys of the examples."""

    address: str
    key: str
    services: Services

    def reports(self, survey: str) -> int:
        return self.services.collect.number_of_reports(survey)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    home = tmp_path_factory.mktemp("home")
    database = f"sqlite:///{home / 'hushpoll.db'}"
    services, key = Services(Settings(home=home, db=database)), SigningKey.generate()
    for path in SURVEYS.values():
        services.surveys.publish(compile_survey(path.read_text(encoding="utf-8"), path.name).manifest, key)
    server = ServerProcess(home, database)
    server.start()
    yield Site(server.address, key.public, services)
    server.kill()
    services.close()


def example(page: str, language: str, survey: str) -> str:
    """Return the one block of code in this language that answers this survey."""
    text = (ROOT / page).read_text(encoding="utf-8")
    blocks = re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    [code] = [block for block in blocks if f'survey("{survey}")' in block]
    assert len(code.splitlines()) <= MOST_LINES
    return str(code)


def placed(code: str, site: Site) -> str:
    """Put the server's address and key into the example."""
    assert ADDRESS in code
    assert KEY.search(code)
    return KEY.sub(site.key, code.replace(ADDRESS, site.address))


def run(command: list[str], folder: Path) -> str:
    """Run the example as somebody would who reads each question, if there are any, and types the first answer."""
    with subprocess.Popen(
        command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdin
        assert process.stdout
        said = ""
        while character := process.stdout.read(1):
            said += character
            if asked := POSSIBLE.search(said):
                process.stdin.write(f"{asked[1]}\n")
                process.stdin.flush()
    assert process.returncode == 0, said
    return said


@pytest.mark.parametrize(
    ("page", "survey"),
    [
        ("README.md", "campus-integrity"),
        ("docs/python-sdk.md", "campus-integrity"),
        ("docs/python-sdk.md", "campus-life"),
    ],
)
def test_the_python_example_is_answered_and_counted_once(page: str, survey: str, site: Site, tmp_path: Path) -> None:
    (tmp_path / "example.py").write_text(placed(example(page, "python", survey), site), encoding="utf-8")
    before = site.reports(survey)
    assert "accepted" in run([sys.executable, "example.py"], tmp_path)
    assert site.reports(survey) == before + 1


@pytest.mark.parametrize("survey", SURVEYS)
def test_the_javascript_example_is_answered_and_counted_once(
    survey: str, site: Site, tmp_path: Path, node: Path
) -> None:
    # What `npm install` would do.
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules" / "hushpoll").symlink_to(ROOT / "client" / "js", target_is_directory=True)
    code = placed(example("docs/javascript-sdk.md", "js", survey), site)
    (tmp_path / "example.mjs").write_text(code, encoding="utf-8")
    before = site.reports(survey)
    assert "accepted" in run([str(node), "example.mjs"], tmp_path)
    assert site.reports(survey) == before + 1
