"""The figures of a regression, printed for people: coefficients, tests, effects on shares, predicted shares.

The rule here: every figure that a reader needs is a line of its own, with what it compares in words.
"""

from __future__ import annotations

from collections.abc import Iterator

from hushpoll_server.estimate.regression.in_shares import InShares
from hushpoll_server.estimate.regression.linear_on_randomized import LinearOnRandomized
from hushpoll_server.estimate.regression.logistic import LogisticRegression
from hushpoll_server.estimate.regression.logistic_on_randomized import LogisticOnRandomized
from hushpoll_server.estimate.regression.predictions import Prediction
from hushpoll_server.estimate.regression.results import Coefficient, HypothesisTest, Regression


def regression_lines(fit: Regression, shares: InShares) -> Iterator[str]:
    """Yield the lines of a regression."""
    level = f"{100 * fit.level:.6g}%"
    for row in fit.coefficients:
        yield f"{row.name}: {_figures(row, level)}  p = {row.p_value:.3g}"
    # With two labels the one coefficient says the same.
    for name, test in ((name, test) for name, test in fit.joint_tests.items() if test.degrees > 1):
        yield f"all labels of {name} alike (reference {fit.references[name]}): {_test(test)}"
    if isinstance(fit, LogisticRegression):
        tested = "" if fit.slopes_test is None else f"  all slopes: {_test(fit.slopes_test)}"
        yield f"log-likelihood {fit.log_likelihood:.6g}{tested}"
    yield f"n = {fit.n}  standard errors: {fit.standard_errors}"
    yield from _share_lines(fit, shares, level)
    yield from _private_lines(fit)
    for warning in fit.warnings:
        yield f"warning: {warning}"


def _private_lines(fit: Regression) -> Iterator[str]:
    """Yield what is known of the answers to randomized covariates, and what is assumed about them."""
    if isinstance(fit, LogisticOnRandomized):
        for name, shares in fit.answers.items():
            yield f"answers to {name}: " + ", ".join(f"{answer} {share:.2%}" for answer, share in shares.items())
    if isinstance(fit, LogisticOnRandomized | LinearOnRandomized):
        yield f"assumed: {fit.assumed}"


def _share_lines(fit: Regression, shares: InShares, level: str) -> Iterator[str]:
    compared = {
        column: f"share, {label.name} {other} against {label.reference}"
        for label in fit.labels
        for column, other in zip(label.columns, label.others, strict=True)
    }
    for effect in shares.effects:
        about = compared.get(effect.name, f"share, for each unit of {effect.name}")
        yield f"{about}: {_figures(effect, level)}  p = {effect.p_value:.3g}"
    for adjusted in (each for group in shares.adjusted.values() for each in group):
        yield f"share if all had {_place(adjusted)}: {_figures(adjusted, level)}  ({adjusted.scale} limits)"
    for prediction in shares.predictions:
        yield f"share at {_place(prediction)}: {_figures(prediction, level)}  ({prediction.scale} limits)"


def _place(prediction: Prediction) -> str:
    return ", ".join(
        f"{name} = {value if isinstance(value, str) else format(value, 'g')}" for name, value in prediction.at.items()
    )


def _test(test: HypothesisTest) -> str:
    return f"χ² = {test.statistic:.4g}, df = {test.degrees}, p = {test.p_value:.3g}"


def _figures(row: Coefficient | Prediction, level: str) -> str:
    return f"{row.estimate:z.6g}  se {row.se:.6g}  {level} {row.low:z.6g} to {row.high:z.6g}"
