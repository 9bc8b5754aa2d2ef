"""A publisher who signs what sends an answer in clear: the page refuses it before its first screen.

What it accepts of thousands of changed manifests can be asked, reviewed and sent in a real browser.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from tests.browser import time_machine
from tests.browser.forged import serve_forged
from tests.browser.form import Site, expect_heading, expect_nothing_can_be_sent
from tests.samples.every_type import every_type
from tests.samples.presented import presented
from tests.samples.surveys import two_questions

from hushpoll_server.compile.definition import compile_survey
from hushpoll_server.words import ENGLISH
from hushpoll_shared.errors import ManifestRefused
from hushpoll_shared.manifest import Manifest

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / "client" / "js" / "test" / "accepted.mjs"
SEED = 11

THRESHOLD = str(2**64 * 3 // 4)
SUBSET = {"name": "subset", "size": 3, "picks": 1, "threshold": THRESHOLD, "odds": "6:1", "epsilon": "1.8"}
REPEATED = {
    "name": "repeated",
    "size": 3,
    "permanent": THRESHOLD,
    "instant": THRESHOLD,
    "odds": "6:1",
    "epsilon": "1.8",
}
DOUBLED = ["Yes", "No", "Yes"]
ATTACKS: dict[str, tuple[list[Any], dict[str, Any], str | None]] = {
    "a doubled option, whose extra is drawn outside the mechanism": (DOUBLED, SUBSET, None),
    "an option whose id is null, which would be told by a missing report": (["No", [None, "Yes"]], SUBSET, None),
    "a repeated question with a doubled option": (DOUBLED, REPEATED, "panel"),
}

# Choose by lot on every screen until all answers are there to be checked.
WALK = """(lot) => {
  const find = (part) => document.querySelector(`#screen [data-part=${part}]`);
  find("begin").click();
  for (let step = 0; step < 300 && !find("send"); step += 1) {
    const inputs = [...document.querySelectorAll("#screen [type=radio], #screen [type=checkbox]")];
    const slider = find("slider");
    if (slider && (lot + step) % 2) {
      slider.value = [slider.min, slider.max][lot % 2];
      slider.dispatchEvent(new Event("input", { bubbles: true }));
    } else if (slider && !inputs.length) {
      slider.click();
    } else {
      inputs[(lot + step) % inputs.length].click();
    }
    find("onward").click();
    if (find("error") && !find("error").hidden) return "stuck";
  }
  return find("send") ? "review" : "lost";
}"""


def forge(options: list[Any], mechanism: dict[str, Any], panel: str | None) -> dict[str, Any]:
    """Write one question with "prefer not to say" as a manifest of the survey that the server knows."""
    head = {**json.loads(two_questions().payload), "epsilon": "2", "panel": panel}
    question = {"id": "cheated", "text": "Did you?", "type": "single_choice", "options": options, "extras": ["decline"]}
    return {**head, "questions": [{**question, "when": None, "mechanism": mechanism}]}


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_signed_manifest_that_sends_an_answer_in_clear_is_refused_before_the_first_screen(
    page: Page, site: Site, form: str, attack: str
) -> None:
    payload = forge(*ATTACKS[attack])
    with pytest.raises(ManifestRefused):
        Manifest.read(json.dumps(payload, separators=(",", ":"), ensure_ascii=False).encode())
    serve_forged(page, payload)
    page.goto(form)
    expect_heading(page, "This survey did not pass its checks")
    expect_nothing_can_be_sent(page, site)


def test_the_same_survey_without_the_attack_is_shown(page: Page, form: str) -> None:
    for mechanism, panel in ((SUBSET, None), (REPEATED, "panel")):
        page.unroute_all()
        payload = forge(["Yes", "No"], mechanism, panel)
        assert Manifest.read(json.dumps(payload, separators=(",", ":")).encode()).survey == "campus"
        serve_forged(page, payload)
        page.goto(form)
        expect(page.get_by_role("button", name="begin")).to_be_visible()


def good_manifests() -> list[Manifest]:
    """Return surveys with every type of question, with branches and translations, and the examples of the documents."""
    files = sorted((ROOT / "docs" / "examples").glob("*.yaml"))
    return [every_type(), presented(), *(compile_survey(file.read_text(), file.name).manifest for file in files)]


def accepted_mutants(count: int) -> list[str]:
    """Let the page's own reader choose among changed manifests."""
    payloads = b"\n".join(replace(manifest, survey="campus").payload for manifest in good_manifests())
    node = shutil.which("node")
    assert node
    run = subprocess.run([node, PROGRAM, str(SEED), str(count)], input=payloads, capture_output=True, check=True)
    return run.stdout.decode().splitlines()


@pytest.mark.parametrize(
    "count", [25, pytest.param(600, marks=[pytest.mark.slow, pytest.mark.timeout(3600)])], ids=["quick", "long"]
)
def test_whatever_changed_manifest_the_page_accepts_can_be_asked_reviewed_and_sent(
    new_context: Callable[..., BrowserContext], site: Site, form: str, count: int
) -> None:
    for lot, payload in enumerate(accepted_mutants(count)):
        context = new_context()
        time_machine.install(context)
        serve_forged(context, payload)
        page = context.new_page()
        page.goto(form)
        expect(page.get_by_role("button", name="begin")).to_be_visible()
        assert page.evaluate(WALK, lot) == "review", payload
        page.get_by_role("button", name="Send").click()
        # With branches it leaves at its time.
        if '"when":[' in payload:
            expect_heading(page, ENGLISH["held"][0])
            time_machine.turn_to_last(page)
        # The server knows another manifest under this name.
        expect_heading(page, ENGLISH["refused"][0])
        assert len(site.sent) == lot + 1, payload
        context.close()
