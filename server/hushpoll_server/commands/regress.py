"""hushpoll regress: what a randomized outcome depends on, from a CSV file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from hushpoll_server.commands.columns import read_columns, read_number, read_yes_no
from hushpoll_server.commands.common import json_option, level_option, print_json
from hushpoll_server.commands.designs import YES_NO_DESIGNS, design_options, stated_parameters
from hushpoll_server.commands.designs import read_yes_no as read_design
from hushpoll_server.estimate.regression.linear import ROBUST_ERRORS, linear_regression
from hushpoll_server.estimate.regression.logistic import STANDARD_ERRORS, LogisticRegression, logistic_regression
from hushpoll_server.estimate.regression.predictions import SCALES, Prediction, average_effects, predicted_share
from hushpoll_server.estimate.regression.results import Coefficient, Regression
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
@click.option("--covariates", metavar="A,B", required=True, help="The columns with numbers that it may depend on.")
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
    scale: str,
    level: float,
    as_json: bool,
    **stated: str | None,
) -> None:
    """Estimate what a randomized yes/no outcome depends on.

    The coefficients are those of the true answers, not of the reports: the design is part of the likelihood. Covariates
    are numbers, known as they are.
    """
    names = _read_names(outcome, covariates)
    places = [_read_at(text, names) for text in at]
    kind = _read_errors(model, errors)
    support = _read_support(design, stated_parameters(stated), model)
    if model == "linear" and places:
        raise click.UsageError("--at goes with --model logistic.")
    reader = read_number if support is None else read_yes_no
    columns = read_columns(path, {outcome: reader, **dict.fromkeys(names, read_number)})
    options: dict[str, Any] = {"standard_errors": kind, "level": level}
    given = {name: columns[name] for name in names}
    if model == "linear":
        _show(linear_regression(columns[outcome], given, support, **options), model, support, as_json=as_json)
        return
    assert support is not None
    fit = logistic_regression(columns[outcome], given, support, **options)
    predictions = [predicted_share(fit, place, scale=scale) for place in places]
    _show(fit, model, support, average_effects(fit), predictions, as_json=as_json)


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


def _read_at(text: str, names: Sequence[str]) -> dict[str, float]:
    parts = [part.partition("=") for part in text.split(",")]
    try:
        place = {name.strip(): read_number(value) for name, _, value in parts}
    except InvalidValue:
        raise click.UsageError("--at gives every covariate a number: --at age=30,arts=1.") from None
    if place.keys() != set(names):
        raise click.UsageError(f"--at gives a number to every covariate and to nothing else: {', '.join(names)}.")
    return place


def _show(
    fit: Regression,
    model: str,
    design: SupportDesign | None,
    effects: Sequence[Coefficient] = (),
    predictions: Sequence[Prediction] = (),
    *,
    as_json: bool,
) -> None:
    if not as_json:
        for line in _lines(fit, effects, predictions):
            click.echo(line)
        return
    # Least squares have no likelihood, and a column of numbers no design.
    about = {"model": model, "p": design and design.p, "q": design and design.q, "log_likelihood": None}
    more = {
        "effects": [effect.to_json() for effect in effects],
        "predictions": [prediction.to_json() for prediction in predictions],
    }
    print_json(about | fit.to_json() | (more if isinstance(fit, LogisticRegression) else {}))


def _lines(fit: Regression, effects: Sequence[Coefficient], predictions: Sequence[Prediction]) -> Iterator[str]:
    level = f"{100 * fit.level:.6g}%"
    for row in fit.coefficients:
        yield f"{row.name}: {_figures(row, level)}  p = {row.p_value:.3g}"
    if isinstance(fit, LogisticRegression):
        test = fit.slopes_test
        tested = (
            ""
            if test is None
            else f"  all slopes: χ² = {test.statistic:.4g}, df = {test.degrees}, p = {test.p_value:.3g}"
        )
        yield f"log-likelihood {fit.log_likelihood:.6g}{tested}"
    yield f"n = {fit.n}  standard errors: {fit.standard_errors}"
    for effect in effects:
        yield f"share, for each unit of {effect.name}: {_figures(effect, level)}  p = {effect.p_value:.3g}"
    for prediction in predictions:
        place = ", ".join(f"{name} = {value:g}" for name, value in prediction.at.items())
        yield f"share at {place}: {_figures(prediction, level)}  ({prediction.scale} limits)"
    for warning in fit.warnings:
        yield f"warning: {warning}"


def _figures(row: Coefficient | Prediction, level: str) -> str:
    return f"{row.estimate:z.6g}  se {row.se:.6g}  {level} {row.low:z.6g} to {row.high:z.6g}"
