"""hushpoll regress: what a randomized outcome depends on, from a CSV file or from the reports of a survey."""

from __future__ import annotations

import csv
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from hushpoll_server.analysis.regression import regress_survey
from hushpoll_server.commands.columns import (
    NumberOrLabel,
    Reader,
    read_columns,
    read_label,
    read_number,
    read_yes_no,
)
from hushpoll_server.commands.common import json_option, level_option, print_json
from hushpoll_server.commands.designs import YES_NO_DESIGNS, design_options, stated_parameters
from hushpoll_server.commands.designs import read_yes_no as read_design
from hushpoll_server.commands.randomized_columns import RandomizedColumn, read_randomized
from hushpoll_server.commands.regress_figures import regression_lines
from hushpoll_server.commands.sources import group_option, read_labels, source_options, survey_source
from hushpoll_server.estimate.regression.in_shares import InShares, Place, in_shares
from hushpoll_server.estimate.regression.linear import ROBUST_ERRORS, linear_regression
from hushpoll_server.estimate.regression.linear_on_randomized import linear_regression_on_randomized
from hushpoll_server.estimate.regression.logistic import STANDARD_ERRORS, LogisticRegression, logistic_regression
from hushpoll_server.estimate.regression.logistic_on_randomized import (
    KNOWN,
    PRIVATE_ERRORS,
    logistic_regression_on_randomized,
)
from hushpoll_server.estimate.regression.predictions import SCALES
from hushpoll_server.estimate.regression.results import Regression
from hushpoll_server.estimate.support import SupportDesign
from hushpoll_shared.errors import InvalidValue

# The first of each is the default.
_KINDS = {"logistic": STANDARD_ERRORS, "linear": ROBUST_ERRORS}
_PRIVATE_KINDS = {"logistic": PRIVATE_ERRORS, "linear": ("sandwich",)}


@click.command()
@click.option(
    "--csv",
    "path",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file: a line with the names of the columns, then one line for each report.",
)
@source_options
@group_option
@click.option(
    "--outcome",
    metavar="Y",
    required=True,
    help="The column with the reports: 1 for yes, 0 for no. Of a survey: a question, or an answer such as often:never.",
)
@click.option(
    "--covariates",
    metavar="A,B",
    help="The columns with numbers or labels that it may depend on. Of a survey: dimensions of groups, and questions.",
)
@click.option(
    "--randomized",
    metavar="A:DESIGN",
    multiple=True,
    help="A column with draws of another randomized question, and its design: helped:odds=3:1; may be repeated.",
)
@click.option(
    "--depends-on",
    metavar="A,B",
    help="The columns of --covariates that answers to --randomized may depend on, or nothing; else all.",
)
@click.option(
    "--reference",
    metavar="A=LABEL",
    multiple=True,
    help="The label that the others of a column are compared with; may be repeated. Its numbers are labels, too.",
)
@design_options((*YES_NO_DESIGNS, "direct"), required=False)
@click.option(
    "--model",
    type=click.Choice(list(_KINDS)),
    default="logistic",
    show_default=True,
    help="logistic: log-odds of a yes. linear: differences of shares or, without --design, of means of the column.",
)
@click.option(
    "--standard-errors",
    "errors",
    type=click.Choice([*STANDARD_ERRORS, *ROBUST_ERRORS, "sandwich"]),
    help="logistic: expected (default), observed or outer_product. linear: hc3 (default) or hc1. With --randomized: "
    "logistic observed (default), outer_product or sandwich; linear sandwich.",
)
@click.option(
    "--at", metavar="A=X,B=Z", multiple=True, help="Also predict the share for these covariates; may be repeated."
)
@click.option(
    "--scale",
    type=click.Choice(SCALES),
    default="logit",
    show_default=True,
    help="Where the limits of a predicted share are symmetric.",
)
@level_option
@json_option
def command(
    path: Path | None,
    survey: str | None,
    db: str | None,
    manifest_path: Path | None,
    reports_path: Path | None,
    group: tuple[str, ...],
    outcome: str,
    covariates: str | None,
    randomized: tuple[str, ...],
    depends_on: str | None,
    design: str | None,
    model: str,
    errors: str | None,
    at: tuple[str, ...],
    reference: tuple[str, ...],
    scale: str,
    level: float,
    as_json: bool,
    **stated: str | None,
) -> None:
    """Estimate what a randomized yes/no outcome depends on.

    The coefficients are those of the true answers, not of the reports: the design is part of the likelihood. Covariates
    are known as they are: numbers, or labels, each of which is compared with the first in the alphabet or that of
    --reference. Those of --randomized are randomized questions themselves, of which only draws are known.

    With --survey, or --manifest and --reports, the designs are those of the survey: --covariates names dimensions of
    its public groups, and questions, which are private covariates.
    """
    if path is None:
        if randomized or depends_on or design or stated_parameters(stated):
            raise click.UsageError("A survey has its own designs: leave out --design, --randomized and --depends-on.")
        names = _read_names(outcome, covariates, needed=True)
        with survey_source(survey, db, manifest_path, reports_path) as source:
            manifest, reports = source.within(read_labels(group))
            fitted = regress_survey(
                manifest,
                reports,
                outcome,
                names,
                model=model,
                references=dict(_split(reference)),
                standard_errors=errors,
                level=level,
            )
        _show_survey(fitted, [_read_at(text, names, names) for text in at], scale, as_json=as_json)
        return
    if survey or db or manifest_path or reports_path or group:
        raise click.UsageError("--csv goes with no survey.")
    names = _read_names(outcome, covariates, needed=not randomized)
    private = read_randomized(randomized, (outcome, *names))
    every = (*names, *(column.name for column in private))
    references = _read_references(reference, every)
    for text in at:
        _read_at(text, every, every)
    support = _read_support(design, stated_parameters(stated), model)
    if model == "linear" and at:
        raise click.UsageError("--at goes with --model logistic.")
    options = {
        "references": references,
        "level": level,
        **_read_errors(model, errors, private),
        **_read_depends(depends_on, names, model, private),
    }
    readers: dict[str, Reader] = {name: read_label if name in references else NumberOrLabel() for name in names}
    readers |= {column.name: column.reader for column in private}
    first = read_number if support is None and model == "linear" else read_yes_no
    fit = _fit(model, outcome, names, private, support, read_columns(path, {outcome: first, **readers}), options)
    if not isinstance(fit, LogisticRegression):
        _show(fit, model, support, as_json=as_json)
        return
    places = [_read_at(text, every, fit.references) for text in at]
    _show(fit, model, support, in_shares(fit, places, scale), as_json=as_json)


