"""hushpoll export: the estimates with all that is needed to check them, or the stored reports."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import click

from hushpoll_server.commands.common import database_option, instance, level_option, method_option
from hushpoll_server.results import Results
from hushpoll_server.services import Services
from hushpoll_server.surveys.service import PublishedSurvey

# Spreadsheets run what starts with one of these as a formula.
_FORMULA_STARTS = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "\t", "\r", "\n")
_HEAD = ("survey", "manifest", "question", "text", "n", "cell", "count", "estimate", "se", "low", "high", "tidy")
_DESIGN = ("level", "method", "population", "mechanism", "p", "q", "epsilon")


@click.command()
@click.argument("survey", metavar="ID")
@click.option("--format", "kind", type=click.Choice(["csv", "json", "ndjson"]), required=True, help="What to write.")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), required=True, help="Where to write it.")
@database_option
@level_option
@method_option
def command(survey: str, kind: str, out: Path, db: str | None, level: float, method: str | None) -> None:
    """Export a survey.

    csv and json hold the estimates with design, n, level, method and manifest; ndjson holds the stored reports in
    random order, from which hushpoll estimate gives the same figures.
    """
    with instance(db) as services:
        published = services.surveys.get(survey)
        if kind == "ndjson":
            _write(out, _reports(services, survey))
            return
        results = services.estimates(survey, level=level, method=method)
    _write(out, _csv(published, results) if kind == "csv" else _json(published, results))


def guard(value: object) -> object:
    """Keep a spreadsheet from running a text as a formula; numbers stay numbers."""
    if isinstance(value, str) and (value.startswith(_FORMULA_STARTS) or value.lstrip().startswith(_FORMULA_STARTS)):
        return "'" + value
    return value


def _write(out: Path, text: str) -> None:
    out.write_text(text, encoding="utf-8", newline="")
    click.echo(f"wrote {out}", err=True)


def _reports(services: Services, survey: str) -> str:
    return "".join(report.encode().decode() + "\n" for report in services.collect.reports(survey))


def _json(survey: PublishedSurvey, results: Results) -> str:
    questions = {question["question"]: question for question in (_question(survey, results, i) for i in results)}
    value = {"survey": survey.name, "manifest": survey.manifest.id, "key": survey.key, "questions": questions}
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _csv(survey: PublishedSurvey, results: Results) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, [*_HEAD, *_DESIGN], extrasaction="ignore")
    writer.writeheader()
    for question_id in results:
        question = _question(survey, results, question_id)
        for cell in question["cells"]:
            row = {"survey": survey.name, "manifest": survey.manifest.id, **question, **cell, "cell": cell["name"]}
            writer.writerow({key: guard(value) for key, value in row.items()})
    return text.getvalue()


def _question(survey: PublishedSurvey, results: Results, question_id: str) -> dict[str, Any]:
    [question] = [question for question in survey.manifest.questions if question.id == question_id]
    design = question.design
    about = {"question": question.id, "text": question.text, "mechanism": design.NAME}
    return {**about, "p": float(design.p), "q": float(design.q), **results[question_id].to_json()}
