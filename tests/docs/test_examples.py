"""The examples of the SDKs' pages run as they stand, against a real server.

Only the address and the key are put in their place; the surveys are those of docs/examples. The example of README.md
runs against the demonstration: tests/integration/test_demo.py.
"""

from __future__ import annotations

import importlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from flask import Flask
from tests.running.server_process import ServerProcess

from hushpoll_client import Client
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


def example(page: str, language: str, call: str) -> str:
    """Return the one block of code in this language that has this call."""
    text = (ROOT / page).read_text(encoding="utf-8")
    blocks = re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    [code] = [block for block in blocks if call in block]
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


@pytest.mark.parametrize("survey", SURVEYS)
def test_the_python_example_is_answered_and_counted_once(survey: str, site: Site, tmp_path: Path) -> None:
    code = placed(example("docs/python-sdk.md", "python", f'survey = client.survey("{survey}")'), site)
    (tmp_path / "example.py").write_text(code, encoding="utf-8")
    before = site.reports(survey)
    assert "accepted" in run([sys.executable, "example.py"], tmp_path)
    assert site.reports(survey) == before + 1


def test_the_asynchronous_example_is_answered_and_counted_once(site: Site, tmp_path: Path) -> None:
    code = placed(example("docs/python-sdk.md", "python", "AsyncClient(client)"), site)
    before = site.reports("campus-integrity")
    assert run([sys.executable, "-c", code], tmp_path).startswith("accepted ")
    assert site.reports("campus-integrity") == before + 1


def test_the_backend_of_the_page_answers_once_for_each_who_is_signed_in(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("rows", "flask_app"):
        code = example("docs/python-sdk.md", "python", f"# {name}.py\n")
        (tmp_path / f"{name}.py").write_text(placed(code, site) if "SERVER" in code else code, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    backend = importlib.import_module("flask_app")
    before = site.reports("campus-integrity")
    assert [answer_as(backend.app, "ada", {"cheated": True})[1] for _ in range(2)] == [400, 400]
    given = {"cheated": True, "helped": False}
    assert [answer_as(backend.app, user, given) for user in ("ada", "ada", "grace")] == [
        ({"status": "accepted"}, 200),
        ({"problems": ["You have already answered."]}, 409),
        ({"status": "accepted"}, 200),
    ]
    assert site.reports("campus-integrity") == before + 2
    backend.rows.database.close()


def test_the_gateway_of_the_page_sends_a_file_of_reports(site: Site, tmp_path: Path) -> None:
    code = example("docs/python-sdk.md", "python", "Gateway(").replace(ADDRESS, site.address)
    with Client(site.address, key=site.key) as client:
        survey = client.survey("campus-integrity")
        lines = [survey.randomize({"cheated": True, "helped": False}).encode() + b"\n" for _ in range(3)]
    (tmp_path / "reports.ndjson").write_bytes(b"".join([*lines, b"{}\n"]))
    before = site.reports("campus-integrity")
    code = code.replace("the gateway's token", site.services.gateways.add("field-work"))
    assert run([sys.executable, "-c", code], tmp_path) == "3 0 1\n3 urn:hushpoll:problem:not-a-report\n"
    assert site.reports("campus-integrity") == before + 3


def answer_as(app: Flask, user: str, answers: dict[str, bool]) -> tuple[object, int]:
    """Send answers to the backend as somebody who is signed in."""
    browser = app.test_client()
    with browser.session_transaction() as session:
        session["user"] = user
    response = browser.post("/answers", json=answers)
    return response.get_json(), response.status_code


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory, node: Path) -> Path:
    """Pack the SDK in what is like a fresh clone, without other packages, and install it in an empty project."""
    clone, app = tmp_path_factory.mktemp("clone"), tmp_path_factory.mktemp("app")
    shutil.copytree(
        ROOT / "client" / "js", clone / "client" / "js", ignore=shutil.ignore_patterns("node_modules", "LICENSE")
    )
    shutil.copy(ROOT / "LICENSE", clone)
    npm(node, "pack", clone / "client" / "js", folder=app)
    [tarball] = app.glob("hushpoll-*.tgz")
    (app / "package.json").write_text('{"private": true}')
    npm(node, "install", f"./{tarball.name}", folder=app)
    return app


def npm(node: Path, *arguments: str | Path, folder: Path) -> None:
    """Run npm as a newcomer does, without a registry."""
    alone = {"npm_config_cache": str(folder / ".npm"), "npm_config_userconfig": str(folder / ".npmrc")}
    path = f"{node.parent}{os.pathsep}{os.environ['PATH']}"
    command = [node.parent / "npm", *arguments, "--offline", "--no-audit", "--no-fund", "--silent"]
    subprocess.run(command, cwd=folder, env={**os.environ, **alone, "PATH": path}, check=True, capture_output=True)


@pytest.mark.parametrize("survey", SURVEYS)
def test_the_javascript_example_is_answered_and_counted_once_from_the_packed_package(
    survey: str, site: Site, app: Path, node: Path
) -> None:
    code = placed(example("docs/javascript-sdk.md", "js", f'survey("{survey}")'), site)
    (app / f"{survey}.mjs").write_text(code, encoding="utf-8")
    before = site.reports(survey)
    assert "accepted" in run([str(node), f"{survey}.mjs"], app)
    assert site.reports(survey) == before + 1
