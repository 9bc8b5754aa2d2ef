"""hushpoll export: the estimates with all that is needed to check them, or the stored reports.

A table has a row for each cell, bin and mean. The rule here: a column keeps its place and its meaning; new ones are
appended.
"""

from __future__ import annotations

import csv
import importlib
import io
import json
import re
import secrets
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from hushpoll_server.analysis.results import Results, cross_results_of, results_of
from hushpoll_server.analysis.survey import Analysis
from hushpoll_server.commands.common import (
    beta_option,
    coverage_option,
    database_option,
    instance,
    level_option,
    method_option,
)
from hushpoll_server.estimate.options import Options
from hushpoll_server.estimate.tables.cross_results import CrossResult
from hushpoll_server.mechanisms import mechanism_of
from hushpoll_server.store.files import write_file
from hushpoll_server.surveys.service import PublishedSurvey
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.report import ID_BYTES, Report

# Spreadsheets run a text that starts with one of these as a formula, even after blanks, quotes or invisible letters.
_FORMULA = r"[=+\-@＝＋－＠]"
_SKIPPED = r"[\s\"\x00-\x1f\u200b-\u200f\u2060\ufeff]*"
_FORMULA_AT_START = re.compile(rf"[\t\r\n]|{_SKIPPED}{_FORMULA}")
# Where the comma is the decimal separator, spreadsheets split at semicolons or tabs, even inside quotes.
_FORMULA_IN_NEXT_CELL = re.compile(rf"([;\t\r\n]{_SKIPPED})(?={_FORMULA})")
_HEAD = ("survey", "manifest", "question", "text", "n", "cell", "count", "estimate", "se", "low", "high", "tidy")
_DESIGN = ("level", "method", "population", "mechanism", "p", "q", "epsilon")
_ADDED = ("coverage", "type", "asked", "from", "to", "price_of_privacy", "beta", "band_low", "band_high", "kind")
_CROSSED = ("second", "second_cell")
_CONSTRAINED = ("constrained_low", "constrained_high")
COLUMNS = (*_HEAD, *_DESIGN, *_ADDED, *_CROSSED, *_CONSTRAINED)
_WHOLE = {"n", "count", "population", "asked"}
_TEXTS = {
    "survey",
    "manifest",
    "question",
    "text",
    "cell",
    "method",
    "mechanism",
    "coverage",
    "type",
    "kind",
    *_CROSSED,
}

Row = dict[str, Any]
Tables = tuple[CrossResult, ...]


@click.command()
@click.argument("survey", metavar="ID")
@click.option(
    "--format", "format_", type=click.Choice(["csv", "json", "parquet", "ndjson"]), required=True, help="What to write."
)
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), required=True, help="Where to write it.")
@click.option("--new-ids", is_flag=True, help="Replace the reports' ids by new random ones (ndjson).")
@database_option
@level_option
@method_option
@coverage_option
@beta_option
def command(
    survey: str,
    format_: str,
    out: Path,
    new_ids: bool,
    db: str | None,
    level: float,
    method: str | None,
    coverage: str,
    beta: float | None,
) -> None:
    """Export a survey.

    csv, json and parquet hold the estimates with design, n, level, method and manifest; ndjson holds the stored reports
    in random order, from which hushpoll estimate gives the same figures.
    """
    if new_ids and format_ != "ndjson":
        raise click.UsageError("--new-ids goes with --format ndjson: no other format holds ids.")
    with instance(db) as services:
        published = services.surveys.get(survey)
        if format_ == "ndjson":
            reports = services.collect.reports(survey)
            _write(out, _lines(_with_new_ids(reports) if new_ids else reports))
            return
        counts, crossed = services.collect.counts(survey), services.surveys.crossed(survey)
    options = Options(level=level, method=method, coverage=coverage, beta=beta)
    results = results_of(published.manifest, counts, options)
    tables = cross_results_of(published.manifest, counts, crossed, options)
    _write(out, _FORMATS[format_](published, results, tables))


def guard(value: object) -> object:
    """Return a text so that no spreadsheet runs it, or a part of it, as a formula; numbers stay numbers."""
    if not isinstance(value, str):
        return value
    prefix = "'" if _FORMULA_AT_START.match(value) else ""
    return prefix + _FORMULA_IN_NEXT_CELL.sub(r"\1'", value)


def _write(out: Path, content: bytes) -> None:
    write_file(out, content)
    click.echo(f"wrote {out}", err=True)


def _lines(reports: Iterable[Report]) -> bytes:
    return b"".join(report.encode() + b"\n" for report in reports)


