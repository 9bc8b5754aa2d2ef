"""Scripts in other languages: run on the exported reports, they give the dashboard's figures."""

from __future__ import annotations

import csv
import json
import math
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.samples.exported import bodies_of, everything
from tests.samples.surveys import two_questions
from tests.vectors.surveys import surveys

from hushpoll_client.survey import Survey
from hushpoll_server.analysis import Options, analyse
from hushpoll_server.export.r_script import text as r_text
from hushpoll_server.export.reports import report_columns, report_rows
from hushpoll_server.export.scripts import script
from hushpoll_server.export.spreadsheet import csv_parts
from hushpoll_server.export.stata_script import text as stata_text
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.report import Report, decode

RSCRIPT = shutil.which("Rscript")
SECONDS = 60

# Manifest changes, number of reports, level and method.
CASES: dict[str, tuple[dict[str, Any], int, float, str | None]] = {
    "many reports": ({}, 400, 0.95, None),
    "another level": ({}, 150, 0.8, None),
    "wilson": ({}, 60, 0.95, "wilson"),
    "exact": ({}, 60, 0.99, "exact"),
    "a population": ({"population": 500}, 400, 0.95, None),
    "a population, wilson": ({"population": 300}, 200, 0.9, "wilson"),
    "a census": ({"population": 150}, 150, 0.95, "wilson"),
    "more reports than people": ({"population": 50}, 150, 0.95, None),
    "one report": ({}, 1, 0.95, None),
    "no reports": ({}, 0, 0.95, None),
}
every_case = pytest.mark.parametrize("case", CASES)


def write(folder: Path, manifest: Manifest, reports: list[Report]) -> None:
    (folder / "reports.csv").write_bytes(b"".join(csv_parts(report_columns(manifest), report_rows(manifest, reports))))


def prepared(case: str, folder: Path) -> tuple[Manifest, list[Report], Options]:
    """Write the reports of a case."""
    changes, number, level, method = CASES[case]
    manifest = everything(**changes)
    reports = [decode(body, manifest) for body in bodies_of(manifest, number)]
    write(folder, manifest, reports)
    return manifest, reports, Options(level=level, method=method)


def execute_notebook(folder: Path, content: bytes) -> Any:
    """Run the code of a notebook in a fresh process that can import NumPy and SciPy only; return its figures."""
    (folder / "n.ipynb").write_bytes(content)
    program = (
        "import builtins, json, sys\n"
        "sys.path = [each for each in sys.path if 'hushpoll' not in each and each not in ('', '.')]\n"
        "cells = json.load(open('n.ipynb', encoding='utf-8'))['cells']\n"
        "names = {}\n"
        "for cell in cells:\n"
        "    if cell['cell_type'] == 'code':\n"
        "        exec(compile(''.join(cell['source']), 'cell', 'exec'), names)\n"
        "known = {name.partition('.')[0] for name in sys.modules}\n"
        "assert not any(name.startswith('hushpoll') for name in known)\n"
        "json.dump(names['figures'], open('figures.json', 'w', encoding='utf-8'), allow_nan=False)\n"
    )
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [sys.executable, "-I", "-c", program],
        cwd=folder, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads((folder / "figures.json").read_text("utf-8"))