def _show_survey(fit: Regression, places: Sequence[Place], scale: str, *, as_json: bool) -> None:
    if isinstance(fit, LogisticRegression):
        _show(fit, "logistic", None, in_shares(fit, places, scale), as_json=as_json)
        return
    if places:
        raise click.UsageError("--at goes with --model logistic.")
    _show(fit, "linear", None, as_json=as_json)


def _fit(
    model: str,
    outcome: str,
    names: Sequence[str],
    private: Sequence[RandomizedColumn],
    support: SupportDesign | None,
    columns: Mapping[str, Any],
    options: Mapping[str, Any],
) -> Regression:
    public = {name: columns[name] for name in names}
    if private:
        draws = {column.name: (columns[column.name], column.design) for column in private}
        regress = logistic_regression_on_randomized if model == "logistic" else linear_regression_on_randomized
        return regress(columns[outcome], public, draws, support, **options)
    if model == "linear":
        return linear_regression(columns[outcome], public, support, **options)
    return logistic_regression(columns[outcome], public, KNOWN if support is None else support, **options)


def _read_names(outcome: str, covariates: str | None, *, needed: bool) -> list[str]:
    if covariates is None:
        if needed:
            raise click.UsageError("Give --covariates, --randomized or both.")
        return []
    names = [name.strip() for name in covariates.split(",")]
    if not all(names):
        raise click.UsageError("--covariates names columns with commas between them: --covariates age,arts.")
    if len(set(names)) != len(names) or outcome in names:
        raise click.UsageError("--covariates names each column once, and not that of --outcome.")
    return names


def _read_errors(model: str, errors: str | None, private: Sequence[RandomizedColumn]) -> dict[str, str]:
    kinds: Sequence[str] = (_PRIVATE_KINDS if private else _KINDS)[model]
    if errors is not None and errors not in kinds:
        beside = " with --randomized" if private else ""
        raise click.UsageError(f"--model {model}{beside} has the standard errors {', '.join(kinds)}.")
    # Least squares with corrected moments have one kind only.
    return {} if private and model == "linear" else {"standard_errors": errors or kinds[0]}


def _read_depends(
    text: str | None, names: Sequence[str], model: str, private: Sequence[RandomizedColumn]
) -> dict[str, list[str]]:
    if text is None:
        return {}
    if not private or model == "linear":
        raise click.UsageError("--depends-on goes with --randomized and --model logistic.")
    depends = [] if text == "nothing" else [name.strip() for name in text.split(",")]
    if not set(depends) <= set(names):
        raise click.UsageError("--depends-on names columns of --covariates, or says nothing.")
    return {"depends_on": depends}


def _read_support(design: str | None, stated: Mapping[str, str], model: str) -> SupportDesign | None:
    if design == "direct":
        if stated or model == "linear":
            raise click.UsageError("--design direct has no parameters, and goes with --model logistic.")
        return None
    if design is not None:
        return read_design(design, stated).support
    if stated:
        raise click.UsageError("A parameter of a design goes with --design.")
    if model == "logistic":
        raise click.UsageError(
            "--model logistic needs --design, such as --design warner --epsilon 1; direct is an outcome that is known."
        )
    return None


def _read_at(text: str, names: Sequence[str], labels: Collection[str]) -> dict[str, float | str]:
    # A label with a comma stands in quotes, as in the file.
    parts = [part.partition("=") for part in next(csv.reader([text], skipinitialspace=True))]
    place = {name.strip(): value.strip() for name, _, value in parts}
    if place.keys() != set(names) or not all(place.values()):
        raise click.UsageError(f"--at gives a value to every covariate and to nothing else: {', '.join(names)}.")
    try:
        return {name: value if name in labels else read_number(value) for name, value in place.items()}
    except InvalidValue:
        raise click.UsageError(
            "--at gives every covariate a number or one of its labels: --at age=30,faculty=arts."
        ) from None


def _split(texts: Sequence[str]) -> list[tuple[str, str]]:
    parts = (text.partition("=") for text in texts)
    return [(name.strip(), label.strip()) for name, _, label in parts]


def _read_references(texts: Sequence[str], names: Sequence[str]) -> dict[str, str]:
    references = dict(_split(texts))
    if len(references) != len(texts) or not all(references.values()) or not references.keys() <= set(names):
        raise click.UsageError("--reference names a covariate and one of its labels: --reference faculty=arts.")
    return references


def _show(
    fit: Regression, model: str, design: SupportDesign | None, shares: InShares | None = None, *, as_json: bool
) -> None:
    if not as_json:
        for line in regression_lines(fit, shares or InShares()):
            click.echo(line)
        return
    # Least squares have no likelihood, and a column of numbers no design.
    about = {"model": model, "p": design and design.p, "q": design and design.q, "log_likelihood": None}
    print_json(about | fit.to_json() | (shares.to_json() if shares else {}))
