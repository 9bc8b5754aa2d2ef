"""hushpoll regress: what a randomized outcome depends on, from a CSV file."""

from __future__ import annotations

import csv
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from hushpoll_server.commands.columns import NumberOrLabel, read_columns, read_label, read_number, read_yes_no
from hushpoll_server.commands.common import json_option, level_option, print_json
from hushpoll_server.commands.designs import YES_NO_DESIGNS, design_options, stated_parameters
from hushpoll_server.commands.designs import read_yes_no as read_design
from hushpoll_server.commands.regress_figures import InShares, regression_lines
from hushpoll_server.estimate.regression.linear import ROBUST_ERRORS, linear_regression
from hushpoll_server.estimate.regression.logistic import STANDARD_ERRORS, LogisticRegression, logistic_regression
from hushpoll_server.estimate.regression.predictions import (
    SCALES,
    adjusted_shares,
    average_effects,
    predicted_share,
)
from hushpoll_server.estimate.regression.results import Regression
from hushpoll_server.estimate.support import SupportDesign
from hushpoll_shared.errors import InvalidValue

# The first of each is the default.
_KINDS = {"logistic": STANDARD_ERRORS, "linear": ROBUST_ERRORS}


@click.command()
@click.option(
    "--csv",
    "path",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file: a line with the names of the columns, then one line for each report.",
)
@click.option("--outcome", metavar="Y", required=True, help="The column with the reports: 1 for yes, 0 for no.")
@click.option(
    "--covariates", metavar="A,B", required=True, help="The columns with numbers or labels that it may depend on."
)
@click.option(
    "--reference",
    metavar="A=LABEL",
    multiple=True,
    help="The label that the others of a column are compared with; may be repeated. Its numbers are labels, too.",
)
@design_options(YES_NO_DESIGNS, required=False)
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
    type=click.Choice([kind for kinds in _KINDS.values() for kind in kinds]),
    help="logistic: expected (default), observed or outer_product. linear: hc3 (default) or hc1.",
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
    path: Path,
    outcome: str,
    covariates: str,
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
    --reference.
    """
    names = _read_names(outcome, covariates)
    references = _read_references(reference, names)
    for text in at:
        _read_at(text, names, names)
    kind = _read_errors(model, errors)
    support = _read_support(design, stated_parameters(stated), model)
    if model == "linear" and at:
        raise click.UsageError("--at goes with --model logistic.")
    readers = {name: read_label if name in references else NumberOrLabel() for name in names}
    columns = read_columns(path, {outcome: read_number if support is None else read_yes_no, **readers})
    options: dict[str, Any] = {"references": references, "standard_errors": kind, "level": level}
    given = {name: columns[name] for name in names}
    if model == "linear":
        _show(linear_regression(columns[outcome], given, support, **options), model, support, as_json=as_json)
        return
    assert support is not None
    fit = logistic_regression(columns[outcome], given, support, **options)
    places = [_read_at(text, names, fit.references) for text in at]
    _show(fit, model, support, _in_shares(fit, places, scale), as_json=as_json)


def _in_shares(fit: LogisticRegression, places: Sequence[Mapping[str, float | str]], scale: str) -> InShares:
    return InShares(
        effects=average_effects(fit),
        adjusted={name: adjusted_shares(fit, name, scale=scale) for name in fit.references},
        predictions=[predicted_share(fit, place, scale=scale) for place in places],
    )


def _read_names(outcome: str, covariates: str) -> list[str]:
    names = [name.strip() for name in covariates.split(",")]
    if not all(names):
        raise click.UsageError("--covariates names columns with commas between them: --covariates age,arts.")
    if len(set(names)) != len(names) or outcome in names:
        raise click.UsageError("--covariates names each column once, and not that of --outcome.")
    return names


def _read_errors(model: str, errors: str | None) -> str:
    kinds: Sequence[str] = _KINDS[model]
    if errors is not None and errors not in kinds:
        raise click.UsageError(f"--model {model} has the standard errors {', '.join(kinds)}.")
    return errors or kinds[0]


def _read_support(design: str | None, stated: Mapping[str, str], model: str) -> SupportDesign | None:
    if design is not None:
        return read_design(design, stated).support
    if stated:
        raise click.UsageError("A parameter of a design goes with --design.")
    if model == "logistic":
        raise click.UsageError("--model logistic needs --design, such as --design warner --epsilon 1.")
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


def _read_references(texts: Sequence[str], names: Sequence[str]) -> dict[str, str]:
    parts = [text.partition("=") for text in texts]
    references = {name.strip(): label.strip() for name, _, label in parts}
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
