"""The API does what its description says, whatever a program makes of that description (Schemathesis, as a program).

The description leaves open what only a manifest says. So it is narrowed for one survey: then valid requests are
accepted, and the invalid ones are wrong in one place only.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.fuzz.conftest import Figures
from tests.running.server_process import ServerProcess
from tests.samples.surveys import KEY, two_questions
from tests.server.collect.recount import recount
from tests.server.gateways.senders import admit

from hushpoll_server.services import Services
from hushpoll_server.settings import Settings

MANIFEST = two_questions()
EMAIL = "ada@example.org"
# No description can say that a body is packed only if it says so, or which options go together; and of the figures
# for the operator nobody learns without the token that there are any: that is 404, not 401.
BEYOND_A_DESCRIPTION = "positive_data_acceptance,missing_required_header"
CASES = re.compile(r"(\d+) generated")

pytestmark = pytest.mark.loopback


@pytest.fixture
def running(tmp_path: Path, sqlite_url: str) -> Iterator[ServerProcess]:
    server = ServerProcess(tmp_path / "home", sqlite_url, settings='metrics_token = "sixteen-letters-or-more"\n')
    yield server
    server.kill()


def narrowed(description: dict[str, Any]) -> dict[str, Any]:
    """Return which survey exists, and what its reports look like."""
    schemas = description["components"]["schemas"]
    report = schemas["Report"]["properties"]
    schemas["Name"] = {"const": MANIFEST.survey}
    report["manifest"] = {"const": MANIFEST.id}
    questions = [question.id for question in MANIFEST.questions]
    report["answers"] = {
        "type": "object",
        "properties": {name: {"enum": ["0", "1"]} for name in questions},
        "required": questions,
        "additionalProperties": False,
    }
    return description


def check_description(server: ServerProcess, *, narrow: bool, how: list[str]) -> int:
    """Let Schemathesis try the API of a server; return how many cases it made."""
    server.home.mkdir()
    services = Services(Settings(home=server.home, db=server.database_url))
    services.surveys.publish(MANIFEST, KEY)
    services.researchers.add(EMAIL)
    token = services.researchers.new_api_token(EMAIL)
    admit(services, token)
    services.close()
    server.start()
    with urllib.request.urlopen(f"{server.address}/api/openapi.json") as answer:
        description = json.load(answer)
    file = server.home / "openapi.json"
    file.write_text(json.dumps(narrowed(description) if narrow else description))
    made = run_schemathesis(file, server, token, how)
    server.stop()
    check_stored(server, some=narrow)
    return made


def run_schemathesis(file: Path, server: ServerProcess, token: str, how: list[str]) -> int:
    command = [str(Path(sys.executable).with_name("schemathesis")), "run", str(file), "--url", server.address]
    command += [
        "--checks=all",
        f"--exclude-checks={BEYOND_A_DESCRIPTION}",
        "--seed=20261116",
        *how,
    ]
    command += ["--header", f"Authorization:Bearer {token}", "--request-timeout=5", "--warnings=off"]
    command += ["--generation-database=none", "--continue-on-failure", "--no-color"]
    done = subprocess.run(command, cwd=server.home, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    found = CASES.search(done.stdout)
    assert found, done.stdout
    return int(found[1])


def check_stored(server: ServerProcess, *, some: bool) -> None:
    services = Services(Settings(home=server.home, db=server.database_url))
    stored = services.collect.number_of_reports(MANIFEST.survey)
    counts, recounted = services.collect.counts(MANIFEST.survey), recount(services, MANIFEST.survey)
    services.close()
    assert counts == recounted
    assert bool(stored) == some


def test_the_api_does_what_its_description_says(running: ServerProcess) -> None:
    assert check_description(running, narrow=True, how=["--phases=coverage"]) > 50


@pytest.mark.parametrize("narrow", [False, True], ids=["as it is served", "narrowed to a survey"])
@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_thousands_of_cases(
    running: ServerProcess, narrow: bool, figures: Figures, request: pytest.FixtureRequest
) -> None:
    made = check_description(running, narrow=narrow, how=["--phases=coverage,fuzzing", "--max-examples=1000"])
    figures(f"Schemathesis: the description {request.node.callspec.id}", made)
