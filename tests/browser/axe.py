"""axe-core in the page: what it finds against WCAG 2.2 AA and good practice, in readable sentences.

The page keeps its Content-Security-Policy. axe is handed to it by the debugger, as no script of the
page could be, so nothing is bypassed and nothing that axe looks at is another page than the respondent's.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from playwright.sync_api import Frame, Page

SOURCE = Path(__file__).parents[2] / "client" / "js" / "node_modules" / "axe-core" / "axe.min.js"
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

# What was passed is not needed, and leaving it out is half of the time.
RUN = """async (tags) => {
  const options = { runOnly: { type: "tag", values: tags }, resultTypes: ["violations"], elementRef: false };
  const { violations, testEngine } = await axe.run(document, options);
  return { violations, engine: testEngine.version };
}"""


def violations(page: Page | Frame) -> list[str]:
    """Return every violation on the screen as it stands, one sentence each."""
    if not page.evaluate("'axe' in globalThis"):
        page.evaluate(source())
    found = page.evaluate(RUN, TAGS)["violations"]
    return [sentence(violation, node) for violation in found for node in violation["nodes"]]


def sentence(violation: dict[str, Any], node: dict[str, Any]) -> str:
    """Return which rule is broken, where, and what axe would change."""
    place = " ".join(str(part) for part in node["target"])
    cure = " ".join(node["failureSummary"].split())
    return f"{violation['id']} ({violation['impact']}) at {place}: {cure}"


@cache
def source() -> str:
    """Read axe-core, which `tools/bootstrap.py test` installs."""
    if not SOURCE.exists():
        raise RuntimeError("axe-core is missing; run: python3 tools/bootstrap.py test")
    return SOURCE.read_text(encoding="utf-8")
