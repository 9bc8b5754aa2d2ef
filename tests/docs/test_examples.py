"""The examples of README.md and of the SDKs' pages run as they stand, against a real server.

Only the address and the key are put in their place; the survey is docs/examples/campus-integrity.yaml.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.support.server_process import ServerProcess

from hushpoll_server.services import Services
from hushpoll_server.settings import Settings
from hushpoll_server.surveys.definition import compile_survey
from hushpoll_shared.signing import SigningKey

pytestmark = pytest.mark.loopback

ROOT = Path(__file__).parents[2]
SURVEY = ROOT / "docs" / "examples" / "campus-integrity.yaml"
ADDRESS = "https://polls.example.org"
KEY = re.compile(r"ed25519:[\w…-]+")
MOST_LINES = 25


@dataclass(frozen=True)
class Site:
    """A server with a published survey."""

    address: str
    key: str
    services: Services

    def reports(self) -> int:
        return self.services.collect.number_of_reports("campus-integrity")


@pytest.fixture
def site(tmp_path: Path, sqlite_url: str) -> Iterator[Site]:
    services, key = Services(Settings(home=tmp_path / "home", db=sqlite_url)), SigningKey.generate()
    services.surveys.publish(compile_survey(SURVEY.read_text(encoding="utf-8"), SURVEY.name).manifest, key)
    server = ServerProcess(tmp_path / "home", sqlite_url)
    server.start()
    yield Site(server.address, key.public, services)
    server.kill()
    services.close()


def example(page: str, language: str) -> str:
    """Give the one block of code in this language."""
    [code] = re.findall(
        rf"^```{language}\n(.*?)^```$", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )
    return str(code)


def placed(code: str, site: Site) -> str:
    """Put the server's address and key into the example."""
    assert ADDRESS in code
    assert KEY.search(code)
    return KEY.sub(site.key, code.replace(ADDRESS, site.address))


def run(command: list[str], folder: Path) -> str:
    """Run the example as somebody would who reads each question, if it asks any, and types yes."""
    with subprocess.Popen(
        command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdin
        assert process.stdout
        said = ""
        while character := process.stdout.read(1):
            said += character
            if said.endswith("[y/n] "):
                process.stdin.write("y\n")
                process.stdin.flush()
    assert process.returncode == 0, said
    return said


@pytest.mark.parametrize("page", ["README.md", "docs/python-sdk.md"])
def test_the_python_example_is_answered_and_counted_once(page: str, site: Site, tmp_path: Path) -> None:
    code = example(page, "python")
    assert len(code.splitlines()) <= MOST_LINES
    (tmp_path / "example.py").write_text(placed(code, site), encoding="utf-8")
    assert "accepted" in run([sys.executable, "example.py"], tmp_path)
    assert site.reports() == 1


def test_the_javascript_example_is_answered_and_counted_once(site: Site, tmp_path: Path, node: Path) -> None:
    code = example("docs/javascript-sdk.md", "js")
    assert len(code.splitlines()) <= MOST_LINES
    # What `npm install` would do.
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules" / "hushpoll").symlink_to(ROOT / "client" / "js", target_is_directory=True)
    (tmp_path / "example.mjs").write_text(placed(code, site), encoding="utf-8")
    assert "accepted" in run([str(node), "example.mjs"], tmp_path)
    assert site.reports() == 1
