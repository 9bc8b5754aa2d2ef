"""The examples that read figures through the API, run against a server: Python, curl and, where it is installed, R."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.running.web import serve_app
from tests.samples.surveys import KEY, two_questions
from tests.vectors.groups import FACULTY

from hushpoll_client import Survey
from hushpoll_server.app import create_app
from hushpoll_server.mechanisms import Bound
from hushpoll_server.mechanisms.subset import SubsetMechanism
from hushpoll_server.settings import Settings
from hushpoll_shared.groups import Groups
from hushpoll_shared.question_types import Scale
from hushpoll_shared.questions import Question

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
PEOPLE = 400

pytestmark = pytest.mark.loopback


@pytest.fixture
def arguments(tmp_path: Path, sqlite_url: str) -> Iterator[list[str]]:
    """Serve a survey with reports; yield the address, its name and a token."""
    app = create_app(Settings(home=tmp_path / "home", db=sqlite_url))
    services = app.extensions["hushpoll"]
    stress = Question("stress", "How much?", Scale(1, 5), SubsetMechanism.of(Bound.of_epsilon("1"), 5))
    manifest = two_questions(groups=Groups((FACULTY,), 5), questions=(*two_questions().questions, stress))
    services.surveys.publish(manifest, KEY)
    drawn = Survey(manifest)
    services.collect.take(
        "campus",
        [
            drawn.randomize(
                {"cheated": place % 4 < 2 * (place % 2), "helped": place % 3 == 0, "stress": 1 + place % 5},
                groups=[("arts", "engineering")[place % 2]],
            ).encode()
            for place in range(PEOPLE)
        ],
    )
    services.researchers.add("ada@example.org")
    token = services.researchers.new_api_token("ada@example.org")
    with serve_app(app) as port:
        yield [f"http://127.0.0.1:{port}", "campus", token]
    services.close()


def output(*command: str) -> list[str]:
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_python_reads_all_figures(arguments: list[str]) -> None:
    lines = output(sys.executable, str(EXAMPLES / "figures.py"), *arguments)
    assert len(lines) == 1 + 1 + 5 + 1 + 4 + 1 + 2
    assert lines[7].startswith("arts − engineering: ")
    assert lines[12].startswith("median of stress: ")
    assert lines[14].startswith("faculty=engineering: ")


def test_curl_reads_all_figures(arguments: list[str]) -> None:
    if shutil.which("curl") is None:
        pytest.skip("NOT TESTED: curl is not installed, so docs/examples/figures.sh was not run")
    estimates, comparison, table, quantiles, fit = map(
        json.loads, output("sh", str(EXAMPLES / "figures.sh"), *arguments)
    )
    assert estimates["questions"]["cheated"]["n"] == comparison["groups"][0]["n"] + comparison["groups"][1]["n"]
    assert table["n"] == quantiles["n"] == fit["n"] == PEOPLE


def test_r_reads_the_same_figures_as_python(arguments: list[str]) -> None:
    has_json = (
        shutil.which("Rscript")
        and not subprocess.run(["Rscript", "-e", "library(jsonlite)"], capture_output=True, check=False).returncode
    )
    if not has_json:
        pytest.skip("NOT TESTED: R with jsonlite is not installed, so docs/examples/figures.R was not run")
    lines = output("Rscript", str(EXAMPLES / "figures.R"), *arguments)
    assert lines == output(sys.executable, str(EXAMPLES / "figures.py"), *arguments)
