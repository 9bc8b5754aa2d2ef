"""hushpoll impute: completed data sets for analysts whose tools know nothing of randomizing.

A row for each respondent and data set. The rule here: `imputation` is the first column and `respondent`, the place of
the report in the file, the second; no row has a report's id.
"""

from __future__ import annotations

import csv
import importlib
import io
from pathlib import Path

import click

from hushpoll_server.analysis.files import read_manifest, read_reports
from hushpoll_server.analysis.imputation import DATA_SET, MOST_DATA_SETS, RESPONDENT, Imputation, impute
from hushpoll_server.commands.common import json_option, needed_manifest_option, print_json
from hushpoll_server.commands.numbers import WHOLE, Finite
from hushpoll_server.commands.progress import progress_bar
from hushpoll_server.estimate.imputation.augmentation import PRIOR
from hushpoll_server.estimate.imputation.rubin import Rubin
from hushpoll_server.export.spreadsheet import guard
from hushpoll_server.store.files import write_file
from hushpoll_shared.errors import InvalidValue


@click.command()
@needed_manifest_option
@click.option(
    "--reports",
    "reports_path",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    help="One report per line.",
)
@click.option("--questions", metavar="ID,ID,…", required=True, help="The questions to impute, jointly.")
@click.option("--m", type=click.IntRange(2, MOST_DATA_SETS), default=20, show_default=True, help="How many data sets.")
@click.option("--seed", type=WHOLE, required=True, help="The same seed gives the same data sets.")
@click.option("--groups", metavar="ID,ID,…", help="Public groups to keep as columns, and to draw within.")
@click.option("--separately", is_flag=True, help="Impute each question by itself: associations are lost.")
@click.option(
    "--prior",
    type=Finite(0, min_open=True),
    default=PRIOR,
    show_default=True,
    help="Prior respondents in each cell of the joint table.",
)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    help="Where to write: FILE.csv or FILE.parquet.",
)
@json_option
def command(
    manifest_path: Path,
    reports_path: Path,
    questions: str,
    m: int,
    seed: int,
    groups: str | None,
    separately: bool,
    prior: float,
    out: Path,
    as_json: bool,
) -> None:
    """Draw completed data sets from the reports of a survey, and write them to one long table.

    Analyse each data set as if it were answers and combine the results by Rubin's rules. The combined shares are
    printed. The data sets are simulations: no row is anybody's real answer.
    """
    write = _FORMATS.get(out.suffix.lower())
    if write is None:
        raise click.UsageError("--out needs a name that ends with .csv or .parquet.")
    manifest = read_manifest(manifest_path)
    names = [name.strip() for name in questions.split(",")]
    if {DATA_SET, RESPONDENT} & set(names):
        raise InvalidValue(f"a question has the name of a column ({DATA_SET}, {RESPONDENT}): impute it from Python")
    with progress_bar("drawing data sets", m) as advance:
        drawn = impute(
            manifest,
            read_reports(reports_path, manifest),
            names,
            m=m,
            seed=seed,
            groups=[] if groups is None else [name.strip() for name in groups.split(",")],
            separately=separately,
            prior=prior,
            progress=advance,
        )
    write_file(out, write(drawn))
    if as_json:
        print_json({"file": str(out), "manifest": manifest.id, **drawn.to_json()})
        return
    _print(drawn)
    click.echo(f"wrote {out}", err=True)


def _csv(drawn: Imputation) -> bytes:
    text = io.StringIO()
    writer = csv.DictWriter(text, (DATA_SET, RESPONDENT, *drawn.columns, *drawn.questions), quoting=csv.QUOTE_MINIMAL)
    writer.writeheader()
    for row in drawn.rows():
        writer.writerow({name: _guard(value) for name, value in row.items()})
    return text.getvalue().encode()


def _guard(value: object) -> object:
    """Return a text so that no spreadsheet runs it; the point of a scale, such as -1, is a number."""
    is_number = isinstance(value, str) and value.removeprefix("-").isdecimal()
    return value if is_number else guard(value)


def _parquet(drawn: Imputation) -> bytes:
    try:
        arrow, parquet = importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    except ImportError:
        raise InvalidValue("parquet needs pyarrow: install the extra with pip install 'hushpoll[parquet]'") from None
    whole, texts = (DATA_SET, RESPONDENT), (*drawn.columns, *drawn.questions)
    rows = list(drawn.rows())
    fields = [*((name, arrow.int64()) for name in whole), *((name, arrow.string()) for name in texts)]
    content = io.BytesIO()
    columns = {name: [row[name] for row in rows] for name in (*whole, *texts)}
    parquet.write_table(arrow.table(columns, schema=arrow.schema(fields)), content)
    return content.getvalue()


_FORMATS = {".csv": _csv, ".parquet": _parquet}


def _print(drawn: Imputation) -> None:
    for question, names in zip(drawn.questions, drawn.answers, strict=True):
        for name in names:
            click.echo(f"{question}  {name}: {_figures(drawn.share(question, name))}")
    click.echo(f"{drawn.m} data sets of {drawn.n} respondents, {drawn.steps} steps apart, seed {drawn.seed}")
    for warning in drawn.warnings:
        click.echo(f"warning: {warning}")


def _figures(share: Rubin) -> str:
    if share.se is None or share.low is None or share.high is None or share.missing_information is None:
        return f"{share.estimate:.2%}  no standard error"
    return (
        f"{share.estimate:.2%}  se {share.se:.2%}  95% {share.low:z.2%} to {share.high:.2%}  "
        f"missing information {share.missing_information:.0%}"
    )
