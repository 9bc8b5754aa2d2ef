"""The whole story, with the real command line, the real server and the real SDK.

A researcher writes a survey and publishes it; devices verify it, randomize and send; the researcher signs in and reads
estimates with intervals; the export gives the same figures; the survey closes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any

from tests.running.server_process import ServerProcess

from hushpoll_client import Client, Receipt

RESPONDENTS = 400
CHEATERS = 120
DEFINITION = """\
survey: campus-integrity
title: Campus integrity
consent: Taking part is voluntary.
epsilon_cap: "3"
questions:
  - id: cheated
    text: Have you ever cheated in an exam here?
    type: yes_no
    privacy: {odds: "3:1"}
  - id: helped
    text: Have you ever helped somebody else to cheat?
    type: yes_no
    privacy: {epsilon: "1"}
"""


class Researcher:
    """Somebody with a terminal and a browser."""

    def __init__(self, folder: Path, database_url: str, address: str) -> None:
        self._folder, self._address = folder, address
        self._environment = {
            **os.environ,
            "HUSHPOLL_HOME": str(folder / "home"),
            "HUSHPOLL_DB": database_url,
            "HUSHPOLL_PUBLIC_URL": address,
        }
        self._browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))

    def types(self, *arguments: str) -> str:
        """Run a command of hushpoll; it must succeed."""
        command = [sys.executable, "-m", "hushpoll_client", *arguments]
        done = subprocess.run(
            command, env=self._environment, cwd=self._folder, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def opens(self, address: str, *, form: bytes | None = None, **headers: str) -> str:
        """Open a page, or send it a form, following redirects with cookies."""
        request = urllib.request.Request(address, form, headers=headers)
        with self._browser.open(request, timeout=10) as page:
            text: str = page.read().decode()
            return text


def answer(server: ServerProcess, key: str, answers: dict[str, bool]) -> Receipt:
    """Answer as one respondent's device does."""
    with Client(server.address, key=key, max_epsilon="3") as device:
        survey = device.survey("campus-integrity")
        return device.submit(survey.randomize(answers))


def test_a_survey_from_the_question_to_the_interval(tmp_path: Path, server: ServerProcess, database_url: str) -> None:
    researcher = Researcher(tmp_path, database_url, server.address)
    (tmp_path / "survey.yaml").write_text(DEFINITION)
    published = json.loads(researcher.types("survey", "publish", "survey.yaml", "--json"))
    server.start()

    # 400 devices, 120 of them of people who cheated; nobody helped.
    truths = [{"cheated": number < CHEATERS, "helped": False} for number in range(RESPONDENTS)]
    with ThreadPoolExecutor(8) as devices:
        receipts = list(devices.map(lambda truth: answer(server, published["key"], truth), truths))
    assert {receipt.status for receipt in receipts} == {"accepted"}
    assert len({receipt.id for receipt in receipts}) == RESPONDENTS

    link = researcher.types("researcher", "add", "ada@example.org")
    assert "ada@example.org" in researcher.opens(link)
    assert "400 reports" in researcher.opens(link, form=b"")
    dashboard = researcher.opens(f"{server.address}/surveys/campus-integrity")
    assert "Have you ever cheated in an exam here?" in dashboard
    assert "n = 400" in dashboard

    token = researcher.types("researcher", "token", "ada@example.org")
    url = f"{server.address}/api/v1/surveys/campus-integrity/estimates"
    estimates = json.loads(researcher.opens(url, Authorization=f"Bearer {token}"))
    # Five conditional standard errors: a false alarm in fewer than one run of a million.
    assert within_five_errors(estimates["questions"]["cheated"], CHEATERS / RESPONDENTS)
    assert within_five_errors(estimates["questions"]["helped"], 0)

    manifest = tmp_path / "manifest.json"
    manifest.write_text(researcher.opens(f"{server.address}/api/v1/surveys/campus-integrity/manifest"))
    researcher.types("export", "campus-integrity", "--format", "ndjson", "--out", "reports.ndjson")
    recomputed = researcher.types("estimate", "--manifest", str(manifest), "--reports", "reports.ndjson", "--json")
    assert json.loads(recomputed) == estimates

    researcher.types("survey", "close", "campus-integrity")
    late = answer(server, published["key"], {"cheated": True, "helped": True})
    assert (late.status, late.problem) == ("rejected", "urn:hushpoll:problem:survey-closed")
    listed = json.loads(researcher.types("survey", "list", "--json"))["surveys"]
    assert [(row["phase"], row["reports"]) for row in listed] == [("closed", RESPONDENTS)]


def within_five_errors(question: dict[str, Any], truth: float) -> bool:
    """Return whether an estimate is where chance can leave it."""
    [cell] = question["cells"]
    return bool(question["n"] == RESPONDENTS and abs(cell["estimate"] - truth) < 5 * cell["se"])