def _with_new_ids(reports: Iterable[Report]) -> list[Report]:
    """Return the reports with new ids, sorted by them, so that no receipt, request or database leads to a row."""
    renamed = (replace(report, id=secrets.token_hex(ID_BYTES)) for report in reports)
    return sorted(renamed, key=lambda report: report.id)


def _json(survey: PublishedSurvey, results: Results, tables: Tables) -> bytes:
    questions = {question["question"]: question for question in _questions(survey, results)}
    about = {"survey": survey.name, "manifest": survey.manifest.id, "key": survey.key}
    value = {**about, **Analysis(results, tables).to_json(), "questions": questions}
    return (json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()


def _csv(survey: PublishedSurvey, results: Results, tables: Tables) -> bytes:
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, extrasaction="ignore", quoting=csv.QUOTE_ALL)
    writer.writeheader()
    for row in _rows(survey, results, tables):
        writer.writerow({key: guard(value) for key, value in row.items()})
    return text.getvalue().encode()


def _parquet(survey: PublishedSurvey, results: Results, tables: Tables) -> bytes:
    try:
        arrow, parquet = importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    except ImportError:
        raise InvalidValue("parquet needs pyarrow: install the extra with pip install 'hushpoll[parquet]'") from None
    rows = list(_rows(survey, results, tables))
    fields = [(name, _arrow_type(arrow, name)) for name in COLUMNS]
    columns = {name: [row.get(name) for row in rows] for name in COLUMNS}
    content = io.BytesIO()
    parquet.write_table(arrow.table(columns, schema=arrow.schema(fields)), content)
    return content.getvalue()


def _arrow_type(arrow: Any, column: str) -> Any:
    # Stated, because a column that is empty in this survey may have values in the next.
    return arrow.string() if column in _TEXTS else arrow.int64() if column in _WHOLE else arrow.float64()


_FORMATS = {"csv": _csv, "json": _json, "parquet": _parquet}


def _questions(survey: PublishedSurvey, results: Results) -> Iterator[Row]:
    """Yield the questions as their results are documented, with text, type and mechanism."""
    for question in survey.manifest.questions:
        about = {"question": question.id, "text": question.text, "type": question.type.NAME}
        yield {**about, "mechanism": mechanism_of(question).name, **results[question.id].to_json()}


def _rows(survey: PublishedSurvey, results: Results, tables: Tables) -> Iterator[Row]:
    for question in _questions(survey, results):
        about = {"survey": survey.name, "manifest": survey.manifest.id, **question}
        if "mean" in question:
            yield {**about, **question["mean"], **_band(question), "kind": "mean"}
        if "sd" in question:
            yield {**about, **question["sd"], "kind": "sd"}
        # The price and the band of a number are those of its mean.
        about = {key: value for key, value in about.items() if key != "price_of_privacy"}
        for cell in question.get("cells", []):
            yield {**about, **cell, **_band(cell), **_constrained(cell), "cell": cell["name"], "kind": "cell"}
        for item in question.get("quantiles", []):
            yield {**about, **item, "cell": f"{item['share']:.0%} below", "kind": "quantile"}
        for item in question.get("cumulative", []):
            yield {**about, **item, "to": item["below"], "cell": f"below {item['below']:g}", "kind": "below"}
        for item in question.get("bins", []):
            yield {**about, **item, "cell": item["name"], "kind": "bin"}

    for table in tables:
        yield from _table_rows(survey, table.to_json())


def _table_rows(survey: PublishedSurvey, table: Row) -> Iterator[Row]:
    """Yield a row for each cell of a cross table: the first question's columns, and the second's beside them."""
    questions = {question.id: question for question in survey.manifest.questions}
    first, second = questions[table["first"]], questions[table["second"]]
    about: Row = {"survey": survey.name, "manifest": survey.manifest.id, "question": first.id, "text": first.text}
    about |= {"type": first.type.NAME, "mechanism": mechanism_of(first).name, "second": second.id, "kind": "cross"}
    # What one respondent spends on both.
    about["epsilon"] = float(first.design.epsilon + second.design.epsilon)
    for cell in table["cells"]:
        pair = {"cell": cell["first"], "second_cell": cell["second"]}
        yield {**table, **cell, **_band(cell), **about, **pair}


def _constrained(cell: Row) -> Row:
    limits = cell["constrained"]
    return {} if limits is None else dict(zip(_CONSTRAINED, (limits["low"], limits["high"]), strict=True))


def _band(item: Row) -> Row:
    band = item.get("band")
    return {} if band is None else {"beta": band["beta"], "band_low": band["low"], "band_high": band["high"]}