def run_r(folder: Path, content: bytes, **environment: str) -> Any:
    """Run a script of R; return the figures that it writes."""
    if RSCRIPT is None:
        pytest.skip("NOT TESTED: R is not installed, so nobody has run the R script: install r-base-core")
    (folder / "s.R").write_bytes(content)
    done = subprocess.run(
        [RSCRIPT, "--vanilla", "s.R", "reports.csv", "figures.csv"],
        cwd=folder, env={**os.environ, "LC_ALL": "C.UTF-8", **environment}, capture_output=True, text=True,
        timeout=SECONDS, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    with (folder / "figures.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    numbers = ("n", "count", "estimate", "se", "low", "high")
    return [{**row, **{name: float(row[name]) if row[name] else None for name in numbers}} for row in rows]


def check(figures: Any, manifest: Manifest, reports: list[Report], options: Options) -> float:
    """Compare the figures of a script with the dashboard's; return the largest difference."""
    expected: Any = analyse(manifest, reports, options=options).to_json()["questions"]
    worst, seen = 0.0, set()
    for row in figures:
        question = expected[row["question"]]
        finite = question["population"] is not None
        if row["kind"] == "mean":
            wanted = {"estimate": question["mean"]["estimate"], "se": None if finite else question["mean"]["se"]}
            if "cells" in question:
                wanted["se"] = question["mean"]["se"]
        else:
            [cell] = [each for each in question["cells"] if each["name"] == row["cell"]]
            wanted = {name: cell[name] for name in ("count", "estimate", "se", "low", "high")}
            # The shares beside a mean ignore the population.
            if "mean" not in question and finite and question["method"] == "exact":
                wanted |= {"low": None, "high": None}
            assert row["method"] == question.get("cells_method", question["method"])
        assert row["n"] == question["n"]
        for name, value in wanted.items():
            assert (row[name] is None) == (value is None), (row, name, value)
            worst = max(worst, 0.0 if value is None else abs(row[name] - value))
        seen.add((row["question"], row["cell"]))
    cells = {(name, each["name"]) for name, question in expected.items() for each in question.get("cells", [])}
    means = {(name, "") for name, question in expected.items() if "mean" in question}
    assert seen == {place for place in cells | means if place[0] != "code"}
    assert worst < 1e-9, worst
    return worst


@every_case
def test_the_notebook_gives_the_dashboards_figures(case: str, tmp_path: Path) -> None:
    manifest, reports, options = prepared(case, tmp_path)
    content = script(manifest, "notebook", level=options.level, method=options.method)
    worst = check(execute_notebook(tmp_path, content), manifest, reports, options)
    print(f"{case}: largest difference {worst:.1e}")


@every_case
def test_r_gives_the_dashboards_figures(case: str, tmp_path: Path) -> None:
    manifest, reports, options = prepared(case, tmp_path)
    content = script(manifest, "r", level=options.level, method=options.method)
    worst = check(run_r(tmp_path, content), manifest, reports, options)
    print(f"{case}: largest difference {worst:.1e}")


@pytest.mark.parametrize("name", ["some", "panel"])
def test_questions_that_few_devices_are_asked_and_panels(name: str, tmp_path: Path) -> None:
    manifest, answers = surveys()[name]
    drawn = Survey(manifest) if manifest.panel is None else None
    if drawn is None:
        draws = [{question.id: "0" if place % 3 else "1" for question in manifest.questions} for place in range(90)]
        reports = [Report(manifest.survey, manifest.id, f"{place:032x}", each) for place, each in enumerate(draws)]
    else:
        reports = [drawn.randomize(answers[0]) for _ in range(120)]
    write(tmp_path, manifest, reports)
    notebook, r = (script(manifest, language, level=0.95, method=None) for language in ("notebook", "r"))
    check(execute_notebook(tmp_path, notebook), manifest, reports, Options())
    check(run_r(tmp_path, r), manifest, reports, Options())


NASTY = 'a"; quit(status = 7) # \\ `x\' $(y) */ /* // """ \u200b\x07\n"); import os; {0} %s 🙂 ＂'


def nasty() -> tuple[Manifest, list[Report]]:
    """Return a survey whose texts and answers would do harm if a script ran them, and reports to it."""
    manifest = everything(groups=None, title=NASTY)
    questions = tuple(each for each in manifest.questions if each.id in ("cheated", "way", "income"))
    cheated, way, income = questions
    options = tuple(type(way.type.options[0])(each.id, NASTY + each.text) for each in way.type.options)  # type: ignore[union-attr]
    named = (type(options[0])(NASTY.replace("\n", "").replace("\x07", ""), "x"), *options[1:])
    changed = tuple(
        type(each)(each.id, NASTY, kind, each.design)
        for each, kind in (
            (cheated, cheated.type),
            (way, type(way.type)(named, way.type.extras)),  # type: ignore[call-arg,arg-type]
            (income, income.type),
        )
    )
    manifest = everything(groups=None, title=NASTY, questions=changed)
    source = Survey(manifest)
    answers = {"cheated": True, "way": "car", "income": 3}
    return manifest, [source.randomize(answers) for _ in range(50)]


def test_a_text_of_the_survey_never_becomes_code(tmp_path: Path) -> None:
    manifest, reports = nasty()
    write(tmp_path, manifest, reports)
    notebook, r = (script(manifest, language, level=0.95, method=None) for language in ("notebook", "r"))
    check(execute_notebook(tmp_path, notebook), manifest, reports, Options())
    check(run_r(tmp_path, r), manifest, reports, Options())
    for cell in json.loads(notebook)["cells"]:
        assert cell["cell_type"] == "code" or "quit" not in "".join(cell["source"])


def test_r_runs_where_the_locale_is_not_utf_8(tmp_path: Path) -> None:
    manifest, reports, options = prepared("wilson", tmp_path)
    content = script(manifest, "r", level=options.level, method=options.method)
    check(run_r(tmp_path, content, LC_ALL="C"), manifest, reports, options)


def test_texts_are_escaped_in_r_and_replaced_in_stata() -> None:
    assert r_text('a"b\\c\nd🙂') == '"a\\"b\\\\c\\U{a}d🙂"'
    assert stata_text("a\"b`c'd$e//f/*g\nh") == "\"a'b'c'd＄e∕∕f∕*g h\""


def test_the_notebook_is_one_that_jupyter_opens() -> None:
    document = json.loads(script(two_questions(), "notebook", level=0.95, method=None))
    assert (document["nbformat"], document["nbformat_minor"]) == (4, 4)
    assert [cell["cell_type"] for cell in document["cells"]] == ["markdown", *["code"] * 6]
    for cell in document["cells"]:
        assert isinstance(cell["source"], list)
        assert cell["cell_type"] == "markdown" or (cell["outputs"], cell["execution_count"]) == ([], None)


def test_the_stata_file_has_the_design_and_a_sound_structure() -> None:
    """Stata itself is not run: no test machine has it."""
    manifest, _ = nasty()
    for survey in (everything(population=500), manifest):
        content = script(survey, "stata", level=0.9, method=None).decode()
        for opening, closing in ("()", "{}", "[]"):
            assert without_strings(content).count(opening) == without_strings(content).count(closing)
        assert len(re.findall(r"^mata:$", content, re.MULTILINE)) == len(re.findall(r"^end$", content, re.MULTILINE))
        # No macro is expanded, and no block comment starts.
        assert "`" not in content
        assert "$" not in content
        assert "/*" not in content
    columns = [column.name for column in report_columns(manifest)]
    assert f'shares("cheated", "v{columns.index("cheated") + 1}", "place", 0.75, 0.25, (1), ("yes"))' in content
    assert "level = 0.9" in content
    calls = re.findall(r'^(shares|mean_of_values|mean_of_some)\("(\w+)"', content, re.MULTILINE)
    assert calls == [("shares", "cheated"), ("shares", "way"), ("mean_of_some", "income")]
    used = set(re.findall(r"\b(\w+)\(", without_strings(content)))
    defined = set(re.findall(r"^(?:void|(?:real|string) \w+) (\w+)\(", content, re.MULTILINE))
    assert defined <= used | {"shares", "mean_of_values", "mean_of_some"}


def without_strings(content: str) -> str:
    return re.sub(r'"[^"\n]*"', '""', content)


def test_numbers_keep_all_their_digits() -> None:
    for language in ("r", "stata", "notebook"):
        content = script(two_questions(), language, level=0.95, method=None).decode()
        found = [float(number) for number in re.findall(r"0\.7310\d+", content)]
        assert found
        assert all(number == 1 / (1 + math.exp(-1)) or abs(number - 0.7310585786300049) < 1e-15 for number in found)
