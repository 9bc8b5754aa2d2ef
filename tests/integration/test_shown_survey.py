"""A survey from its file to the estimates: translated, and with a question that not everybody sees."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner, Result

from hushpoll_client.cli import main
from hushpoll_shared.signing import verify

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "two-languages.yaml"
ANSWERS = [
    {"cheated": True, "frequency": "once", "stress": 3},
    {"cheated": False, "frequency": "does_not_apply", "stress": 1},
]
TRUTH = {
    "cheated": {"yes": 0.3, "no": 0.7},
    "frequency": {"once": 0.1, "few": 0.1, "often": 0.1, "does_not_apply": 0.7},
    "stress": {str(point): 0.2 for point in range(1, 6)},
}


def run(*arguments: str, text: str | None = None) -> Result:
    result = CliRunner().invoke(main, arguments, input=text, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result


def test_every_command_that_reads_a_manifest_takes_translations_and_branches(tmp_path: Path) -> None:
    manifest, reports, truth = (str(tmp_path / name) for name in ("m.json", "r.ndjson", "t.json"))
    run("survey", "compile", str(EXAMPLE), "--out", manifest, "--key", str(tmp_path / "key.pem"))
    assert verify(Path(manifest).read_bytes()).languages == ("en", "ar", "fr")
    lines = "".join(f"{json.dumps(answers)}\n" for answers in ANSWERS)
    Path(reports).write_text(run("randomize", "--manifest", manifest, text=lines).stdout, encoding="utf-8")
    # Whoever was shown what, a report has the same length.
    assert len({len(line) for line in Path(reports).read_text(encoding="utf-8").splitlines()}) == 1
    estimate = json.loads(run("estimate", "--manifest", manifest, "--reports", reports, "--json").stdout)
    assert [cell["name"] for cell in estimate["questions"]["frequency"]["cells"]][-1] == "does_not_apply"
    Path(truth).write_text(json.dumps(TRUTH), encoding="utf-8")
    simulated = json.loads(run("simulate", "--manifest", manifest, "--truth", truth, "--n", "500", "--json").stdout)
    assert simulated["questions"].keys() == TRUTH.keys()
    # At this level an honest client is refused in one audit of a million.
    words = ("--runs", "1000", "--level", "0.999999", "--json")
    audited = json.loads(run("audit", "--manifest", manifest, *words).stdout)
    assert {name: found["design"] for name, found in audited["questions"].items()} == dict.fromkeys(TRUTH, "stated")
