"""A regression as a document and as a table: coefficients, effects on the share, adjusted shares, and tests.

The rule here: a figure stands as the API sends it, to the digit.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hushpoll_server.estimate.regression.in_shares import in_shares
from hushpoll_server.estimate.regression.logistic import LogisticRegression
from hushpoll_server.estimate.regression.results import Regression
from hushpoll_server.export.columns import Column, Row, number, whole
from hushpoll_server.export.figures import GROUP_COLUMNS, Part

COLUMNS = (
    Column("survey", "the survey's name"),
    Column("manifest", "the id of the signed manifest that every report names"),
    Column("outcome", "the answer or the number that is regressed"),
    Column("model", "logistic or linear"),
    Column("kind", "coefficient, effect, adjusted_share, joint_test or slopes_test"),
    Column("name", "the covariate, with its label where it has some"),
    Column("reference", "the label that the other labels of the covariate are compared with"),
    whole("n", "reports"),
    number("estimate", "the coefficient, the average effect on the share, or the adjusted share"),
    number("se", "its standard error"),
    number("low", "the lower limit of its interval"),
    number("high", "the upper limit of its interval"),
    number("statistic", "the statistic of a test of several coefficients"),
    whole("df", "its degrees of freedom"),
    number("p_value", "the p-value: of a test, or of a coefficient from 0"),
    number("level", "the confidence level"),
    Column("standard_errors", "how the standard errors were computed"),
    Column("assumed", "what is assumed about the answers to private covariates"),
    *GROUP_COLUMNS,
)


def regression_document(fit: Regression) -> dict[str, Any]:
    """Return what the API sends, and `hushpoll regress --json` prints, of a regression."""
    if not isinstance(fit, LogisticRegression):
        return {"model": "linear", **fit.to_json()}
    return {"model": "logistic", **fit.to_json(), **in_shares(fit).to_json()}


def regression_rows(part: Part, outcome: str, fit: Regression) -> Iterator[Row]:
    """Yield a row for each figure."""
    document = regression_document(fit)
    common = ("model", "n", "level", "standard_errors", "assumed")
    about: Row = {"survey": part.manifest.survey, "manifest": part.manifest.id, "outcome": outcome, **part.group}
    about |= {name: document.get(name) for name in common}
    yield from ({**about, **row} for row in _rows(document))


def _rows(document: Row) -> Iterator[Row]:
    references = document["references"]
    for kind, name in (("coefficient", "coefficients"), ("effect", "effects")):
        for each in document.get(name, ()):
            yield {**each, "kind": kind, "reference": references.get(each["name"].partition("=")[0])}
    for covariate, shares in document.get("adjusted_shares", {}).items():
        for each in shares:
            yield {**each, "kind": "adjusted_share", "name": f"{covariate}={each['at'][covariate]}"}
    for covariate, test in document["joint_tests"].items():
        yield {**_test(test), "kind": "joint_test", "name": covariate, "reference": references[covariate]}
    if test := document.get("slopes_test"):
        yield {**_test(test), "kind": "slopes_test"}


def _test(test: Row) -> Row:
    return {"statistic": test["statistic"], "df": test["degrees"], "p_value": test["p_value"], "level": None}
